"""A task runs with its owner's rights, so only the owner and admins say what it runs."""

from __future__ import annotations

import pytest
from tests.unit.access.conftest import As

import headwater
from headwater.errors import UserError
from headwater.sql.roles import Role

CREATE = "CREATE TASK k SCHEDULE (EVERY MINUTE) AS SHOW SCHEMAS"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE TASK k SCHEDULE (EVERY MINUTE) AS DROP SCHEMA public",
        "ALTER TASK k SET RETRY NEVER",
        "SUBMIT TASK k",
        "DROP TASK k",
    ],
)
def test_another_developer_cannot_change_it(
    lake: headwater.Connection, session_of: As, text: str
) -> None:
    lake.sql(CREATE.replace("CREATE TASK", "CREATE TASK IF NOT EXISTS"))
    with pytest.raises(UserError) as caught:
        session_of("ann", Role.DEVELOPER).run(text)
    assert caught.value.condition == "ACCESS_DENIED"
    assert "OWNERSHIP on task" in caught.value.message


def test_its_owner_can(lake: headwater.Connection, session_of: As) -> None:
    own = session_of("ann", Role.DEVELOPER)
    for text in (
        CREATE.replace("TASK k", "TASK anns"),
        "ALTER TASK anns SET RETRY NEVER",
        "SUBMIT TASK anns",
        "ALTER TASK anns OFFLINE",
        "DROP TASK anns",
    ):
        own.run(text)


def test_an_operator_pauses_what_is_not_its_own(lake: headwater.Connection, session_of: As) -> None:
    lake.sql(CREATE.replace("TASK k", "TASK watched"))
    lake.sql("SUBMIT TASK watched")
    session_of("ann", Role.OPERATOR).run("ALTER TASK watched PAUSE")
    states = {row["name"]: row["state"] for row in lake.sql("SHOW TASKS").to_dicts()}
    assert states["watched"] == "PAUSED"
