"""Logging in by password and by token, on a store of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.catalog.samples import FakeClock

from headwater.access.grants import Identity
from headwater.access.users import AuditKind, Token, User
from headwater.access_login import Logins, first_admin_token
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.runtime import credentials
from headwater.runtime.credentials import check_password, hash_password, new_token
from headwater.sql.roles import Role

HERE = "127.0.0.1"
PASSWORD = "correct horse"
# Taken before the tests begin, which have a cheap one.
HASHER_OF_A_LAKE = credentials._hasher


@pytest.fixture
def door() -> tuple[Logins, Store, FakeClock]:
    store, clock = emptied_store()
    kept = hash_password(PASSWORD)
    store.users.create(User("id-ann", "ann", kept, Role.DEVELOPER, clock()))
    return Logins(store, clock), store, clock


def condition_of(logins: Logins, name: str, password: str, address: str = HERE) -> str:
    with pytest.raises(UserError) as caught:
        logins.with_password(name, password, address=address)
    assert password not in str(caught.value)
    return caught.value.condition


def token_of(store: Store, clock: FakeClock, **changes: object) -> str:
    made = new_token()
    token = Token(made.id, made.id, "ann", made.secret_hash, clock())
    store.tokens.create(replace(token, **changes))  # type: ignore[arg-type]
    return made.text


def test_a_password_is_kept_as_argon2id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_hasher", HASHER_OF_A_LAKE)
    kept = hash_password(PASSWORD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert check_password(PASSWORD, kept)


def test_a_password_is_kept_each_time_differently() -> None:
    kept = hash_password(PASSWORD)
    assert hash_password(PASSWORD) != kept
    assert check_password(PASSWORD, kept)
    assert not check_password(PASSWORD + "x", kept)
    assert not check_password(PASSWORD, "no hash")


def test_the_right_password_gives_the_role(door: tuple[Logins, Store, FakeClock]) -> None:
    logins, store, _ = door
    identity = logins.with_password("Ann", PASSWORD, address=HERE)
    assert identity == Identity("ann", Role.DEVELOPER)
    line = store.audit.list()[0]
    assert (line.kind, line.user, line.ok, line.address) == (AuditKind.LOGIN, "ann", True, HERE)


def test_a_wrong_name_and_a_wrong_password_look_the_same(
    door: tuple[Logins, Store, FakeClock],
) -> None:
    logins, store, _ = door
    assert condition_of(logins, "ann", "wrong horse") == "LOGIN_FAILED"
    assert condition_of(logins, "nobody", "wrong horse") == "LOGIN_FAILED"
    kinds = {(line.kind, line.user, line.ok) for line in store.audit.list()}
    assert kinds == {(AuditKind.LOGIN_FAILED, name, False) for name in ("ann", "nobody")}


def test_who_is_disabled_or_dropped_stays_outside(door: tuple[Logins, Store, FakeClock]) -> None:
    logins, store, clock = door
    token = token_of(store, clock)
    user = store.users.get("ann")
    assert user is not None
    store.users.update(replace(user, disabled=True))
    assert condition_of(logins, "ann", PASSWORD) == "LOGIN_FAILED"
    with pytest.raises(UserError):
        logins.with_token(token, address=HERE)
    store.users.drop(user, clock())
    assert condition_of(logins, "ann", PASSWORD) == "LOGIN_FAILED"


def test_who_fails_too_often_waits_even_with_the_right_password(
    door: tuple[Logins, Store, FakeClock],
) -> None:
    logins, _, clock = door
    for number in range(5):
        assert condition_of(logins, "ann", "wrong horse", f"10.0.0.{number}") == "LOGIN_FAILED"
    assert condition_of(logins, "ann", PASSWORD, "10.0.0.9") == "LOGIN_TOO_OFTEN"
    clock.advance(12)
    assert logins.with_password("ann", PASSWORD, address="10.0.0.9").user == "ann"
    # Who has shown who it is starts anew.
    assert condition_of(logins, "ann", "wrong horse") == "LOGIN_FAILED"


def test_an_address_that_tries_many_names_waits(
    door: tuple[Logins, Store, FakeClock], monkeypatch: pytest.MonkeyPatch
) -> None:
    logins, _, _ = door
    # What is counted here is tries, not the time that each takes.
    monkeypatch.setattr("headwater.access_login.check_password", lambda *_: False)
    found = [condition_of(logins, f"user{number}", "wrong horse") for number in range(21)]
    assert found == ["LOGIN_FAILED"] * 20 + ["LOGIN_TOO_OFTEN"]
    assert condition_of(logins, "user99", "wrong horse", "10.0.0.1") == "LOGIN_FAILED"


@pytest.mark.parametrize(
    ("cap", "role"),
    [(None, Role.DEVELOPER), (Role.VIEWER, Role.VIEWER), (Role.ADMIN, Role.DEVELOPER)],
)
def test_a_token_gives_the_lesser_role(
    door: tuple[Logins, Store, FakeClock], cap: Role | None, role: Role
) -> None:
    logins, store, clock = door
    text = token_of(store, clock, cap=cap)
    assert logins.with_token(text, address=HERE) == Identity("ann", role)


def test_a_token_that_is_wrong_expired_or_revoked_gives_nothing(
    door: tuple[Logins, Store, FakeClock],
) -> None:
    logins, store, clock = door
    right = token_of(store, clock, name="t", expires_at=clock() + timedelta(seconds=60))
    other = new_token().text
    wrong = [right[:-1] + ("A" if right[-1] != "A" else "B"), right[:20] + other[20:], other]
    for text in (*wrong, "", "hw_", "hw_x_y", "Bearer x", right + "\n", "\N{BULLET}" * 40):
        with pytest.raises(UserError) as caught:
            logins.with_token(text, address=HERE)
        assert caught.value.condition == "LOGIN_FAILED"
    assert logins.with_token(right, address=HERE).user == "ann"
    clock.advance(60)
    with pytest.raises(UserError):
        logins.with_token(right, address=HERE)
    kept = token_of(store, clock, name="k")
    store.tokens.revoke("ann", "k", clock())
    with pytest.raises(UserError):
        logins.with_token(kept, address=HERE)


def test_guessing_tokens_is_slowed_down_by_address(door: tuple[Logins, Store, FakeClock]) -> None:
    logins, store, clock = door
    right = token_of(store, clock)
    for _ in range(20):
        with pytest.raises(UserError):
            logins.with_token(new_token().text, address="10.0.0.1")
    with pytest.raises(UserError) as caught:
        logins.with_token(new_token().text, address="10.0.0.1")
    assert caught.value.condition == "LOGIN_TOO_OFTEN"
    # Others behind the same address are not kept out by it.
    assert logins.with_token(right, address="10.0.0.1").user == "ann"
    assert logins.with_password("ann", PASSWORD, address="10.0.0.1").user == "ann"


def test_the_use_of_a_token_is_noted_now_and_then(door: tuple[Logins, Store, FakeClock]) -> None:
    logins, store, clock = door
    text = token_of(store, clock)
    for _ in range(3):
        logins.with_token(text, address=HERE)
        clock.advance(20)
    token = store.tokens.list()[0]
    assert token.last_used_at == clock() - timedelta(seconds=60)
    assert len(store.audit.list()) == 1


def test_a_lake_without_users_gets_one_admin_token(door: tuple[Logins, Store, FakeClock]) -> None:
    logins, store, clock = door
    assert first_admin_token(store, at=clock()) is None
    user = store.users.get("ann")
    assert user is not None
    store.users.drop(user, clock())
    text = first_admin_token(store, at=clock())
    assert text is not None
    assert logins.with_token(text, address=HERE) == Identity("admin", Role.ADMIN)
    assert first_admin_token(store, at=clock()) is None
    assert text.split("_", 2)[2] not in repr(store.tokens.list())
