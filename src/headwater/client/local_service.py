"""The service that runs a lake, found from the lake folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headwater.catalog.store import Store
from headwater.config import FILE_NAME, load_config
from headwater.runtime.clock import now
from headwater.runtime.lake_folder import LakeFolder
from headwater.runtime.process_identity import is_alive

TOKEN_FILE = "service.token"  # noqa: S105 - the name of the file, not a token
"""In the lake folder, for its owner alone."""


@dataclass(frozen=True, slots=True)
class LocalService:
    """Where a service listens, and what lets its own machine in."""

    url: str
    token: str


def find_service(path: Path) -> LocalService | None:
    """The service that holds the lake at `path`; None when there is none, or it is not ours."""
    folder = path.expanduser().resolve()
    try:
        token = (folder / TOKEN_FILE).read_text(encoding="ascii").strip()
    except OSError:
        return None
    if not (folder / FILE_NAME).exists():
        return None
    config = load_config(folder)
    store = Store.open(config.metadata_url or LakeFolder(folder).catalog_url, clock=now)
    try:
        lease = store.lease.get()
        if lease is None or lease.holder is None or lease.expired(now()):
            return None
        holder = store.instances.get(lease.holder)
    finally:
        store.close()
    if holder is None or holder.service_url is None or not is_alive(holder):
        return None
    return LocalService(holder.service_url, token)
