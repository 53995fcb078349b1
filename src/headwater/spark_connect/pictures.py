"""Rows as Spark's `show` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.cell_text import cell

_LEAST_WIDTH = 3
_DOTS = "..."


def picture(
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    truncate: int = 20,
    vertical: bool = False,
    more: int | None = None,
) -> str:
    """A table in lines; with `more` it says that it shows so many of the rows only.

    >>> print(picture(["id", "name"], [(1, "a"), (2, None)]), end="")
    +---+----+
    | id|name|
    +---+----+
    |  1|   a|
    |  2|NULL|
    +---+----+
    """
    shown = [[_cut(_text(value), truncate) for value in row] for row in rows]
    heads = [_cut(name, truncate) for name in names]
    text = _records(heads, shown) if vertical else _table(heads, shown, left=truncate <= 0)
    if more is None:
        return text
    return f"{text}only showing top {more} {'row' if more == 1 else 'rows'}\n"


def _text(value: object) -> str:
    text = "NULL" if value is None else cell(value)
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _cut(text: str, truncate: int) -> str:
    if truncate <= 0 or len(text) <= truncate:
        return text
    return text[:truncate] if truncate < len(_DOTS) + 1 else text[: truncate - 3] + _DOTS


def _table(heads: list[str], rows: list[list[str]], *, left: bool) -> str:
    lines = [heads, *rows]
    widths = [
        max(_LEAST_WIDTH, *(len(line[place]) for line in lines)) for place in range(len(heads))
    ]
    rule = "+" + "+".join("-" * width for width in widths) + "+\n"

    def row(cells: list[str]) -> str:
        padded = (
            text.ljust(width) if left else text.rjust(width)
            for text, width in zip(cells, widths, strict=True)
        )
        return "|" + "|".join(padded) + "|\n"

    return rule + row(heads) + rule + "".join(map(row, rows)) + rule


def _records(heads: list[str], rows: list[list[str]]) -> str:
    name = max([_LEAST_WIDTH, *map(len, heads)])
    value = max([_LEAST_WIDTH, *(len(text) for row in rows for text in row)])
    if not rows:
        return "(0 rows)\n"
    text = ""
    for number, row in enumerate(rows):
        text += f"-RECORD {number}".ljust(name + value + 5, "-") + "\n"
        for head, cell_text in zip(heads, row, strict=True):
            text += f" {head.ljust(name)} | {cell_text.ljust(value)} \n"
    return text
