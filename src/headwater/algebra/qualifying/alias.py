"""The alias of a relation in a FROM clause: what stands in the text, and what we print."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.qualifying.scope import ColumnName
from headwater.algebra.refusal import Reason, refuse


def typed_alias(item: exp.Expression) -> str | None:
    """The alias that stands in the text."""
    alias = item.args.get("alias")
    named = alias.this if isinstance(alias, exp.TableAlias) else alias
    return None if named is None else str(named.name)


def called_by(item: exp.Expression, parts: tuple[str, ...]) -> tuple[str, ...]:
    """The name that columns may have in front: the alias, or the parts of the table's own name."""
    typed = typed_alias(item)
    return parts if typed is None else (typed.lower(),)


def typed_columns(item: exp.Expression) -> tuple[str, ...]:
    """The names for columns that stand behind the alias."""
    alias = item.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return tuple(column.name for column in columns or ())


def renamed_columns(
    columns: tuple[ColumnName, ...], names: tuple[str, ...]
) -> tuple[ColumnName, ...]:
    """The columns under other names; without any, as they are."""
    if not names:
        return columns
    if len(names) != len(columns):
        raise refuse("names for another number of columns", Reason.NAME_UNKNOWN)
    pairs = zip(names, columns, strict=True)
    return tuple(ColumnName(name, name, column.type) for name, column in pairs)


def table_alias(
    alias: str, columns: tuple[ColumnName, ...], renamed: tuple[str, ...]
) -> exp.TableAlias:
    """What is printed behind AS; names of columns only where they are not the relation's own."""
    names = [exp.to_identifier(column.printed, quoted=True) for column in columns]
    return exp.TableAlias(
        this=exp.to_identifier(alias, quoted=True), columns=names if renamed else None
    )
