"""Functions of the lake without Spark: their statements, and what Spark would be told of a call."""

from __future__ import annotations

import pytest

import headwater
from headwater.catalog.functions import Function
from headwater.catalog.objects import TableColumn
from headwater.result import Result
from headwater.sql.edits import EditedText

CREATE = "CREATE FUNCTION f(a STRING, Bee INT) RETURNS INT LANGUAGE PYTHON AS $$ return bee $$"


class ToldSpark:
    """Stands for a session of Spark: keeps what it is told, knows the function `upper`."""

    def __init__(self) -> None:
        self.registered: list[tuple[str, Function]] = []
        self.texts: list[str] = []

    def use_database(self, name: str) -> None:
        pass

    def has_function(self, name: str) -> bool:
        return name == "upper"

    def register_python_function(self, name: str, function: Function) -> None:
        self.registered.append((name, function))

    def set_variable(self, name: str, kind: str, expression: str) -> None:
        self.texts.append(f"{name} {kind} = {expression}")

    def run(self, text: EditedText) -> Result:
        self.texts.append(text.text)
        return Result(message="ran")

    def columns_of(self, text: EditedText) -> tuple[TableColumn, ...]:
        return (TableColumn("n", "int"),)


@pytest.fixture
def spark(lake: headwater.Connection) -> ToldSpark:
    """What the session of `lake` takes for its Spark."""
    told = ToldSpark()
    state = lake.session.state
    state._spark = told  # type: ignore[assignment]
    state._spark_schema = "public"
    return told


def error_of(lake: headwater.Connection, text: str) -> headwater.Error:
    with pytest.raises(headwater.Error) as caught:
        lake.sql(text)
    return caught.value


def test_a_function_comes_and_goes(lake: headwater.Connection) -> None:
    assert lake.sql(CREATE).message == "function public.f created"
    assert error_of(lake, CREATE).condition == "FUNCTION_ALREADY_EXISTS"
    again = CREATE.replace("FUNCTION f", "FUNCTION IF NOT EXISTS f")
    assert lake.sql(again).message == "function public.f exists already"
    replaced = CREATE.replace("CREATE", "CREATE OR REPLACE")
    assert lake.sql(replaced).message == "function public.f replaced"
    assert lake.sql("DROP FUNCTION f").message == "function public.f dropped"
    assert error_of(lake, "DROP FUNCTION f").condition == "FUNCTION_NOT_FOUND"
    assert lake.sql("DROP FUNCTION IF EXISTS f").message == "there is no function public.f"


def test_it_is_described_without_the_secrets_in_its_body(lake: headwater.Connection) -> None:
    body = "$$\n  token = 'hunter2-word'\n  return 1\n$$"
    lake.sql(f"CREATE FUNCTION f() RETURNS INT LANGUAGE PYTHON COMMENT 'c' AS {body}")
    rows = dict(lake.sql("DESC FUNCTION EXTENDED f").rows)
    assert (rows["name"], rows["language"], rows["returns"]) == ("f", "PYTHON", "INT")
    assert rows["body"].startswith("\n  token = ****")
    assert "hunter2" not in str(lake.sql("SHOW JOBS").rows)


def test_those_of_a_schema_are_shown(lake: headwater.Connection) -> None:
    lake.sql(CREATE)
    shown = lake.sql("SHOW USER FUNCTIONS LIKE 'f'")
    assert shown.columns[:4] == ["schema_name", "function_name", "parameters", "returns"]
    assert [row[:4] for row in shown.rows] == [("public", "f", "a STRING, Bee INT", "INT")]


def test_a_call_is_swapped_and_its_arguments_are_cast(
    lake: headwater.Connection, spark: ToldSpark
) -> None:
    lake.sql(CREATE)
    lake.sql("SELECT f(x, 1), public.f('f(1)', f(y, 2)) + f AS z FROM VALUES (1) AS f(x)")
    first = "__headwater_function_1(CAST(x AS STRING), CAST(1 AS INT)) AS `f(x, 1)`"
    inner = "__headwater_function_1(CAST(y AS STRING), CAST(2 AS INT))"
    second = f"__headwater_function_1(CAST('f(1)' AS STRING), CAST({inner} AS INT)) + f AS z"
    assert spark.texts == [f"SELECT {first}, {second} FROM VALUES (1) AS f(x)"]


