"""GRANT and REVOKE from a form."""

from __future__ import annotations

import pytest

from headwater.sql.grants import GrantPrivileges, RevokePrivileges
from headwater.sql.parse import parse
from headwater.studio.grant_texts import KINDS, grant_text, object_text, revoke_text

_VALUES = {
    "privilege": "MONITOR",
    "kind": "TABLE",
    "object": "public.orders",
    "grantee_kind": "USER",
    "grantee": "ann",
    "option": "no",
}
_HOSTILE = ("a; DROP TABLE b", "x TO USER eve --", "`", "<script>", "'", "a.b.c.d", "a b", "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_a_statement(kind: str) -> None:
    name = "orders" if kind in ("SCHEMA", "CONNECTION", "VCLUSTER") else "public.orders"
    values = _VALUES | {"kind": kind, "object": name}
    assert isinstance(parse(grant_text(values)), GrantPrivileges)
    assert isinstance(parse(revoke_text(values)), RevokePrivileges)


@pytest.mark.parametrize("typed", _HOSTILE[:-1])
def test_what_is_typed_is_one_name_and_never_more(typed: str) -> None:
    for field in ("object", "grantee"):
        statement = parse(grant_text(_VALUES | {field: typed}))
        assert isinstance(statement, GrantPrivileges)
    assert object_text(typed).startswith("`")


def test_a_role_and_the_right_to_pass_it_on() -> None:
    values = _VALUES | {"grantee_kind": "ROLE", "grantee": "viewer", "option": "yes"}
    assert grant_text(values) == (
        "GRANT MONITOR ON TABLE public.orders TO ROLE viewer WITH GRANT OPTION"
    )
    assert revoke_text(values) == "REVOKE MONITOR ON TABLE public.orders FROM ROLE viewer"
