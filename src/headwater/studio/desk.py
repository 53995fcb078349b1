"""A desk: where an open page asks and acts, by SQL and with the rights of its user.

Laws: what a page shows or does is a statement that the user may read; a token that was revoked
stops working on pages that are open; one statement more than allowed is refused, not queued.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from headwater.errors import HeadwaterError, UserError
from headwater.result import Result
from headwater.service.guards import proof_in
from headwater.service.identity import Authenticator, Identity, Proof
from headwater.service.service import Service
from headwater.service.statement import Statement
from headwater.studio.answered import answered, was_answered
from headwater.studio.answers import Answers
from headwater.studio.cookies import PINS, PREFIX, THEME, ZONE, cookies_in
from headwater.studio.pins import Pin, pins_in
from headwater.studio.pulse import Pulse
from headwater.time_zones import zone_of

_MOST_SHOWN = 50
_SHARED = ("SHOW ", "DESC ")
"""What pages may share for a moment: statements that only look."""


@dataclass(frozen=True, slots=True)
class Desks:
    """Gives a page the desk of whoever asks for it."""

    service: Service
    authenticator: Authenticator
    pulse: Pulse
    answers: Answers

    def of(self, request: Request) -> Desk:
        """The desk for one opening of a page; the guards have let the request in."""
        header = request.headers.get("authorization", "").encode("latin-1")
        address = "" if request.client is None else request.client.host
        proof = proof_in(header, address)
        assert proof is not None, "the guards let nobody in without"
        cookies = cookies_in(request.headers.get("cookie", ""))
        pins = tuple(pins_in(cookies.get(PINS, "")))
        look = Look(_zone(cookies.get(ZONE, "")), cookies.get(THEME), pins)
        desk = Desk(self, request.state.identity, proof, look, _path(request))
        desk.answered = answered(request)
        return desk


@dataclass(frozen=True, slots=True)
class Look:
    """How a browser wants things shown."""

    time_zone: str | None
    theme: str | None
    pins: tuple[Pin, ...] = ()


@dataclass(slots=True)
class Desk:
    """Lives as long as its page is open."""

    desks: Desks
    identity: Identity
    proof: Proof
    look: Look
    path: str = "/"
    """Where its page is, behind the prefix of Studio."""
    asked: list[str] = field(default_factory=list)
    """What the page asked, for Show SQL; each statement once, in the order of first use."""
    answered: asyncio.Event = field(default_factory=was_answered)
    """Set when its page was sent."""
    shut: bool = False
    """Its token was refused, which is for good: each further try would count as one to get in."""

    @property
    def service(self) -> Service:
        """The service behind Studio."""
        return self.desks.service

    @property
    def workspace(self) -> str:
        """The workspace of the pages."""
        return self.service.lake.config.workspace

    @property
    def now(self) -> datetime:
        """The present, in the zone in which statements of this desk show moments."""
        zone = self.look.time_zone or self.service.lake.config.time_zone
        return datetime.now(zone_of(zone)).replace(tzinfo=None)

    async def rows_if_allowed(self, statement: str) -> list[dict[str, Any]]:
        """The same, or none for a user who may not ask that."""
        try:
            return await self.rows(statement)
        except UserError as error:
            if error.condition != "ACCESS_DENIED":
                raise
            return []

    async def rows(self, statement: str) -> list[dict[str, Any]]:
        """The rows of one statement that shows something."""
        return (await self.ask(statement)).to_dicts()

    async def row(self, statement: str) -> Mapping[str, Any]:
        """The properties that a DESC gives, as one row: its first column names them."""
        result = await self.ask(statement)
        return {str(row[0]): row[1] for row in result.rows}

    async def ask(self, statement: str, *, lake_zone: bool = False) -> Result:
        """Run what a page shows; it is listed under Show SQL."""
        if statement not in self.asked:
            self.asked.append(statement)
            del self.asked[:-_MOST_SHOWN]
        if not statement.startswith(_SHARED):
            return await self.act(statement, lake_zone=lake_zone)
        identity = await run_in_threadpool(self._identity_now)
        key = (identity, self.look.time_zone, lake_zone, statement)
        return await self.desks.answers.of(
            key, lambda: self._result(statement, lake_zone=lake_zone)
        )

    async def act(
        self,
        statement: str,
        *,
        session: str | None = None,
        exchange: Path | None = None,
        lake_zone: bool = False,
    ) -> Result:
        """Run one statement, or the last result of a script; raises what is wrong with it.

        PUT and GET need an exchange: the folder of this machine that they may reach. In the zone
        of the lake, a refresh by a button is as incremental as one by the schedule.
        """
        try:
            return await self._result(
                statement, session=session, exchange=exchange, lake_zone=lake_zone
            )
        finally:
            self.desks.answers.forget()

    async def _result(
        self,
        statement: str,
        *,
        session: str | None = None,
        exchange: Path | None = None,
        lake_zone: bool = False,
    ) -> Result:
        begun = await self.begin(statement, session=session, exchange=exchange, lake_zone=lake_zone)
        ended = await self.ended(begun)
        if ended.error is not None:
            raise ended.error
        ended.fetched = True
        return ended.results[-1] if ended.results else Result()

    async def begin(
        self,
        script: str,
        *,
        session: str | None = None,
        exchange: Path | None = None,
        lake_zone: bool = False,
    ) -> Statement:
        """Take a script on, to be followed while it runs."""
        identity = await run_in_threadpool(self._identity_now)
        zone = None if lake_zone else self.look.time_zone
        return await run_in_threadpool(
            self.service.submit,
            identity,
            script,
            session=session,
            time_zone=zone,
            exchange=exchange,
        )

    async def open_session(self) -> str:
        """A session of the user's that lasts until it is closed, or idle for too long."""
        identity = await run_in_threadpool(self._identity_now)
        opened = self.service.sessions.open
        zone = self.look.time_zone
        return (await run_in_threadpool(lambda: opened(identity, time_zone=zone))).id

    async def close_session(self, session: str) -> None:
        """Give it back; one that is gone is as good as closed."""
        with suppress(HeadwaterError):
            await run_in_threadpool(self.service.sessions.close, session, self.identity)

    async def ended(self, statement: Statement) -> Statement:
        """Wait until a statement has ended."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(ended.set)

        statement.when_ended(tell)
        await ended.wait()
        return statement

    def _identity_now(self) -> Identity:
        found = None if self.shut else self.desks.authenticator.authenticate(self.proof)
        if found is None:
            self.shut = True
            raise UserError("UNAUTHENTICATED")
        return found


def _path(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return (request.url.path.removeprefix(PREFIX) or "/") + query


def _zone(name: str) -> str | None:
    """A zone that a browser named; None for one that is unknown here."""
    try:
        zone_of(name)
    except ValueError:
        return None
    return name
