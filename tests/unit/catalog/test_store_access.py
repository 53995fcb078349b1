"""Users, tokens, grants, owners and the audit in the store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    a_connection,
    a_schema,
    a_table,
    at,
    fresh_id,
)

from headwater.access.grants import Grant, Identity
from headwater.access.users import AuditEvent, AuditKind, Token, User
from headwater.catalog.objects import TableState
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.grants import Grantee, GranteeKind
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role

P = Privilege


def a_user(name: str = "ann", role: Role = Role.VIEWER) -> User:
    return User(fresh_id("user"), name, "$argon2id$..", role, START, comment="x")


def a_token(name: str = "laptop", user: str = "ann") -> Token:
    token_id = fresh_id("token")
    return Token(token_id, name, user, "hash", START, Role.VIEWER, expires_at=at(60))


def a_grant(privilege: Privilege, table_id: str, to: str = "ann", **changes: object) -> Grant:
    grant = Grant(GranteeKind.USER, to, privilege, Securable.TABLE, table_id, "bob", START)
    return replace(grant, **changes)  # type: ignore[arg-type]


def the_condition(error: pytest.ExceptionInfo[UserError]) -> str:
    return error.value.condition


def with_table(store: Store) -> str:
    store.workspaces.ensure(WORKSPACE)
    store.schemas.create(a_schema(creator="sue"))
    table = a_table(creator="tom", state=TableState.ACTIVE)
    store.tables.insert_active(table)
    return table.id


def test_a_user_is_kept_as_it_is(store: Store) -> None:
    user = a_user()
    store.users.create(user)
    assert store.users.get("ann") == user
    with pytest.raises(UserError) as caught:
        store.users.create(a_user())
    assert the_condition(caught) == "USER_ALREADY_EXISTS"
    store.users.update(replace(user, role=Role.DEVELOPER, disabled=True, comment=None))
    assert store.users.list() == [replace(user, role=Role.DEVELOPER, disabled=True, comment=None)]


def test_a_dropped_user_stays_known_and_loses_tokens_and_grants(store: Store) -> None:
    user, token = a_user(), a_token()
    store.users.create(user)
    store.tokens.create(token)
    table = with_table(store)
    store.grants.give([a_grant(P.SELECT, table), a_grant(P.OWNERSHIP, table)])
    store.users.drop(user, at(5))
    assert store.users.get("ann") is None
    assert store.users.latest("ann") == replace(user, dropped_at=at(5))
    assert store.users.latest("nobody") is None
    assert store.tokens.list() == []
    known = store.tokens.by_id(token.id)
    assert known is not None
    assert not known.works(at(6))
    # It still owns what it owned, so that nobody else silently does.
    assert [grant.privilege for grant in store.grants.list()] == [P.OWNERSHIP]
    again = a_user()
    store.users.create(again)
    assert store.users.latest("ann") == again


def test_the_last_admin_stays_one(store: Store) -> None:
    admin, other = a_user("admin", Role.ADMIN), a_user("other", Role.ADMIN)
    store.users.create(admin)
    store.users.create(a_user())
    for change in (replace(admin, role=Role.VIEWER), replace(admin, disabled=True)):
        with pytest.raises(UserError) as caught:
            store.users.update(change)
        assert the_condition(caught) == "USER_IS_LAST_ADMIN"
    with pytest.raises(UserError) as caught:
        store.users.drop(admin, START)
    assert the_condition(caught) == "USER_IS_LAST_ADMIN"
    assert store.users.get("admin") == admin
    store.users.create(other)
    store.users.drop(admin, START)
    assert [user.name for user in store.users.list()] == ["ann", "other"]


def test_where_nobody_is_an_admin_users_still_change(store: Store) -> None:
    user = a_user()
    store.users.create(user)
    store.users.update(replace(user, password_hash="other"))
    store.users.drop(user, START)


def test_a_token_is_found_used_and_revoked(store: Store) -> None:
    token = a_token()
    with pytest.raises(UserError) as caught:
        store.tokens.create(token)
    assert the_condition(caught) == "USER_NOT_FOUND"
    store.users.create(a_user())
    store.tokens.create(token)
    assert store.tokens.by_id(token.id) == token
    with pytest.raises(UserError) as caught:
        store.tokens.create(a_token())
    assert the_condition(caught) == "TOKEN_ALREADY_EXISTS"
    store.tokens.used(token.id, at(3))
    assert store.tokens.list("ann") == [replace(token, last_used_at=at(3))]
    assert store.tokens.list("bob") == []
    store.tokens.revoke("ann", "laptop", at(4))
    assert store.tokens.list() == []
    with pytest.raises(UserError) as caught:
        store.tokens.revoke("ann", "laptop", at(4))
    assert the_condition(caught) == "TOKEN_NOT_FOUND"
    store.tokens.create(a_token())


def test_a_token_works_until_it_expires(store: Store) -> None:
    token = a_token()
    assert token.works(at(59))
    assert not token.works(at(60))


def test_a_grant_is_given_once_and_found_by_user_and_role(store: Store) -> None:
    table = with_table(store)
    mine = a_grant(P.SELECT, table)
    viewers = a_grant(P.MONITOR, table, "viewer", grantee_kind=GranteeKind.ROLE)
    developers = a_grant(P.INSERT, table, "developer", grantee_kind=GranteeKind.ROLE)
    store.grants.give([mine, viewers, developers])
    store.grants.give([replace(mine, with_option=True)])
    assert len(store.grants.list()) == 3
    found = store.grants.of(Identity("ann", Role.OPERATOR))
    assert {grant.privilege for grant in found} == {P.SELECT, P.MONITOR}
    assert next(grant for grant in found if grant.privilege is P.SELECT).with_option
    ann = Grantee(GranteeKind.USER, "ann")
    assert store.grants.take(ann, [P.SELECT, P.UPDATE], Securable.TABLE, table) == 1
    assert store.grants.take(ann, [P.SELECT], Securable.TABLE, table) == 0


def test_an_object_has_one_owner(store: Store) -> None:
    table = with_table(store)
    name = QualifiedName(WORKSPACE, "public", "orders")

    def owners() -> tuple[str, str | None]:
        found = store.securables.find(Securable.TABLE, name)
        assert found is not None
        return found.owner, found.schema_owner

    assert owners() == ("tom", "sue")
    store.grants.give([a_grant(P.OWNERSHIP, table)])
    assert owners() == ("ann", "sue")
    store.grants.give([a_grant(P.OWNERSHIP, table, "bob")])
    assert owners() == ("bob", "sue")
    schema = store.securables.find(Securable.SCHEMA, QualifiedName(WORKSPACE, "public", ""))
    assert schema is not None
    given = a_grant(P.OWNERSHIP, schema.id, "zoe", kind=Securable.SCHEMA)
    store.grants.give([given])
    assert owners() == ("bob", "zoe")


def test_grants_follow_a_rename_and_go_with_their_object(store: Store) -> None:
    table = with_table(store)
    store.grants.give([a_grant(P.SELECT, table)])
    known = store.tables.get(WORKSPACE, "public", "orders")
    assert known is not None
    other = store.securables.find(Securable.TABLE, QualifiedName(WORKSPACE, "public", "nope"))
    assert other is None
    assert store.grants.sweep() == 0
    store.grants.give([a_grant(P.SELECT, "gone-for-good")])
    assert store.grants.sweep() == 1
    assert [grant.object_id for grant in store.grants.list()] == [table]


def test_every_kind_of_object_is_found_and_listed(store: Store) -> None:
    with_table(store)
    store.connections.create(a_connection(name="c"))
    store.vclusters.ensure_built_in(WORKSPACE)
    here = {"c": Securable.CONNECTION, "DEFAULT": Securable.VCLUSTER}
    for name, kind in here.items():
        found = store.securables.find(kind, QualifiedName(WORKSPACE, "", name))
        assert found is not None
        assert found.name in [secured.name for secured in store.securables.list(kind, WORKSPACE)]
        assert found.free_use == (kind is Securable.VCLUSTER)
    for kind in Securable:
        assert store.securables.find(kind, QualifiedName(WORKSPACE, "no", "no")) is None
        if kind is not Securable.JOB:
            assert store.securables.list(kind, "elsewhere") == []


def test_the_audit_gives_back_what_it_was_told_newest_first(store: Store) -> None:
    events = [
        AuditEvent(at(1), "ann", AuditKind.LOGIN, address="127.0.0.1"),
        AuditEvent(at(2), "ann", AuditKind.DDL, "t", "DROP TABLE t", "job", ok=False),
    ]
    for event in events:
        store.audit.add(event)
    assert store.audit.list() == events[::-1]
    assert store.audit.list(limit=1) == events[1:]
