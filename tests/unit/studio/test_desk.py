"""The desk of a page whose token is refused."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.errors import UserError
from headwater.service.identity import Identity, Proof
from headwater.sql.roles import Role
from headwater.studio.desk import Desk, Look


@dataclass
class Refusing:
    """Lets nobody in, and notes who tried."""

    tried: list[Proof] = field(default_factory=list)

    def authenticate(self, proof: Proof) -> Identity | None:
        self.tried.append(proof)
        return None


def test_a_page_left_open_tries_a_refused_token_once() -> None:
    # Each try is in the audit, and counts against the address of all who sit behind it.
    door = Refusing()
    desks: Any = SimpleNamespace(authenticator=door)
    desk = Desk(desks, Identity("ann", Role.VIEWER), Proof("hw_x", None, "h"), Look(None, None))
    for _ in range(3):
        with pytest.raises(UserError) as caught:
            asyncio.run(desk.open_session())
        assert caught.value.condition == "UNAUTHENTICATED"
    assert len(door.tried) == 1
