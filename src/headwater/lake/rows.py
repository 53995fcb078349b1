"""From a Spark data frame to a `Result`: one Spark job, values as Python users expect them.

Timestamps come back as naive datetimes in the session's time zone, the way Spark prints them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.cell_text import JsonText
from headwater.result import Column, Result

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def fetch(frame: DataFrame) -> Result:
    """Run the query behind `frame` and take all its rows."""
    schema = frame.schema
    columns = tuple(Column(field.name, field.dataType.simpleString()) for field in schema.fields)
    if not columns:
        return Result()
    plain = _readable(frame, [field.dataType for field in schema.fields])
    if any(_needs_collect(field.dataType) for field in schema.fields):
        return _collected(plain, columns)
    arrow = _as_arrow(plain).rename_columns([column.name for column in columns])
    return Result.from_arrow(columns, arrow, time_zone=time_zone(frame))


def _as_arrow(frame: Any) -> pyarrow.Table:
    """The rows as Spark sends them.

    `toArrow` goes on to cast them to a schema whose nested fields Spark calls not null even where
    the struct around them is null, and fails; the batches themselves are right.
    """
    import pyarrow

    batches = frame._collect_as_arrow(empty_list_if_zero_records=False)
    return pyarrow.Table.from_batches(batches)


def time_zone(frame: DataFrame) -> str:
    """The session time zone of a frame."""
    zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    return zone or "UTC"


def _is_unreadable(data_type: DataType) -> bool:
    """Types that Arrow cannot carry from Spark (a null VARIANT breaks the conversion)."""
    from pyspark.sql import types

    return isinstance(
        data_type, types.VariantType | types.YearMonthIntervalType | types.CalendarIntervalType
    )


def _needs_collect(data_type: DataType) -> bool:
    """Whether such a type sits deep inside another one, where it cannot be converted in SQL."""
    from pyspark.sql import types

    if isinstance(data_type, types.ArrayType):
        return _is_unreadable(data_type.elementType) or _needs_collect(data_type.elementType)
    if isinstance(data_type, types.MapType):
        inner = (data_type.keyType, data_type.valueType)
        return any(_is_unreadable(t) or _needs_collect(t) for t in inner)
    if isinstance(data_type, types.StructType):
        return any(_is_unreadable(f.dataType) or _needs_collect(f.dataType) for f in data_type)
    return False


def _readable(frame: DataFrame, data_types: list[DataType]) -> DataFrame:
    """VARIANT as JSON text and exotic intervals as text; distinct names, since Arrow wants them."""
    from pyspark.sql import functions, types

    names = [f"c{i}" for i in range(len(data_types))]
    if not any(_is_unreadable(t) for t in data_types):
        return frame if len(set(frame.columns)) == len(names) else frame.toDF(*names)
    renamed = frame.toDF(*names)
    return renamed.select(
        *(
            functions.to_json(renamed[name]).alias(name)
            if isinstance(data_type, types.VariantType)
            else renamed[name].cast("string").alias(name)
            if _is_unreadable(data_type)
            else renamed[name]
            for name, data_type in zip(names, data_types, strict=True)
        )
    )


def _collected(frame: DataFrame, columns: tuple[Column, ...]) -> Result:
    rows = [tuple(_plain(value) for value in row) for row in frame.collect()]
    return Result.from_rows(columns, rows)


def _plain(value: Any) -> Any:
    """Rows become dictionaries and variants their JSON, as they do on the Arrow path."""
    from pyspark.sql.types import Row, VariantVal

    if isinstance(value, VariantVal):
        return JsonText(value.toJson())
    if isinstance(value, Row):
        return {name: _plain(item) for name, item in value.asDict().items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value
