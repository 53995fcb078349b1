"""`SET cz.sql.compaction.after.commit`: after which statements an OPTIMIZE follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.upkeep.conftest import Clock, hand_made

import headwater
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize
from headwater.statements.compaction_after import SETTING, compaction_after
from headwater.statements.context import Context
from headwater.statements.dispatch import execute_relation

OPTIMIZE = "OPTIMIZE `headwater`.`public`.`t`"


@pytest.fixture
def after(lake: headwater.Connection, clock: Clock) -> Callable[..., str | None]:
    """What follows a statement, in a session that asks for it, over a table of two small files."""
    hand_made(lake, clock).commit(None, None)
    lake.sql(f"SET {SETTING} = true")

    def follows(text: str, cluster: str = "DEFAULT") -> str | None:
        tokens = tokenize(text)
        context = Context(lake.session.state, "job", text, tokens, execute_relation)
        return compaction_after(context, parse(text, tokens), cluster)

    return follows


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES ('x')",
        "UPDATE t SET line = 'x'",
        "DELETE FROM public.t WHERE line = 'x'",
        "COPY INTO t FROM VOLUME v USING CSV",
    ],
)
def test_statements_that_write_rows_are_followed(
    after: Callable[..., str | None], text: str
) -> None:
    assert after(text) == OPTIMIZE


def test_others_are_not(after: Callable[..., str | None]) -> None:
    assert after("SELECT * FROM t") is None
    assert after(OPTIMIZE) is None


def test_only_general_clusters_compact(after: Callable[..., str | None]) -> None:
    assert after("INSERT INTO t VALUES ('x')", "DEFAULT_AP") is None


def test_without_the_setting_nothing_follows(
    lake: headwater.Connection, after: Callable[..., str | None]
) -> None:
    lake.sql(f"RESET {SETTING}")
    assert after("INSERT INTO t VALUES ('x')") is None


def test_one_file_is_left_as_it_is(
    lake: headwater.Connection, clock: Clock, after: Callable[..., str | None]
) -> None:
    hand_made(lake, clock, "single").commit(None)
    assert after("INSERT INTO single VALUES ('x')") is None
