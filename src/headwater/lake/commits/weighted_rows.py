"""Bags of rows as data frames: columns `c0`, `c1`, .. in the table's order, and a weight.

Law: the weight of a row is summed over all rows that a reader cannot tell from it. Of rows that are
equal but not the same (0.0 and -0.0, maps in another order) one stands for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.lake.changes.canonical import canonical, is_plain
from headwater.names import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField, StructType

MISSING_ROW = "headwater: a row to be deleted is not there"
COUNTS = "headwater_change"
_LEAST_FOR_HASH = 3
"""Columns from which on it takes less to hash them than to make a key of them."""


def numbered(frame: DataFrame, schema: StructType, *more: str) -> DataFrame:
    """The table's columns by name, in its order and of its types, as c0, c1, .. behind `more`."""
    fitted = _fitted(frame, schema)
    return fitted.selectExpr(
        *more,
        *(f"{quote_identifier(field.name)} AS c{i}" for i, field in enumerate(schema.fields)),
    )


def named(frame: DataFrame, schema: StructType, *more: str) -> DataFrame:
    """The columns c0, c1, .. under the table's names, before `more`."""
    names = (f"c{i} AS {quote_identifier(field.name)}" for i, field in enumerate(schema.fields))
    return frame.selectExpr(*names, *more)


def rewritten(stored: DataFrame, delta: DataFrame, schema: StructType) -> DataFrame:
    """All rows after a change; observes what came and went as `COUNTS`.

    `stored` has the columns of `numbered`, `delta` also `weight`. Running it fails with
    `MISSING_ROW` if fewer copies of a row are there than are to go.
    """
    # Texts wherever they do: each column that is made in Python takes many calls to the JVM.
    from pyspark.sql import functions

    kinds = [field.dataType for field in schema.fields]
    keys = [f"{canonical(f'c{i}', kind)} AS k{i}" for i, kind in enumerate(kinds)]
    values = [f"c{i}" for i, kind in enumerate(kinds) if not _is_its_key(kind)]
    both = stored.selectExpr("1L AS kept", "0L AS weight", *keys, *values).unionAll(
        delta.selectExpr("0L AS kept", "weight", *keys, *values)
    )
    summed = both.groupBy(*(f"k{i}" for i in range(len(kinds)))).agg(
        functions.expr("sum(kept) AS kept"),
        functions.expr("sum(weight) AS weight"),
        *(functions.expr(f"any_value({name}) AS {name}") for name in values),
    )
    copies = f"if(kept + weight < 0, raise_error('{MISSING_ROW}'), kept + weight)"
    counted = summed.selectExpr(
        "weight",
        f"CAST({copies} AS INT) AS copies",
        *(f"k{i} AS c{i}" if _is_its_key(kind) else f"c{i}" for i, kind in enumerate(kinds)),
    ).observe(COUNTS, *_counts())
    return _copied(counted.where("copies > 0"), "copies", len(kinds))


def counted(delta: DataFrame) -> DataFrame:
    """How many rows come and how many go, in one row."""
    return delta.agg(*_counts())


def inserted(delta: DataFrame, schema: StructType) -> DataFrame:
    """The rows that come, as often as they do."""
    return _copied(delta.where("weight > 0"), "CAST(weight AS INT)", len(schema.fields))


def _copied(frame: DataFrame, copies: str, columns: int) -> DataFrame:
    """Each row as many times as `copies` says; the column beside it is left to who names others."""
    names = (f"c{i}" for i in range(columns))
    return frame.selectExpr(*names, f"explode(array_repeat(0, {copies})) AS copy")


def rows_that_go(stored: DataFrame, delta: DataFrame, schema: StructType) -> DataFrame:
    """`file_path` and `row_index` of rows that go, as many copies of each as are to go.

    `stored` has these two and the columns of `numbered`; `delta` also `weight` and `id`, which no
    two of its rows share.
    """
    numbers = "row_number() OVER (PARTITION BY id ORDER BY file_path, row_index)"
    return (
        equal_rows(stored, delta, schema)
        .selectExpr("file_path", "row_index", "copies", f"{numbers} AS number")
        .where("number <= copies")
        .selectExpr("file_path", "row_index")
    )


