"""Who this process is, and whether another one still lives: host, pid and when it started."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path

from headwater.catalog.lease_rules import Instance
from headwater.runtime.clock import now


def this_process(user: str) -> Instance:
    """This process as an instance of the lake, with a new id."""
    started_at = now()
    return Instance(
        id=uuid.uuid4().hex,
        host=socket.gethostname(),
        pid=os.getpid(),
        process_started=process_start(os.getpid()) or "",
        user_name=user,
        started_at=started_at,
        heartbeat_at=started_at,
    )


def is_alive(instance: Instance) -> bool:
    """Whether its process lives; True when it runs on another host, where we cannot look."""
    if instance.host != socket.gethostname():
        return True
    try:
        os.kill(instance.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    started = process_start(instance.pid)
    # A zombie has a pid and a start time but will never write again.
    if started == "zombie":
        return False
    # A reused pid belongs to a process that started at another time.
    return not started or not instance.process_started or started == instance.process_started


def process_start(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return "zombie" if fields[0] == "Z" else fields[19]
