"""What all tests share: hypothesis prints how to repeat a failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("headwater", print_blob=True, deadline=None)
settings.load_profile("headwater")
