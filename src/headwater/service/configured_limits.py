"""The limits of a service as the settings of its lake have them."""

from __future__ import annotations

from headwater.config import Config
from headwater.service.limits import Limits

_MEGABYTE = 1024 * 1024


def limits_of(config: Config) -> Limits:
    """The limits that a lake's settings ask for."""
    return Limits(
        computing=config.service_statements_at_once,
        waiting=config.service_waiting_statements,
        session_seconds=config.service_session_minutes * 60.0,
        statement_seconds=config.service_result_minutes * 60.0,
        result_bytes=config.service_result_megabytes * _MEGABYTE,
        body_bytes=config.service_body_megabytes * _MEGABYTE,
        upload_bytes=config.studio_upload_megabytes * _MEGABYTE,
        stop_seconds=float(config.service_stop_seconds),
    )
