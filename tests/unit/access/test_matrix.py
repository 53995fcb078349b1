"""Every role and every statement, with and without what the statement needs: one table says which
pairs are allowed, and real sessions on a lake whose Spark never starts agree."""

from __future__ import annotations

import pytest
from tests.unit.access.conftest import As
from tests.unit.access.matrix import MATRIX, Line, Role

import headwater
from headwater.access.decide import Allowed, Requirement, decide
from headwater.access.grants import Identity
from headwater.access.reads import reads_of
from headwater.access.requirements import REQUIREMENTS
from headwater.errors import UserError
from headwater.session import Session
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize
from headwater.statements.authorize import authorize
from headwater.statements.context import Context
from headwater.statements.dispatch import HANDLERS, execute_relation

HIDDEN = {
    "TABLE_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "VOLUME_NOT_FOUND",
    "PIPE_NOT_FOUND",
    "FUNCTION_NOT_FOUND",
    "CONNECTION_NOT_FOUND",
    "VCLUSTER_NOT_FOUND",
    "JOB_NOT_FOUND",
}


def test_every_statement_has_a_rule_and_a_line() -> None:
    assert set(REQUIREMENTS) == set(HANDLERS)
    assert {type(parse(line.text)) for line in MATRIX} == set(HANDLERS)


def test_no_line_stands_twice() -> None:
    assert len({line.text for line in MATRIX}) == len(MATRIX)


@pytest.mark.parametrize("line", MATRIX, ids=lambda line: line.text[:60])
def test_the_rule_alone_asks_for_the_role_that_the_table_says(line: Line) -> None:
    statement = parse(line.text)
    rule = REQUIREMENTS[type(statement)]
    roles = [rule.role_of(statement, "ann")]
    roles += [reads_of(reading.text).role for reading in rule.reads(statement)]
    lowest = max(roles, key=lambda role: role.rank)
    # Jobs of others are an operator's by OPERATE and MONITOR, which nobody can be granted.
    expected = Role.VIEWER if "of-tester" in line.text else line.role
    assert lowest is expected
    for role in Role:
        answer = decide(Identity("ann", role), Requirement(lowest), ())
        assert isinstance(answer, Allowed) == role.covers(expected)


def may(session: Session, text: str) -> bool:
    """The answer, before anything is carried out."""
    tokens = tokenize(text)
    context = Context(session.state, "the-job", text, tokens, execute_relation)
    try:
        authorize(context, parse(text, tokens))
    except UserError as error:
        if error.condition not in HIDDEN | {"ACCESS_DENIED"}:
            raise
        return False
    return True


@pytest.mark.parametrize("line", MATRIX, ids=lambda line: line.text[:60])
def test_every_role_may_type_what_the_table_says(
    lake: headwater.Connection, session_of: As, line: Line
) -> None:
    kinds = [line.needs[:place] + line.needs[place + 1 :] for place in range(len(line.needs))]
    for granted in dict.fromkeys(((), line.needs, *kinds)):
        for need in granted:
            _give(lake, need)
        for role in Role:
            expected = line.allowed(role, granted)
            assert may(session_of("ann", role), line.text) == expected, (role, granted)
        with lake.session.lake.store.begin() as connection:
            connection.exec_driver_sql("DELETE FROM grants")


def _give(lake: headwater.Connection, need: str) -> None:
    lake.sql(f"GRANT {need} TO USER ann")


@pytest.mark.parametrize("line", MATRIX, ids=lambda line: line.text[:60])
def test_a_session_refuses_what_the_table_refuses_without_spark(
    lake: headwater.Connection, session_of: As, line: Line
) -> None:
    for role in Role:
        if line.allowed(role, ()):
            continue
        with pytest.raises(UserError) as caught:
            session_of("ann", role).run(line.text)
        assert caught.value.condition == "ACCESS_DENIED" or caught.value.condition in HIDDEN
        assert caught.value.sqlstate == "42501" or caught.value.condition in HIDDEN
        if role is not Role.VIEWER:
            assert caught.value.condition == "ACCESS_DENIED" or "gone" in line.text
        job = lake.session.lake.store.jobs.list(limit=1)[0]
        assert (job.state.value, job.creator) == ("FAILED", "ann")
    assert not lake.session.lake.engine.started