def equal_rows(stored: DataFrame, delta: DataFrame, schema: StructType) -> DataFrame:
    """All rows of which copies go: their places, and beside them `id` and how many `copies` go."""
    from pyspark.sql import functions

    keys = [canonical(f"c{i}", field.dataType) for i, field in enumerate(schema.fields)]
    places = [name for name in stored.columns if name in ("file_path", "row_index")]
    here = stored.selectExpr(*places, *(f"{key} AS k{i}" for i, key in enumerate(keys)))
    going = delta.where("weight < 0").selectExpr(
        "id", "-weight AS copies", *(f"{key} AS g{i}" for i, key in enumerate(keys))
    )
    return here.join(going, functions.expr(_same(schema))).select(*places, "id", "copies")


def _same(schema: StructType) -> str:
    """That k0, k1, .. are g0, g1, ..: looked up by one number, and compared only where it is found.

    Spark would make a key of all columns, of every row of the table. What it can take apart is
    joined by every part, so the comparisons are counted.
    """
    places = range(len(schema.fields))
    hashed = [i for i in places if _hashes_as_it_compares(schema.fields[i].dataType)]
    if len(schema.fields) < _LEAST_FOR_HASH or not hashed:
        return " AND ".join(f"k{i} <=> g{i}" for i in places)
    here, going = (", ".join(f"{side}{i}" for i in hashed) for side in "kg")
    equal = " + ".join(f"CAST(k{i} <=> g{i} AS INT)" for i in places)
    return f"xxhash64({here}) = xxhash64({going}) AND {equal} = {len(schema.fields)}"


def _hashes_as_it_compares(kind: DataType) -> bool:
    """Whether values that are equal have the same hash: 0.0 and -0.0 might not."""
    from pyspark.sql import types

    inexact = isinstance(kind, types.FloatType | types.DoubleType)
    return isinstance(kind, types.AtomicType) and is_plain(kind) and not inexact


def _counts() -> tuple[Column, Column]:
    from pyspark.sql import functions

    return (
        functions.expr("coalesce(sum(greatest(weight, 0L)), 0L) AS came"),
        functions.expr("coalesce(sum(greatest(-weight, 0L)), 0L) AS went"),
    )


def _is_its_key(kind: DataType) -> bool:
    """Whether equal values are the same; Spark groups 0.0 with -0.0 and gives back 0.0."""
    from pyspark.sql import types

    if isinstance(kind, types.ArrayType):
        return _is_its_key(kind.elementType)
    if isinstance(kind, types.StructType):
        return all(_is_its_key(field.dataType) for field in kind.fields)
    return is_plain(kind) and not isinstance(kind, types.FloatType | types.DoubleType)


def _fitted(frame: DataFrame, schema: StructType) -> DataFrame:
    """With the table's types; what may be NULL in them is checked when they are written."""
    from pyspark.sql import functions

    given = {field.name.lower(): field for field in frame.schema.fields}
    casts = {
        field.name: functions.col(quote_identifier(field.name)).cast(wanted)
        for field in schema.fields
        if _differs(given.get(field.name.lower()), wanted := nullable(field.dataType))
    }
    return frame.withColumns(casts) if casts else frame


def _differs(given: StructField | None, wanted: DataType) -> bool:
    # A column that is not there is Spark's to complain of, with the names that are.
    return given is not None and nullable(given.dataType) != wanted


def nullable(kind: DataType) -> DataType:
    """The type with NULL allowed in all its parts."""
    from pyspark.sql import types

    if isinstance(kind, types.ArrayType):
        return types.ArrayType(nullable(kind.elementType), True)
    if isinstance(kind, types.MapType):
        return types.MapType(nullable(kind.keyType), nullable(kind.valueType), True)
    if isinstance(kind, types.StructType):
        return types.StructType(
            [types.StructField(field.name, nullable(field.dataType)) for field in kind.fields]
        )
    return kind
