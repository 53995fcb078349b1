"""Which partition a refresh is about: from the words of the statement to values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from headwater.catalog.objects import Table, TableColumn
from headwater.catalog.partitions import Partition
from headwater.errors import NotSupported, UserError
from headwater.names import QualifiedName, quote_identifier, quote_literal, show_identifier
from headwater.sql.partition_spec import PartitionSpec, PartitionValue

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_EXAMPLES = {"date": "'2026-01-31'", "boolean": "true"}

OUTSIDE = "headwater: a row lies outside of the partition"
"""What Spark says of a row that the query should not have given."""


def partition_of(
    table: Table, spec: PartitionSpec | None, *, parameterised: bool
) -> Partition | None:
    """The partition to refresh; None for all of the table.

    A table with parameters and partitions is refreshed by partition, every other as a whole.
    """
    name = QualifiedName(table.workspace, table.schema, table.name)
    columns = table.shape.partition_columns
    if spec is None:
        if parameterised and columns:
            raise UserError("PARTITION_NEEDED", table=name, columns=_example(columns))
        return None
    if not columns or not parameterised:
        reason = "reads no parameters" if columns else "has no partitions"
        raise UserError("PARTITION_OF_WHOLE_TABLE", table=name, reason=reason, span=spec.span)
    given = [value.column.lower() for value in spec.values]
    if given != [column.lower() for column in columns[: len(given)]]:
        shown = ", ".join(show_identifier(column) for column in columns)
        values = _example(columns)
        raise UserError(
            "PARTITION_COLUMNS", table=name, columns=shown, values=values, span=spec.span
        )
    kinds = {column.name.lower(): column for column in table.shape.columns}
    pairs = ((kinds[value.column.lower()], value) for value in spec.values)
    return Partition(tuple((column.name, written(column, value)) for column, value in pairs))


def _example(columns: tuple[str, ...]) -> str:
    return ", ".join(f"{show_identifier(column)} = '<value>'" for column in columns)


def written(column: TableColumn, given: PartitionValue) -> str | None:
    """A value as Delta writes it into its log, so that files can be told by it."""
    kind, text = column.type, given.value
    if text is None:
        return None
    try:
        found = _written(kind, text)
    except (ValueError, InvalidOperation):
        found = ""
    if found is None:
        raise NotSupported("PARTITION_TYPE", column=column.name, type=kind, span=given.span)
    if not found:
        example = _EXAMPLES.get(kind, "a text" if kind == "string" else "a number")
        raise UserError(
            "PARTITION_VALUE",
            value=text,
            column=column.name,
            type=kind,
            example=example,
            span=given.span,
        )
    return found


def _written(kind: str, text: str) -> str | None:
    """The value; empty if it cannot be one, None if the type has no single spelling."""
    if kind == "string" or kind.startswith("varchar"):
        return text
    if kind in _WHOLE:
        number, half = int(text), 1 << (_BITS[kind] - 1)
        return str(number) if -half <= number < half else ""
    if kind == "date":
        return date.fromisoformat(text).isoformat()
    if kind == "boolean":
        return text.lower() if text.lower() in ("true", "false") else ""
    if kind.startswith("decimal("):
        precision, scale = (int(part) for part in kind[8:-1].split(","))
        exact = Decimal(text)
        fits = exact == round(exact, scale) and abs(exact) < 10 ** (precision - scale)
        return f"{exact:.{scale}f}" if fits else ""
    return None


def condition_of(partition: Partition, types: Mapping[str, str]) -> str:
    """What holds for the rows of a partition, in Spark's words; `types` are those of columns."""
    parts = []
    for name, value in partition.values:
        literal = "NULL" if value is None else f"CAST({quote_literal(value)} AS {types[name]})"
        parts.append(f"{quote_identifier(name)} <=> {literal}")
    return " AND ".join(parts)


def holds_file(partition: Partition, physical: Mapping[str, str], file: Mapping[str, str]) -> bool:
    """Whether a file with these partition values lies in a partition; `physical` names columns."""
    return all((file.get(physical[name]) or None) == value for name, value in partition.values)
