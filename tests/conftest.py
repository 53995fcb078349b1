"""What all tests share: hypothesis prints how to repeat a failure; Ctrl-C means something."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("headwater", print_blob=True, deadline=None)
settings.load_profile("headwater")

# A shell starts background jobs with SIGINT ignored, and everything they start inherits that; the
# tests that interrupt a statement would then wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
