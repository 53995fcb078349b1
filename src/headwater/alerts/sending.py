"""Messages to addresses of many kinds: webhooks, mail, chat. The one place that knows apprise.

Invariant: nothing that leaves here, and no log, has more of an address than its scheme.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

_TITLE = "Headwater"


def shown(url: str) -> str:
    """What may be seen of an address.

    >>> shown("slack://token/token/channel")
    'slack://****'
    """
    scheme, separator, _ = url.partition("://")
    return f"{scheme}://****" if separator and scheme.isalnum() else "****"


def accepted(url: str) -> bool:
    """Whether a message can be sent to such an address; nothing is sent."""
    return _target(url) is not None


def send(urls: Sequence[str], title: str, body: str, *, resolved: bool) -> list[str]:
    """Sends a message to all addresses; gives back those that did not take it, as shown."""
    kind = "success" if resolved else "failure"
    failed = []
    for url in urls:
        target = _target(url)
        if target is None or not _sent(target, title, body, kind):
            failed.append(shown(url))
    return failed


def _sent(target: Any, title: str, body: str, kind: str) -> bool:
    try:
        return bool(target.notify(body=body, title=title, notify_type=kind))
    except Exception:
        # Whatever a client of somebody else's service raises may quote its address.
        return False


def _target(url: str) -> Any:
    # Imported late: it takes longer than SHOW TABLES may.
    import apprise

    # Its own log quotes addresses when they fail.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    asset = apprise.AppriseAsset(app_id=_TITLE, app_desc=_TITLE, async_mode=False)
    made = apprise.Apprise.instantiate(url, asset=asset, suppress_exceptions=True)
    return made or None
