"""PEP 249 on a real lake: parameters, fetching, descriptions, exceptions, threads."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from threading import Thread

import pytest

import headwater

pytestmark = pytest.mark.spark


@pytest.fixture
def table(lake: headwater.Connection) -> headwater.Connection:
    lake.sql("CREATE TABLE t (id INT, name STRING, price DECIMAL(10,2), at TIMESTAMP, raw BINARY)")
    return lake


def test_the_module_says_what_pep_249_asks_for() -> None:
    assert (headwater.apilevel, headwater.threadsafety, headwater.paramstyle) == ("2.0", 2, "qmark")
    assert issubclass(headwater.ProgrammingError, headwater.DatabaseError)
    assert issubclass(headwater.DatabaseError, headwater.Error)
    assert issubclass(headwater.InterfaceError, headwater.Error)


def test_values_go_in_and_come_back_unchanged(table: headwater.Connection) -> None:
    nasty = 'it\'s "quoted" \\ back\nline -- not a comment ; ${x} é 漢字'
    at = datetime.datetime(2024, 2, 29, 12, 34, 56, 789000)
    row = (1, nasty, Decimal("12.50"), at, b"\x00\xff'")
    cursor = table.cursor()
    cursor.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", row)
    assert cursor.rowcount == 1
    assert cursor.description is None
    cursor.execute("SELECT * FROM t WHERE name = ?", (nasty,))
    assert cursor.fetchall() == [row]


def test_named_parameters_work_with_a_mapping(table: headwater.Connection) -> None:
    cursor = table.cursor().execute("SELECT :a + 1 AS x, :b AS y", {"a": 41, "b": None})
    assert cursor.fetchone() == (42, None)
    assert cursor.fetchone() is None


def test_many_rows_become_one_commit(table: headwater.Connection) -> None:
    rows = [(i, f"name {i}") for i in range(50)]
    cursor = table.cursor().executemany("INSERT INTO t (id, name) VALUES (?, ?)", rows)
    assert cursor.rowcount == 50
    assert table.sql("SELECT max(version) FROM (DESC HISTORY t)").rows == [(2,)]
    assert table.sql("SELECT count(DISTINCT name) FROM t").rows == [(50,)]


def test_fetching_in_pieces(table: headwater.Connection) -> None:
    cursor = table.cursor().execute("SELECT id FROM range(5) ORDER BY id")
    assert cursor.fetchmany() == [(0,)]
    assert cursor.fetchmany(2) == [(1,), (2,)]
    assert list(cursor) == [(3,), (4,)]
    assert cursor.fetchall() == []


def test_descriptions_carry_type_codes(table: headwater.Connection) -> None:
    cursor = table.cursor().execute("SELECT * FROM t")
    assert cursor.description is not None
    codes = [(name, code) for name, code, *_ in cursor.description]
    assert codes == [
        ("id", headwater.NUMBER),
        ("name", headwater.STRING),
        ("price", headwater.NUMBER),
        ("at", headwater.DATETIME),
        ("raw", headwater.BINARY),
    ]


def test_errors_are_of_the_classes_database_users_catch(table: headwater.Connection) -> None:
    cursor = table.cursor()
    with pytest.raises(headwater.ProgrammingError):
        cursor.execute("SELECT * FROM nowhere")
    with pytest.raises(headwater.DataError):
        cursor.execute("SELECT CAST('x' AS INT)")
    with pytest.raises(headwater.NotSupportedError):
        table.rollback()
    with pytest.raises(headwater.InterfaceError):
        cursor.fetchall()
    table.sql("CREATE TABLE strict (a INT NOT NULL)")
    with pytest.raises(headwater.IntegrityError):
        cursor.execute("INSERT INTO strict VALUES (NULL)")


def test_a_closed_connection_and_cursor_say_so(lake_path: Path) -> None:
    connection = headwater.connect(lake_path)
    cursor = connection.cursor()
    cursor.close()
    with pytest.raises(headwater.InterfaceError):
        cursor.execute("SELECT 1")
    connection.close()
    connection.close()
    with pytest.raises(headwater.InterfaceError):
        connection.sql("SELECT 1")


def test_results_become_arrow_and_pandas(table: headwater.Connection) -> None:
    result = table.sql("SELECT id, CAST(id AS STRING) AS s FROM range(3) ORDER BY id")
    assert result.columns == ["id", "s"]
    assert result.to_arrow().to_pydict() == {"id": [0, 1, 2], "s": ["0", "1", "2"]}
    assert list(result.to_pandas()["id"]) == [0, 1, 2]
    assert table.sql("SHOW SCHEMAS").to_arrow().column_names == ["schema_name"]


def test_threads_may_share_one_connection(table: headwater.Connection) -> None:
    answers: dict[int, list[tuple[int]]] = {}

    def ask(number: int) -> None:
        answers[number] = table.sql(f"SELECT id FROM range(3) WHERE id = {number % 3}").rows

    threads = [Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [(number % 3,)] for number in range(6)}
