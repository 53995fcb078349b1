"""What is read from the plans of clients."""

from __future__ import annotations

import pyarrow
import pytest
from pyspark.sql.connect.proto import base_pb2

from headwater.errors import UserError
from headwater.spark_connect.relations import Query, Rows, is_query, read_plan
from headwater.spark_connect.rows import batches, from_stream, to_stream
from headwater.spark_connect.types import struct_type


def plan() -> base_pb2.Plan:
    return base_pb2.Plan()


@pytest.mark.parametrize(
    ("text", "lazily"),
    [
        ("SELECT 1", True),
        ("-- why\nwith x as (select 1) select * from x", True),
        ("(SELECT 1)", True),
        ("VALUES (1)", True),
        ("TABLE t", True),
        ("FROM t SELECT *", True),
        ("EXPLAIN SELECT 1", False),
        ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", False),
        ("FROM x INSERT INTO t SELECT *", False),
        ("SHOW TABLES", False),
        ("CREATE TABLE t (id INT)", False),
    ],
)
def test_only_queries_wait_until_their_rows_are_asked_for(text, lazily):
    assert is_query(text) is lazily


def test_limits_and_counts_are_written_around_a_query():
    asked = plan()
    asked.root.limit.limit = 3
    asked.root.limit.input.sql.query = "SELECT 1 -- no end"
    assert read_plan(asked) == Query("SELECT * FROM (\nSELECT 1 -- no end\n) LIMIT 3")


def test_a_table_is_read_by_its_name_alone():
    asked = plan()
    asked.root.read.named_table.unparsed_identifier = "`my schema`.t"
    assert read_plan(asked) == Query("TABLE `my schema`.t")
    asked.root.read.named_table.unparsed_identifier = "t LIMIT 1"
    with pytest.raises(UserError, match="SYNTAX_ERROR"):
        read_plan(asked)


def test_a_statement_that_writes_is_not_run_for_its_rows():
    asked = plan()
    asked.root.sql.query = "DROP TABLE t"
    with pytest.raises(UserError, match="CONNECT_NOT_SQL"):
        read_plan(asked)


def test_other_aggregates_than_a_count_are_refused():
    asked = plan()
    asked.root.aggregate.input.sql.query = "SELECT 1"
    call = asked.root.aggregate.aggregate_expressions.add().unresolved_function
    call.function_name = "sum"
    call.arguments.add().literal.integer = 1
    with pytest.raises(UserError, match="an aggregate"):
        read_plan(asked)
    call.function_name = "count"
    assert read_plan(asked) == Query("SELECT count(1) FROM (\nSELECT 1\n)")


def test_rows_go_in_batches_and_come_back():
    table = pyarrow.table({"n": list(range(1_000_000)), "s": ["x" * 10] * 1_000_000})
    found = list(batches(table))
    assert len(found) > 3
    assert [start for start, _, _ in found] == [
        sum(count for _, count, _ in found[:place]) for place in range(len(found))
    ]
    back = pyarrow.concat_tables([from_stream(data) for _, _, data in found])
    assert back.equals(table.combine_chunks())
    assert [(start, count) for start, count, _ in batches(pyarrow.table({}))] == [(0, 0)]
    asked = plan()
    asked.root.local_relation.data = to_stream(table.slice(0, 2))
    rows = read_plan(asked)
    assert isinstance(rows, Rows)
    assert rows.table.num_rows == 2


def test_every_type_of_arrow_that_we_give_has_one_of_spark():
    kinds = {
        "boolean": pyarrow.bool_(),
        "byte": pyarrow.int8(),
        "long": pyarrow.int64(),
        "decimal": pyarrow.decimal128(10, 2),
        "timestamp": pyarrow.timestamp("us", "UTC"),
        "timestamp_ntz": pyarrow.timestamp("us"),
        "day_time_interval": pyarrow.duration("us"),
        "array": pyarrow.list_(pyarrow.struct([("a", pyarrow.int32())])),
        "map": pyarrow.map_(pyarrow.string(), pyarrow.date32()),
        "null": pyarrow.null(),
    }
    schema = pyarrow.schema(list(kinds.items()))
    fields = struct_type(schema).struct.fields
    assert [field.data_type.WhichOneof("kind") for field in fields] == list(kinds)
    assert fields[3].data_type.decimal.scale == 2