def test_arguments_may_be_named_in_any_case(lake: headwater.Connection, spark: ToldSpark) -> None:
    lake.sql(CREATE)
    lake.sql("SELECT 1 + headwater.public.F(BEE => 1, a => 'x')")
    call = "__headwater_function_1(`Bee` => CAST(1 AS INT), `a` => CAST('x' AS STRING))"
    assert spark.texts == [f"SELECT 1 + {call}"]


def test_a_session_registers_a_definition_once(
    lake: headwater.Connection, spark: ToldSpark
) -> None:
    lake.sql(CREATE)
    for _ in range(3):
        lake.sql("SELECT f('', 1)")
    assert [name for name, _ in spark.registered] == ["__headwater_function_1"]
    lake.sql(CREATE.replace("CREATE", "CREATE OR REPLACE").replace("return bee", "return 2"))
    lake.sql("SELECT f('', 1)")
    assert [name for name, _ in spark.registered] == ["__headwater_function_1"] * 2
    assert spark.registered[-1][1].body == " return 2 "


def test_a_function_of_sparks_comes_first_unless_the_schema_is_named(
    lake: headwater.Connection, spark: ToldSpark
) -> None:
    lake.sql("CREATE FUNCTION upper(a STRING) RETURNS STRING LANGUAGE PYTHON AS $$ return a $$")
    lake.sql("SELECT upper('a') AS x")
    lake.sql("SELECT public.upper('a') AS x")
    assert spark.texts == [
        "SELECT upper('a') AS x",
        "SELECT __headwater_function_1(CAST('a' AS STRING)) AS x",
    ]


def test_names_in_a_view_mean_what_they_meant_where_it_was_made(
    lake: headwater.Connection, spark: ToldSpark
) -> None:
    lake.sql(CREATE)
    lake.sql("CREATE VIEW v AS SELECT f('', 1) AS n")
    lake.sql("CREATE SCHEMA s")
    lake.sql("USE s")
    lake.session.state._spark_schema = "s"
    lake.sql("SELECT n, f('', 1) AS m FROM public.v")
    assert spark.texts == [
        "SELECT n, f('', 1) AS m FROM (SELECT * FROM (SELECT"
        " __headwater_function_1(CAST('' AS STRING), CAST(1 AS INT)) AS n\n) AS v(`n`)) AS `v`"
    ]


def test_in_values_a_call_is_worked_out_before(
    lake: headwater.Connection, spark: ToldSpark
) -> None:
    lake.sql(CREATE)
    lake.sql("CREATE VIEW v AS VALUES (f('d', 4))")
    spark.texts.clear()
    lake.sql("SELECT * FROM v, VALUES (f('a', f('b', 2)) + 1), (f('c', 3)) AS v(x)")
    call = "__headwater_function_1(CAST('{}' AS STRING), CAST({} AS INT))"
    assert spark.texts == [
        f"__headwater_value_1 INT = {call.format('d', 4)}",
        f"__headwater_value_2 INT = {call.format('a', call.format('b', 2))}",
        f"__headwater_value_3 INT = {call.format('c', 3)}",
        "SELECT * FROM (SELECT * FROM (VALUES (__headwater_value_1)\n) AS v(`n`)) AS `v`,"
        " VALUES (__headwater_value_2 + 1), (__headwater_value_3) AS v(x)",
    ]


@pytest.mark.parametrize("arguments", ["", "'x'", "'x', 1, 2"])
def test_the_number_of_arguments_is_checked(
    lake: headwater.Connection, spark: ToldSpark, arguments: str
) -> None:
    lake.sql(CREATE)
    error = error_of(lake, f"SELECT f({arguments})")
    assert error.condition == "FUNCTION_ARGUMENTS"
    assert error.hint == "write public.f(a STRING, Bee INT)"
    assert f"line 1: SELECT f({arguments})\n               ^" in str(error)
