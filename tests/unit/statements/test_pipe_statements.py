"""CREATE, ALTER, DROP, SHOW and DESC PIPE on a lake whose Spark never starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headwater
from headwater.catalog.pipes import Pipe
from headwater.runtime.clock import now

COPY = "COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE"
CREATE = f"CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS {COPY}"
READ = (
    "READ_KAFKA('here:9092', 'orders', '', 'g', '', '', '', '', 'raw', 'raw', 0,"
    " map('kafka.sasl.password', 'hunter2-word'))"
)
KAFKA = (
    "CREATE PIPE k VIRTUAL_CLUSTER = 'default_ap' BATCH_INTERVAL_IN_SECONDS = '10'"
    f" AS COPY INTO t FROM (SELECT CAST(value AS STRING) AS line FROM {READ})"
)


def pipe_of(lake: headwater.Connection, name: str = "p") -> Pipe:
    found = lake.session.lake.store.pipes.get("headwater", "public", name)
    assert found is not None
    return found


def described(lake: headwater.Connection, name: str = "p", *, extended: bool = False) -> dict:
    rows = lake.sql(f"DESC PIPE {'EXTENDED ' if extended else ''}{name}").rows
    return dict(rows)


def error_of(lake: headwater.Connection, text: str) -> headwater.Error:
    with pytest.raises(headwater.Error) as caught:
        lake.sql(text)
    return caught.value


def test_create_says_what_runs_it(lake: headwater.Connection) -> None:
    assert lake.sql(CREATE).message == (
        "pipe public.p created and running; it loads while `headwater run` is at work"
    )
    assert error_of(lake, CREATE).condition == "PIPE_ALREADY_EXISTS"
    again = lake.sql(CREATE.replace("CREATE PIPE", "CREATE PIPE IF NOT EXISTS"))
    assert again.message == "pipe public.p exists already"


def test_a_volume_feeds_one_pipe(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    error = error_of(lake, CREATE.replace("PIPE p", "PIPE q"))
    assert error.condition == "VOLUME_HAS_PIPE"
    assert error.message == "volume headwater.public.v already feeds pipe 'public.p'"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (CREATE.replace("VOLUME v", "VOLUME nowhere"), "VOLUME_NOT_FOUND"),
        (CREATE.replace("INTO t", "INTO nowhere"), "TABLE_NOT_FOUND"),
        (CREATE.replace("PIPE p", "PIPE nowhere.p"), "SCHEMA_NOT_FOUND"),
        (CREATE.replace(" PURGE = TRUE", ""), "PIPE_PURGE_MISSING"),
        (CREATE.replace("USING CSV", "USING BSON"), "FORMAT_NOT_READABLE"),
        (CREATE.replace("LIST_PURGE", "EVENT_NOTIFICATION"), "PIPE_QUEUE_MISSING"),
        (
            CREATE.replace("'LIST_PURGE'", "'EVENT_NOTIFICATION' AWS_SQS_QUEUE = 'q'").replace(
                " PURGE = TRUE", ""
            ),
            "PIPE_EVENTS_OF_STORE",
        ),
        (
            CREATE.replace("AS COPY", "BATCH_INTERVAL_IN_SECONDS = 10 AS COPY"),
            "PIPE_PROPERTY_OF_OTHER_SOURCE",
        ),
    ],
)
def test_what_cannot_be_a_pipe_is_refused(
    lake: headwater.Connection, text: str, condition: str
) -> None:
    assert error_of(lake, text).condition == condition
    assert lake.sql("SHOW PIPES").rows == []


def bucket(lake: headwater.Connection, location: str, connection: str = "s3") -> None:
    lake.sql(
        "CREATE STORAGE CONNECTION IF NOT EXISTS s3 TYPE S3 ACCESS_KEY = 'an-id'"
        " SECRET_KEY = 'a-secret' REGION = 'us-east-1';"
        f"CREATE OR REPLACE EXTERNAL VOLUME b LOCATION '{location}' USING CONNECTION {connection}"
    )


def test_the_root_of_a_bucket_is_refused(lake: headwater.Connection) -> None:
    bucket(lake, "s3://bucket/")
    error = error_of(lake, CREATE.replace("VOLUME v", "VOLUME b"))
    assert error.condition == "PIPE_AT_BUCKET_ROOT"


def test_events_need_the_queue_of_the_store_and_a_role(lake: headwater.Connection) -> None:
    bucket(lake, "s3://bucket/in/")
    text = CREATE.replace("VOLUME v", "VOLUME b").replace(" PURGE = TRUE", "")
    other = text.replace("'LIST_PURGE'", "'EVENT_NOTIFICATION' ALICLOUD_MNS_QUEUE = 'q'")
    assert error_of(lake, other).condition == "PIPE_QUEUE_OF_OTHER_STORE"
    keys = text.replace("'LIST_PURGE'", "'EVENT_NOTIFICATION' AWS_SQS_QUEUE = 'q'")
    assert error_of(lake, keys).condition == "PIPE_EVENTS_NEED_ROLE"


def test_show_pipes(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    lake.sql(KAFKA)
    result = lake.sql("SHOW PIPES")
    assert [column.name for column in result.schema or ()] == [
        "pipe_name",
        "pipe_kind",
        "status",
        "copy_statement",
        "virtual_cluster",
    ]
    first, second = result.rows
    assert second == ("p", "VOLUME", "RUNNING", COPY, "default")
    assert (first[0], first[1], first[4]) == ("k", "KAFKA", "default_ap")
    assert len(lake.sql("SHOW PIPES IN WORKSPACE headwater LIKE 'p%'").rows) == 1
    assert lake.sql("SHOW PIPES WHERE status = 'PAUSED'").rows == []


def test_desc_pipe_has_the_documented_rows(lake: headwater.Connection) -> None:
    lake.sql(CREATE.replace(" AS COPY", " COMMENT 'daily' AS COPY"))
    found = described(lake)
    assert list(found) == [
        "name",
        "creator",
        "created_time",
        "last_modified_time",
        "comment",
        "properties",
        "copy_statement",
        "pipe_kind",
        "ingest_mode",
        "pipe_status",
        "output_name",
        "input_name",
        "invalid_reason",
        "pipe_latency",
    ]
    assert found["properties"] == "((INGEST_MODE,LIST_PURGE),(VIRTUAL_CLUSTER,default))"
    assert found["input_name"] == "volume:headwater.public.v"
    assert found["output_name"] == "headwater.public.t"
    assert (found["comment"], found["creator"]) == ("daily", "tester")
    assert (found["pipe_kind"], found["ingest_mode"]) == ("VOLUME", "LIST_PURGE")
    more = described(lake, extended=True)
    assert list(more)[14:] == [
        "batches",
        "last_batch_time",
        "rows_loaded",
        "consecutive_failures",
        "next_try_time",
        "failures_total",
        "last_error",
        "warnings",
        "files_loaded",
        "bytes_loaded",
        "files_failed",
        "files_skipped",
        "malformed_messages",
        "pending_files",
        "pending_bytes",
        "oldest_pending_time",
    ]


def test_desc_pipe_of_kafka_shows_latency_and_offsets(lake: headwater.Connection) -> None:
    lake.sql(KAFKA)
    store, pipe = lake.session.lake.store, pipe_of(lake, "k")
    latency = {"kafka": {"lags": {"0": 3}, "offsetLag": 3, "timeLag": 1}}
    store.pipes.set_latency(pipe.id, latency)
    store.pipes.record_success(pipe.id, now(), batch=1, offsets={"orders": {"0": 7}})
    found = described(lake, "k", extended=True)
    assert json.loads(found["pipe_latency"]) == latency
    assert json.loads(found["offsets"]) == {"orders": {"0": 7}}
    assert found["ingest_mode"] in (None, "")


def test_pause_and_resume(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    paused = lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
    assert paused.message == "pipe public.p paused"
    assert described(lake)["pipe_status"] == "PAUSED"
    assert error_of(lake, "ALTER PIPE p REFRESH").condition == "PIPE_NOT_RUNNING"
    resumed = lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert resumed.message == "pipe public.p is running"
    assert described(lake)["pipe_status"] == "RUNNING"


def test_an_invalid_pipe_says_so_and_runs_again_when_it_is_resumed(
    lake: headwater.Connection,
) -> None:
    lake.sql(CREATE)
    lake.session.lake.store.pipes.invalidate(pipe_of(lake).id, "its table is gone", now())
    paused = lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
    assert paused.message == "pipe public.p is INVALID and does not run anyway"
    assert described(lake)["invalid_reason"] == "its table is gone"
    lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert pipe_of(lake).invalid_reason is None


def test_refresh_asks_the_loop(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    asked = lake.sql("ALTER PIPE p REFRESH")
    assert asked.message == "pipe public.p looks for new data at once"
    assert pipe_of(lake).refresh_requested_at is not None


def test_one_property_is_set_and_others_stay(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    done = lake.sql("ALTER PIPE p SET VIRTUAL_CLUSTER = 'default_ap'")
    assert done.message == "pipe public.p: VIRTUAL_CLUSTER is default_ap"
    assert lake.sql("SHOW PIPES").rows[0][4] == "default_ap"
    assert described(lake)["ingest_mode"] == "LIST_PURGE"
    error = error_of(lake, "ALTER PIPE p SET BATCH_INTERVAL_IN_SECONDS = '20'")
    assert error.condition == "PIPE_PROPERTY_OF_OTHER_SOURCE"
    error = error_of(lake, "ALTER PIPE p SET INGEST_MODE = 'EVENT_NOTIFICATION'")
    assert error.condition == "PIPE_PROPERTY_FIXED"


def test_drop(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    assert lake.sql("DROP PIPE p").message == "pipe public.p dropped, its data stays"
    assert error_of(lake, "DROP PIPE p").condition == "PIPE_NOT_FOUND"
    assert lake.sql("DROP PIPE IF EXISTS p").message == "there is no pipe public.p"
    lake.sql(CREATE)


def test_show_create_makes_the_same_pipe(lake: headwater.Connection) -> None:
    lake.sql(CREATE.replace(" AS COPY", " COMMENT 'it''s' AS COPY"))
    before = described(lake)
    result = lake.sql("SHOW CREATE PIPE p")
    assert [column.name for column in result.schema or ()] == ["sql"]
    lake.sql("DROP PIPE p")
    lake.sql(result.rows[0][0])
    times = ("created_time", "last_modified_time")
    assert {k: v for k, v in described(lake).items() if k not in times} == {
        k: v for k, v in before.items() if k not in times
    }


def test_a_volume_that_feeds_a_pipe_is_not_dropped(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    error = error_of(lake, "DROP VOLUME v")
    assert error.condition == "VOLUME_IN_USE_BY_PIPE"
    assert error.message == "volume public.v feeds pipe 'public.p'"
    assert error.hint == "first DROP PIPE public.p"
    assert error_of(lake, "DROP CONNECTION c").condition == "CONNECTION_IN_USE"
    lake.sql("DROP PIPE p; DROP VOLUME v; DROP CONNECTION c")


def test_a_pipe_goes_on_with_the_volume_that_replaces_its_own(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    lake.sql(CREATE)
    lake.sql(KAFKA)
    (tmp_path / "other").mkdir()
    lake.sql(
        f"CREATE OR REPLACE EXTERNAL VOLUME v LOCATION 'file://{tmp_path}/other/'"
        " USING CONNECTION c"
    )
    volume = lake.session.lake.store.volumes.get("headwater", "public", "v")
    assert volume is not None
    assert pipe_of(lake).volume_id == volume.id
    assert pipe_of(lake, "k").volume_id is None
    assert error_of(lake, CREATE.replace("PIPE p", "PIPE q")).condition == "VOLUME_HAS_PIPE"
    assert error_of(lake, "DROP VOLUME v").condition == "VOLUME_IN_USE_BY_PIPE"


def test_a_new_volume_takes_no_pipe_of_another_source(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    lake.sql(KAFKA)
    lake.sql(
        f"CREATE OR REPLACE EXTERNAL VOLUME w LOCATION 'file://{tmp_path}/in/' USING CONNECTION c"
    )
    assert pipe_of(lake, "k").volume_id is None


def test_a_volume_with_a_pipe_is_not_moved_to_the_root_of_a_bucket(
    lake: headwater.Connection,
) -> None:
    bucket(lake, "s3://bucket/in/")
    lake.sql(CREATE.replace("VOLUME v", "VOLUME b"))
    error = error_of(
        lake, "CREATE OR REPLACE EXTERNAL VOLUME b LOCATION 's3://bucket/' USING CONNECTION s3"
    )
    assert error.condition == "PIPE_AT_BUCKET_ROOT"


def test_a_password_of_kafka_is_shown_nowhere(lake: headwater.Connection) -> None:
    lake.sql(KAFKA)
    shown = [
        lake.sql(text).rows
        for text in ("SHOW PIPES", "DESC PIPE EXTENDED k", "SHOW CREATE PIPE k", "SHOW JOBS")
    ]
    jobs = lake.sql("SHOW JOBS").rows
    shown += [lake.sql(f"DESC JOB '{job[0]}'").rows for job in jobs]
    assert "hunter2" not in repr(shown)
    assert "****" in repr(shown[0])
    assert "hunter2" not in repr(pipe_of(lake, "k"))
    error = error_of(lake, KAFKA)
    assert "hunter2" not in f"{error}{error.detail}{error.statement}"


def test_a_password_of_kafka_is_in_no_file(lake: headwater.Connection) -> None:
    from headwater.pipes.open_pipe import body_text

    lake.sql(KAFKA)
    opened = lake.session.lake
    assert "hunter2-word" in body_text(opened, pipe_of(lake, "k"))
    for path in opened.folder.path.rglob("*"):
        if path.is_file():
            assert b"hunter2" not in path.read_bytes(), path


def test_what_show_create_covers_is_not_taken_for_a_password(lake: headwater.Connection) -> None:
    lake.sql(KAFKA)
    text = lake.sql("SHOW CREATE PIPE k").rows[0][0]
    lake.sql("DROP PIPE k")
    assert error_of(lake, text).condition == "SECRET_IS_MASKED"
