"""How many columns a generator such as explode makes, and what Spark calls them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.functions import name_of

TypeOf = Callable[[exp.Expression], str | None]

_MAPS = frozenset(
    "map map_concat map_entries map_filter map_from_arrays map_from_entries str_to_map "
    "transform_keys transform_values map_zip_with".split()
)


def generated_names(generator: exp.Expression, type_of: TypeOf) -> tuple[str, ...] | None:
    """The names Spark gives to the columns of a generator; None if only Spark can know."""
    name = name_of(generator).removesuffix("_outer")
    arguments = list(generator.iter_expressions())
    if not arguments:
        return None
    match name:
        case "explode" | "posexplode":
            names = ("key", "value") if _is_map(arguments[0], type_of) else ("col",)
            return ("pos", *names) if name == "posexplode" else names
        case "stack":
            return _stack(arguments)
        case "json_tuple":
            return tuple(f"c{index}" for index in range(len(arguments) - 1))
        case "inline":
            return _fields(type_of(arguments[0]))
        case "variant_explode":
            return ("pos", "key", "value")
    return None


def _is_map(argument: exp.Expression, type_of: TypeOf) -> bool:
    if name_of(argument) in _MAPS:
        return True
    return (type_of(argument) or "").lower().startswith("map<")


def _stack(arguments: list[exp.Expression]) -> tuple[str, ...] | None:
    rows = arguments[0]
    if not isinstance(rows, exp.Literal) or rows.is_string or int(rows.name) < 1:
        return None
    width = -(-(len(arguments) - 1) // int(rows.name))
    return tuple(f"col{index}" for index in range(width))


def _fields(type: str | None) -> tuple[str, ...] | None:
    lower = (type or "").lower()
    if not lower.startswith("array<struct<"):
        return None
    made = exp.DataType.build(type or "", dialect="spark").expressions[0]
    return tuple(field.name for field in made.expressions)
