"""The same statements on Spark with workers of their own: a local cluster of real processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.processes import python, read_line

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("short_spark"),
]

STATEMENTS = """
import sys, headwater
lake, files = sys.argv[1:]
with headwater.connect(lake, spark_master="local-cluster[1,1,1024]") as connection:
    run = connection.sql
    run("CREATE TABLE t (a INT, b STRING)")
    run("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    run("UPDATE t SET b = 'z' WHERE a = 1")
    run("CREATE STORAGE CONNECTION f TYPE FILE")
    run(f"CREATE EXTERNAL VOLUME v LOCATION 'file://{files}/' USING CONNECTION f")
    run("COPY INTO t FROM VOLUME v USING CSV FILES('a.csv')")
    # Its reader is a class of ours, which the workers get from the driver.
    run("COPY INTO t FROM VOLUME v USING JSON FILES('b.json')")
    executors = connection.session.state.spark()._session.sparkContext._jsc.sc().statusTracker()
    print(len(executors.getExecutorInfos()), run("SELECT * FROM t ORDER BY a").rows, flush=True)
"""


NO_CLUSTER = """
import sys, headwater
with headwater.connect(sys.argv[1], spark_master="spark://nowhere") as connection:
    try:
        connection.sql("SELECT 1")
    except headwater.errors.TransientError as error:
        print(error.condition, error.message, flush=True)
"""


def test_a_cluster_that_is_none_is_no_bug(tmp_path: Path) -> None:
    with python(NO_CLUSTER, str(tmp_path / "lake")) as process:
        said = read_line(process)
        assert said.startswith("CLUSTER_UNAVAILABLE Spark cannot work on spark://nowhere: "), said


@pytest.mark.nightly  # test_scale_out.py has a cluster in every run
def test_statements_run_on_workers(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.csv").write_text("3,w\n")
    (files / "b.json").write_text('{"a": 4, "B": "v"}\n{"A": 5, "b": "u"}\n')
    with python(STATEMENTS, str(tmp_path / "lake"), str(files)) as process:
        # The driver, and the worker that did the work.
        assert read_line(process) == "2 [(1, 'z'), (2, 'y'), (3, 'w'), (4, 'v'), (5, 'u')]"
        assert process.wait(timeout=60) == 0
