"""The lease is taken over behind the first check: no kind of statement commits any more."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.errors import TransientError
from headwater.runtime.process_identity import this_process

pytestmark = pytest.mark.spark

COPY = "COPY INTO t FROM USER VOLUME USING CSV FILES ('a.csv')"
COMMITTING = [
    "INSERT INTO t VALUES (3, 'c')",
    "INSERT OVERWRITE t VALUES (4, 'd')",
    COPY,
    "UPDATE t SET k = 'y'",
    "DELETE FROM t WHERE id = 1",
    "MERGE INTO t USING (SELECT 9 AS id, 'q' AS k) AS s ON t.id = s.id"
    " WHEN NOT MATCHED THEN INSERT *",
    "TRUNCATE TABLE t",
    "ALTER TABLE t ADD COLUMN more INT",
    "ALTER TABLE t SET PROPERTIES ('data_retention_days' = '3')",
    "RESTORE TABLE t TO VERSION AS OF 2",
    "OPTIMIZE t",
    "REFRESH DYNAMIC TABLE d",
    "CREATE TABLE made AS SELECT 1 AS id",
    "CREATE OR REPLACE TABLE t AS SELECT 5 AS id, 'e' AS k",
    "CREATE TABLE empty (id INT)",
]


def test_every_commit_is_refused_once_the_lease_is_lost(
    lake: headwater.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("6,f\n")
    lake.sql(f"PUT '{tmp_path}/a.csv' TO USER VOLUME")
    lake.sql("CREATE TABLE t (id INT, k STRING)")
    lake.sql("INSERT INTO t VALUES (1, 'a')")
    lake.sql("INSERT INTO t VALUES (2, 'b')")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k")
    own = lake.session.lake
    had = own.writer.fencing
    before = lake.sql("DESC HISTORY t").rows
    other = this_process("other")
    own.store.instances.register(other)
    own.store.lease.acquire(other.id, ttl=timedelta(minutes=5), holder_alive=lambda holder: False)
    # As if it had been asked for a moment before the other took it.
    monkeypatch.setattr(own.writer, "ensure", lambda: had)
    for statement in COMMITTING:
        with pytest.raises(TransientError, match="LEASE_LOST"):
            lake.sql(statement)
    assert lake.sql("DESC HISTORY t").rows == before
    assert lake.sql("SELECT id, k FROM t ORDER BY id").rows == [(1, "a"), (2, "b")]
    assert lake.sql("SELECT * FROM d").rows == []
    names = {row["table_name"] for row in lake.sql("SHOW TABLES").to_dicts()}
    assert names == {"t", "d"}
    monkeypatch.undo()
    own.store.lease.release(other.id, had + 1)
    lake.sql("INSERT INTO t VALUES (3, 'c')")
    lake.sql(COPY)
    assert lake.sql("SELECT id FROM t ORDER BY id").rows == [(1,), (2,), (3,), (6,)]
    lake.sql("REFRESH DYNAMIC TABLE d")
    assert lake.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
