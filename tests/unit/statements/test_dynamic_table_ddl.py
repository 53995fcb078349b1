"""Making, altering, dropping and listing dynamic tables, as far as it goes without Spark."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.statements.test_dynamic_table_statements import (
    commit_refresh,
    dynamic_table,
    error_of,
    now_of,
    stream_on,
    table_named,
)

import headwater
from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Refresh,
    RefreshState,
    RefreshTrigger,
    Schedule,
)
from headwater.runtime.clock import now
from headwater.sql.parse import parse


def refreshed(
    lake: headwater.Connection,
    made: DynamicTable,
    *,
    minutes_ago: int,
    trigger: RefreshTrigger = RefreshTrigger.MANUAL,
) -> Refresh:
    refreshes, at = lake.session.lake.store.refreshes, now() - timedelta(minutes=minutes_ago)
    begun = refreshes.start(
        Refresh(made.id, 0, "headwater", "public", made.name, "DEFAULT", at, "j1", trigger=trigger)
    )
    done = replace(begun, state=RefreshState.SUCCEED, ended_at=at + timedelta(seconds=1))
    refreshes.finish(done)
    return done


# DROP


def test_a_table_that_others_read_stays_and_all_of_them_are_named(
    lake: headwater.Connection,
) -> None:
    lower = dynamic_table(lake, "lower")
    dynamic_table(lake, "first", sources=(lower.id,))
    dynamic_table(lake, "second", sources=(lower.id,))
    for words in ("", " RESTRICT"):
        error = error_of(lake, f"DROP DYNAMIC TABLE lower{words}")
        assert error.condition == "DYNAMIC_TABLE_IS_READ"
        assert "'public.first', 'public.second'" in error.message
        assert error.hint is not None
        assert "DROP DYNAMIC TABLE public.lower CASCADE" in error.hint
    assert len(lake.sql("SHOW DYNAMIC TABLES").rows) == 3


def test_cascade_takes_readers_before_what_they_read_and_each_can_come_back(
    lake: headwater.Connection,
) -> None:
    lower = dynamic_table(lake, "lower")
    middle = dynamic_table(lake, "middle", sources=(lower.id,))
    dynamic_table(lake, "top", sources=(middle.id, lower.id))
    dynamic_table(lake, "aside")
    message = lake.sql("DROP DYNAMIC TABLE lower CASCADE").message
    assert message is not None
    assert "so were 'public.top', 'public.middle', which read it" in message
    assert [row[1] for row in lake.sql("SHOW DYNAMIC TABLES").rows] == ["aside"]
    for name in ("lower", "middle", "top"):
        lake.sql(f"UNDROP DYNAMIC TABLE {name}")
    back = now_of(lake, middle)
    assert replace(back, baseline=None) == middle, "with its query and its sources"


# ALTER


def altered(lake: headwater.Connection, made: DynamicTable, action: str) -> Schedule | None:
    lake.sql(f"ALTER DYNAMIC TABLE {made.name} {action}")
    return now_of(lake, made).schedule


def test_a_lag_and_an_interval_take_each_other_s_place(lake: headwater.Connection) -> None:
    made = dynamic_table(lake, schedule=Schedule(None, now(), 600, "GP"))
    lag = altered(lake, made, "SET TARGET_LAG = '10 minutes'")
    assert lag == Schedule(vcluster="GP", target_lag_seconds=600)
    downstream = altered(lake, made, "SET TARGET_LAG = DOWNSTREAM")
    assert downstream == Schedule(vcluster="GP", downstream=True)
    interval = altered(lake, made, "SET REFRESH INTERVAL 1 HOUR")
    assert interval is not None
    assert interval.start is not None
    assert interval == Schedule(None, interval.start, 3600, "GP")


def test_another_cluster_or_interval_leaves_the_rest_of_a_schedule(
    lake: headwater.Connection,
) -> None:
    start = now()
    made = dynamic_table(lake, schedule=Schedule(None, start, 600, "GP"))
    assert altered(lake, made, "SET REFRESH VCLUSTER default_ap") == Schedule(
        None, start, 600, "DEFAULT_AP"
    )
    assert altered(lake, made, "SET REFRESH INTERVAL 2 DAY") == Schedule(
        None, start, 172800, "DEFAULT_AP"
    )


def test_a_schedule_ends_with_unset(lake: headwater.Connection) -> None:
    made = dynamic_table(lake, schedule=Schedule(None, now(), 600))
    assert error_of(lake, "ALTER DYNAMIC TABLE d UNSET TARGET_LAG").condition == "NO_SUCH_CLAUSE"
    lake.sql("ALTER DYNAMIC TABLE d SUSPEND")
    assert altered(lake, made, "UNSET REFRESH") is None
    assert not now_of(lake, made).suspended
    altered(lake, made, "SET TARGET_LAG = '1 hour'")
    assert altered(lake, made, "UNSET TARGET_LAG") is None


def test_a_table_without_a_schedule_is_suspended_before_it_gets_one(
    lake: headwater.Connection,
) -> None:
    made = dynamic_table(lake, schedule=None)
    assert lake.sql("ALTER DYNAMIC TABLE d SUSPEND").message == (
        "dynamic table public.d: suspended; it has no schedule,"
        " only REFRESH DYNAMIC TABLE public.d refreshes it"
    )
    altered(lake, made, "SET REFRESH INTERVAL 1 HOUR")
    assert now_of(lake, made).suspended
    extended = {row[0]: row[1] for row in lake.sql("DESC EXTENDED d").rows}
    assert extended["refresh_suspended"] == "true"
    lake.sql("ALTER DYNAMIC TABLE d RESUME")
    assert not now_of(lake, made).suspended


def test_a_cluster_alone_is_no_schedule(lake: headwater.Connection) -> None:
    dynamic_table(lake, schedule=Schedule(vcluster="GP"))
    extended = {row[0]: row[1] for row in lake.sql("DESC EXTENDED d").rows}
    assert (extended["refresh_type"], extended["refresh_vcluster"]) == ("on demand", "headwater.GP")


@pytest.mark.parametrize(
    "schedule",
    [
        None,
        Schedule("'2030-01-01'", now(), 7200, "GP"),
        Schedule(None, now(), 90),
        Schedule("now() + INTERVAL '1' DAY", now()),
        Schedule(vcluster="GP"),
        Schedule(target_lag_seconds=300),
        Schedule(vcluster="GP", downstream=True),
    ],
)
@pytest.mark.parametrize("initialize", [None, "ON_CREATE", "ON_SCHEDULE"])
def test_show_create_says_everything_that_create_was_told(
    lake: headwater.Connection, schedule: Schedule | None, initialize: str | None
) -> None:
    made = dynamic_table(lake, schedule=schedule)
    lake.session.lake.store.dynamic_tables.replace(replace(made, initialize=initialize))
    text = lake.sql("SHOW CREATE TABLE d").rows[0][0]
    again = parse(text)
    assert again.to_sql() == text
    told = schedule or Schedule()
    clause = again.refresh  # type: ignore[union-attr]
    said = (clause.start, clause.interval_seconds, clause.vcluster) if clause else (None,) * 3
    assert said == (told.start_text, told.interval_seconds, told.vcluster)
    lag = again.target_lag  # type: ignore[union-attr]
    assert (lag is not None and lag.seconds is None) == told.downstream
    assert again.initialize == initialize  # type: ignore[union-attr]


# SHOW DYNAMIC TABLES


def test_the_listing_shows_schedule_last_refresh_and_what_is_next(
    lake: headwater.Connection,
) -> None:
    start = now() - timedelta(hours=5)
    by_hour = dynamic_table(lake, "by_hour", schedule=Schedule(None, start, 3600, "GP"))
    dynamic_table(lake, "by_hand")
    lagging = dynamic_table(lake, "lagging", schedule=Schedule(target_lag_seconds=600))
    by_hour_made = now()
    refreshed(lake, by_hour, minutes_ago=70)
    refreshed(lake, lagging, minutes_ago=3)
    lake.sql("ALTER DYNAMIC TABLE lagging SUSPEND")
    rows = {row["name"]: row for row in lake.sql("SHOW DYNAMIC TABLES").to_dicts()}
    assert rows["by_hour"]["schedule"] == "REFRESH INTERVAL 1 HOUR VCLUSTER GP"
    assert rows["by_hour"]["last_refresh_state"] == "SUCCEED"
    # never refreshed as far as its rows go, so it is due since it was made
    assert rows["by_hour"]["next_refresh_time"] - lake.session.state.local(
        by_hour_made
    ) < timedelta(seconds=1)
    assert (rows["by_hand"]["state"], rows["by_hand"]["schedule"]) == ("ACTIVE", None)
    assert rows["by_hand"]["next_refresh_time"] is None
    assert rows["lagging"]["schedule"] == "TARGET_LAG = '10 MINUTE'"
    assert (rows["lagging"]["state"], rows["lagging"]["next_refresh_time"]) == ("SUSPENDED", None)
    found = lake.sql("SHOW DYNAMIC TABLES LIKE 'by%' LIMIT 1").rows
    assert [row[1] for row in found] == ["by_hand"]


def test_the_listing_of_a_workspace_says_what_the_last_refreshes_were_and_what_is_read(
    lake: headwater.Connection,
) -> None:
    source = table_named(lake, "t")
    made = dynamic_table(lake, sources=(source.id,), schedule=Schedule(target_lag_seconds=600))
    dynamic_table(lake, "other")
    for minutes in range(7, 1, -1):
        refreshed(lake, made, minutes_ago=minutes)
    lake.sql("CREATE SCHEMA elsewhere")
    lake.sql("USE SCHEMA elsewhere")
    assert lake.sql("SHOW DYNAMIC TABLES").rows == []
    rows = {r["name"]: r for r in lake.sql("SHOW DYNAMIC TABLES IN WORKSPACE headwater").to_dicts()}
    assert rows["d"]["recent_states"] == ["SUCCEED"] * 5
    assert (rows["d"]["target_lag_second"], rows["d"]["virtual_cluster"]) == (600, "DEFAULT")
    assert rows["d"]["source_tables"] == [
        {"schema": "public", "table_name": "t", "workspace": "headwater"}
    ]
    assert (rows["other"]["recent_states"], rows["other"]["last_refresh_mode"]) == ([], None)


# DESC HISTORY


def test_the_history_names_the_versions_of_the_sources_that_were_read(
    lake: headwater.Connection,
) -> None:
    source = table_named(lake, "t")
    made = dynamic_table(lake, sources=(source.id,))
    commit_refresh(lake, made, number=1, sources={source.id: 0})
    rows = lake.sql("DESC HISTORY d").to_dicts()
    first = lake.session.lake.store.versions.first(source.id)
    assert first is not None
    assert [row["source_tables"] for row in rows] == [
        [
            {
                "table_name": "t",
                "workspace": "headwater",
                "schema": "public",
                "version": "1",
                "sequence": "0",
                "commit_time": rows[0]["source_tables"][0]["commit_time"],
            }
        ],
        None,
    ]
    assert rows[0]["source_tables"][0]["commit_time"].startswith(f"{first.committed_at:%Y-%m-%d}")
    assert rows[0]["stats"] == {"rows_deleted": "0", "rows_inserted": "1"}
    assert "source_tables" not in lake.sql("DESC HISTORY t").columns


# cycles


def test_no_view_may_read_a_dynamic_table_that_reads_the_view(lake: headwater.Connection) -> None:
    """Nobody has to start Spark to see it."""
    store = lake.session.lake.store
    made = dynamic_table(lake, "d")
    at = now()
    view = replace(
        table_named(lake, "t"),
        id="id-v",
        name="lines",
        kind=type(table_named(lake, "t").kind).VIEW,
        view_text="SELECT line FROM t",
        view_schema="public",
        created_at=at,
    )
    store.tables.insert_active(view)
    store.dynamic_tables.replace(replace(made, query="SELECT line FROM lines"))
    for text in (
        "CREATE OR REPLACE VIEW lines AS SELECT line FROM d",
        "ALTER VIEW lines AS SELECT line FROM d",
        "CREATE OR REPLACE VIEW lines AS SELECT * FROM (SELECT line FROM t, d)",
    ):
        assert error_of(lake, text).condition == "VIEW_READS_ITSELF", text


def test_a_stream_is_not_written_and_the_hint_says_where_to_write(
    lake: headwater.Connection,
) -> None:
    lake.session.lake.store.streams.create(stream_on(table_named(lake, "t")))
    error = error_of(lake, "INSERT INTO s VALUES ('x')")
    assert error.condition == "NOT_A_TABLE"
    assert error.hint is not None
    assert "DESC TABLE STREAM public.s" in error.hint
