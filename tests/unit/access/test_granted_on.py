"""REVOKE .. CASCADE: what was granted on falls with what it was granted by."""

from __future__ import annotations

import pytest
from tests.unit.access.conftest import As
from tests.unit.access.test_authorize import refused

import headwater
from headwater.session import Session
from headwater.sql.roles import Role

GIVE = "GRANT SELECT ON TABLE t TO USER {} WITH GRANT OPTION"


@pytest.fixture
def ann(session_of: As) -> Session:
    return session_of("ann", Role.VIEWER)


@pytest.fixture
def zoe(session_of: As) -> Session:
    return session_of("zoe", Role.VIEWER)


def holders(lake: headwater.Connection) -> set[tuple[str, str]]:
    found = lake.sql("SHOW GRANTS").to_dicts()
    return {(row["privilege"], row["grantee_name"]) for row in found}


def test_what_was_granted_on_stays_without_cascade(
    lake: headwater.Connection, ann: Session
) -> None:
    lake.sql(GIVE.format("ann"))
    ann.run(GIVE.format("zoe"))
    lake.sql("REVOKE SELECT ON TABLE t FROM USER ann")
    assert holders(lake) == {("SELECT", "zoe")}
    done = lake.sql("REVOKE SELECT ON TABLE t FROM USER ann CASCADE")
    assert done.message.endswith("from USER ann, and 1 that were granted on")
    assert holders(lake) == set()


def test_a_whole_line_of_grants_falls_with_its_first(
    lake: headwater.Connection, ann: Session, zoe: Session
) -> None:
    lake.sql(GIVE.format("ann"))
    ann.run(GIVE.format("zoe"))
    zoe.run("GRANT SELECT ON TABLE t TO ROLE developer")
    # Who gives in a circle does not keep itself alive.
    zoe.run(GIVE.format("ann"))
    lake.sql("GRANT INSERT ON TABLE t TO USER zoe")
    lake.sql("REVOKE SELECT ON TABLE t FROM USER ann CASCADE")
    assert holders(lake) == {("INSERT", "zoe")}
    assert refused(zoe, "SELECT * FROM t").condition == "ACCESS_DENIED"


def test_what_its_grantor_may_still_grant_stays(lake: headwater.Connection, ann: Session) -> None:
    """By a role, or by the schema; and what an owner granted never falls."""
    lake.sql(GIVE.format("ann"))
    lake.sql("GRANT SELECT ON SCHEMA public TO ROLE viewer WITH GRANT OPTION")
    lake.sql("GRANT SELECT ON TABLE t TO ROLE operator")
    ann.run("GRANT SELECT ON TABLE t TO USER zoe")
    lake.sql("REVOKE SELECT ON TABLE t FROM USER ann CASCADE")
    assert holders(lake) == {("SELECT", "zoe"), ("SELECT", "viewer"), ("SELECT", "operator")}
    lake.sql("REVOKE SELECT ON SCHEMA public FROM ROLE viewer CASCADE")
    assert ("SELECT", "zoe") in holders(lake)
    lake.sql("REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM USER ann CASCADE")
    assert holders(lake) == {("SELECT", "operator")}


def test_who_may_not_grant_may_not_cascade(lake: headwater.Connection, ann: Session) -> None:
    lake.sql("GRANT SELECT ON TABLE t TO USER ann; GRANT SELECT ON TABLE t TO USER zoe")
    text = "REVOKE SELECT ON TABLE t FROM USER zoe CASCADE"
    assert refused(ann, text).condition == "ACCESS_DENIED"
    assert ("SELECT", "zoe") in holders(lake)
