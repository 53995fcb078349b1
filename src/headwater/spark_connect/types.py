"""Arrow's types as Spark Connect writes types."""

from __future__ import annotations

import pyarrow
from pyarrow import types as arrow
from pyspark.sql.connect.proto import types_pb2

from headwater.errors import UserError

DataType = types_pb2.DataType

_PLAIN = (
    (arrow.is_boolean, "boolean"),
    (arrow.is_int8, "byte"),
    (arrow.is_int16, "short"),
    (arrow.is_int32, "integer"),
    (arrow.is_int64, "long"),
    (arrow.is_float32, "float"),
    (arrow.is_float64, "double"),
    (arrow.is_string, "string"),
    (arrow.is_large_string, "string"),
    (arrow.is_binary, "binary"),
    (arrow.is_large_binary, "binary"),
    (arrow.is_date32, "date"),
    (arrow.is_duration, "day_time_interval"),
    (arrow.is_null, "null"),
)


def struct_type(schema: pyarrow.Schema) -> DataType:
    """The columns of a table as one type."""
    return DataType(struct=DataType.Struct(fields=[_field(field) for field in schema]))


def _field(field: pyarrow.Field) -> types_pb2.DataType.StructField:
    kind = connect_type(field.type)
    return DataType.StructField(name=field.name, data_type=kind, nullable=field.nullable)


def connect_type(kind: pyarrow.DataType) -> DataType:
    """One type."""
    for is_it, name in _PLAIN:
        if is_it(kind):
            made = DataType()
            getattr(made, name).SetInParent()
            return made
    if arrow.is_timestamp(kind):
        if kind.tz is None:
            return DataType(timestamp_ntz=DataType.TimestampNTZ())
        return DataType(timestamp=DataType.Timestamp())
    if arrow.is_decimal(kind):
        return DataType(decimal=DataType.Decimal(precision=kind.precision, scale=kind.scale))
    if arrow.is_map(kind):
        key, value = connect_type(kind.key_type), connect_type(kind.item_type)
        return DataType(map=DataType.Map(key_type=key, value_type=value, value_contains_null=True))
    if arrow.is_list(kind) or arrow.is_large_list(kind):
        item = connect_type(kind.value_type)
        return DataType(array=DataType.Array(element_type=item, contains_null=True))
    if arrow.is_struct(kind):
        return DataType(struct=DataType.Struct(fields=[_field(field) for field in kind]))
    raise UserError("CONNECT_PLAN_DAMAGED", reason=f"a column of type {kind}")
