"""The decision against a slow one that says the same in other words, on made-up grants."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from headwater.access.decide import (
    Allowed,
    NeedsPrivilege,
    NeedsRole,
    Requirement,
    Wanted,
    decide,
    may_see,
)
from headwater.access.grants import Grant, Identity, Secured
from headwater.sql.grants import GranteeKind
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role

AT = datetime(2026, 11, 16, tzinfo=UTC)
USERS = ("ann", "bob", "eve")
SCHEMAS = ("s1", "s2")
OBJECTS = tuple(
    Secured(kind, f"{kind.lower()}-{schema}", owner, kind, "x", schema, schema_owner)
    for kind in (Securable.TABLE, Securable.VOLUME)
    for schema, schema_owner, owner in (("s1", "bob", "eve"), ("s2", "eve", "bob"))
)
SCHEMA_OBJECTS = (
    Secured(Securable.SCHEMA, "s1", "bob", "SCHEMA", "s1"),
    Secured(Securable.SCHEMA, "s2", "eve", "SCHEMA", "s2"),
)
ALL = (*OBJECTS, *SCHEMA_OBJECTS)

grants = st.builds(
    lambda user, role, privilege, secured, option: Grant(
        GranteeKind.USER if role is None else GranteeKind.ROLE,
        user if role is None else role,
        privilege,
        secured.kind,
        secured.id,
        "admin",
        AT,
        secured.schema_id,
        option,
    ),
    st.sampled_from(USERS),
    st.none() | st.sampled_from(list(Role)),
    st.sampled_from(list(Privilege)),
    st.sampled_from(ALL),
    st.booleans(),
)
identities = st.builds(Identity, st.sampled_from(USERS), st.sampled_from(list(Role)))
wishes = st.builds(
    Wanted, st.sampled_from(list(Privilege)), st.sampled_from(ALL), to_grant=st.booleans()
)


def oracle(identity: Identity, wanted: Wanted, given: list[Grant]) -> bool:
    """Every reason to say yes, one after the other."""
    if identity.role == "admin":
        return True
    secured = wanted.on
    reasons = []
    for grant in given:
        if grant.grantee_kind == "USER" and grant.grantee != identity.user:
            continue
        if grant.grantee_kind == "ROLE":
            order = ["viewer", "operator", "developer", "admin"]
            if order.index(grant.grantee) > order.index(identity.role):
                continue
        on_it = (grant.kind, grant.object_id) == (secured.kind, secured.id)
        on_schema = grant.kind == "SCHEMA" and grant.object_id == secured.schema_id
        inside = secured.kind == "SCHEMA" and grant.schema_id == secured.id
        reasons.append((grant, on_it or on_schema, inside))
    if secured.owner == identity.user or secured.schema_owner == identity.user:
        return True
    if any(g.privilege == "OWNERSHIP" and reaches for g, reaches, _ in reasons):
        return True
    if wanted.to_grant:
        same = [g for g, reaches, _ in reasons if reaches and g.privilege == wanted.privilege]
        return any(g.with_option for g in same)
    if any(g.privilege == wanted.privilege and reaches for g, reaches, _ in reasons):
        return True
    if wanted.privilege == "MONITOR" and any(reaches or inside for _, reaches, inside in reasons):
        return True
    return wanted.privilege in ("MONITOR", "OPERATE") and identity.role in (
        "operator",
        "developer",
    )


@given(identities, wishes, st.lists(grants, max_size=6))
def test_the_decision_is_that_of_the_slow_one(
    identity: Identity, wanted: Wanted, given: list[Grant]
) -> None:
    answer = decide(identity, Requirement(wanted=(wanted,)), given)
    assert isinstance(answer, Allowed) == oracle(identity, wanted, given)


@given(identities, wishes, st.lists(grants, max_size=6), grants)
def test_a_grant_never_takes_anything_away(
    identity: Identity, wanted: Wanted, given: list[Grant], more: Grant
) -> None:
    requirement = Requirement(wanted=(wanted,))
    if isinstance(decide(identity, requirement, given), Allowed):
        assert isinstance(decide(identity, requirement, [*given, more]), Allowed)


@given(identities, wishes, st.lists(grants, max_size=6), st.sampled_from(list(Role)))
def test_a_cap_never_gives_anything(
    identity: Identity, wanted: Wanted, given: list[Grant], cap: Role
) -> None:
    capped = Identity(identity.user, identity.role.capped(cap))
    requirement = Requirement(wanted=(wanted,))
    if isinstance(decide(capped, requirement, given), Allowed):
        assert isinstance(decide(identity, requirement, given), Allowed)
    assert cap.covers(capped.role)
    assert identity.role.covers(capped.role)


@given(identities, st.sampled_from(list(Role)), wishes, st.lists(grants, max_size=6))
def test_no_grant_lifts_anybody_above_their_role(
    identity: Identity, role: Role, wanted: Wanted, given: list[Grant]
) -> None:
    answer = decide(identity, Requirement(role, (wanted,)), given)
    if not identity.role.covers(role):
        assert answer == NeedsRole(role)


@given(identities, wishes, st.lists(grants, max_size=6))
def test_what_is_refused_is_hidden_only_from_who_may_not_see_it(
    identity: Identity, wanted: Wanted, given: list[Grant]
) -> None:
    answer = decide(identity, Requirement(wanted=(wanted,)), given)
    if isinstance(answer, NeedsPrivilege):
        assert answer.hidden != may_see(identity, wanted.on, given)


def test_roles_are_ordered() -> None:
    assert list(Role) == list(Role.ADMIN.covered)
    for lower, higher in zip(Role, list(Role)[1:], strict=False):
        assert higher.covers(lower)
        assert not lower.covers(higher)
