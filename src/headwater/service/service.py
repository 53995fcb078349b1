"""The service without its network: a lake, its loop, the statements and sessions of clients."""

from __future__ import annotations

import threading
from collections.abc import Generator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

from headwater.errors import TransientError
from headwater.result import Result
from headwater.runtime.open_lake import OpenLake, release_lake, share_lake
from headwater.service.configured_limits import limits_of
from headwater.service.events import Events
from headwater.service.exchanges import Exchanges
from headwater.service.identity import Identity, require_operator
from headwater.service.lanes import Lane, lane_of
from headwater.service.limits import Limits
from headwater.service.listener import EventListener
from headwater.service.loop_thread import LoopThread
from headwater.service.scripts import run_script
from headwater.service.sessions import Sessions, open_session
from headwater.service.statement import Statement
from headwater.service.statements import Statements
from headwater.service.turns import turns_of
from headwater.session import Session

_TIDY_SECONDS = 1.0
_AFTER_CANCEL_SECONDS = 10.0


class Standing(StrEnum):
    """What the service is at this moment."""

    ACTIVE = "ACTIVE"
    STANDBY = "STANDBY"
    """Another process holds the lake; this one takes over when that is gone."""
    STOPPING = "STOPPING"


class Service:
    """Everything that requests reach; `start` it, `drain` it, `close` it."""

    def __init__(self, lake: OpenLake, *, limits: Limits | None = None, loops: bool = True) -> None:
        self.lake = lake
        self.limits = limits or limits_of(lake.config)
        self.events = Events()
        self.sessions = Sessions(lake, self.limits)
        self.exchanges = Exchanges(self.limits)
        self.statements = Statements(lake, self.limits, self.events)
        self.listener = EventListener(self.events)
        self.loop = LoopThread(lake, self.listener, loops=loops)
        self.ended = threading.Event()
        """Set when the lake's own work has failed, which ends the service."""
        self.loop.failed = self.ended.set
        self._stopping = threading.Event()
        self._tidying = threading.Thread(target=self._tidy, name="headwater-tidy", daemon=True)
        # It takes a second, which the first clients would all wait for.
        self._warming = threading.Thread(target=import_module, args=("pyarrow",), daemon=True)

    @classmethod
    def open(cls, path: str | Path, *, loops: bool = True, **config: Any) -> Service:
        """A service on the lake at `path`."""
        # A session repairs what dead processes left, and sees to the daily tidying.
        first = Session(path, **config)
        try:
            return cls(share_lake(first.lake), loops=loops)
        finally:
            first.close()

    @property
    def standing(self) -> Standing:
        """Whether it works, waits for its turn, or ends."""
        if self._stopping.is_set():
            return Standing.STOPPING
        held = self.lake.writer.fencing is not None
        return Standing.ACTIVE if held else Standing.STANDBY

    def start(self) -> None:
        """Begin to work."""
        self.loop.start()
        self._tidying.start()
        self._warming.start()

    def submit(
        self,
        identity: Identity,
        script: str,
        *,
        session: str | None = None,
        time_zone: str | None = None,
        exchange: Path | None = None,
    ) -> Statement:
        """Take a script on, in a session of the user's or in one of its own.

        `exchange` is the folder of this machine that its PUT and GET may reach. Of a session of
        its own, `time_zone` is the zone, if not the lake's.
        """
        self.require_active()
        if session is None:
            own = open_session(self.lake, identity, time_zone=time_zone)
            given_back = own.close
        else:
            taken = self.sessions.take(session, identity)
            own = taken.session

            def given_back() -> None:
                self.sessions.give_back(taken)

        def work(statement: Statement) -> Generator[Result, None, None]:
            try:
                yield from run_script(own, script, statement, exchange=exchange)
            finally:
                statement.schema = own.schema

        try:
            # A session runs one statement of this lane at a time: no other meets its exchange.
            lane = lane_of(script) if exchange is None else Lane.COMPUTING
            workspace, schema = own.state.workspace, own.schema
            turns = turns_of(script, session=session, workspace=workspace, schema=schema)
            made = self.statements.submit(
                identity, work, text=script, lane=lane, session=session, turns=turns
            )
        except BaseException:
            given_back()
            raise
        made.when_ended(given_back)
        return made

    def run_until_idle(self, identity: Identity) -> Statement:
        """Run what is due, as a statement that can be waited for and cancelled."""
        require_operator(identity)
        self.require_active()

        def work(statement: Statement) -> Generator[Result, None, None]:
            stop = _CancelAsked(statement)
            self.loop.run_until_idle(stop)
            yield Result(message="nothing is left to load, and no refresh is due")

        text = "RUN UNTIL IDLE"
        return self.statements.submit(
            identity, work, text=text, lane=Lane.COMPUTING, session=text, turns=(text,)
        )

    def require_active(self) -> None:
        """Raises the reason why this service takes no statements now."""
        standing = self.standing
        if standing is Standing.STOPPING:
            raise TransientError("SERVICE_STOPPING")
        if standing is Standing.STANDBY:
            raise TransientError("SERVICE_STANDBY", holder=self.holder())

    def holder(self) -> str:
        """Who holds the lake, as far as it is known."""
        lease = self.lake.store.lease.get()
        found = None if lease is None or lease.holder is None else lease.holder
        instance = None if found is None else self.lake.store.instances.get(found)
        if instance is None:
            return "nobody yet"
        where = instance.service_url or f"process {instance.pid}"
        return f"{where} on {instance.host}"

    def drain(self) -> bool:
        """Take nothing more on, let what runs end for a while, cancel the rest.

        False when something does not end.
        """
        self._stopping.set()
        self.loop.stop()
        patience = self.limits.stop_seconds
        if self.statements.wait_until_idle(patience) and self.loop.join(patience):
            return True
        self.statements.cancel_all()
        self.loop.cancel()
        idle = self.statements.wait_until_idle(_AFTER_CANCEL_SECONDS)
        return self.loop.join(_AFTER_CANCEL_SECONDS) and idle

    def close(self) -> None:
        """Give the lake back."""
        if self._warming.is_alive():
            self._warming.join()
        self.statements.close()
        self.sessions.close_all()
        self.exchanges.close_all()
        release_lake(self.lake)

    def _tidy(self) -> None:
        while not self._stopping.wait(_TIDY_SECONDS):
            self.sessions.close_idle()
            self.exchanges.close_idle()
            self.statements.forget_old()


class _CancelAsked(threading.Event):
    """Set as soon as its statement was asked to stop."""

    def __init__(self, statement: Statement) -> None:
        super().__init__()
        self._statement = statement

    def is_set(self) -> bool:
        return self._statement.cancel_asked or super().is_set()
