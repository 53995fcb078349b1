"""What PUT and GET give back: one row per file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater.errors import UserError
from headwater.files.transfers import Transfer, Transferred
from headwater.result import Column, Result

COLUMNS = (
    Column("source", "string"),
    Column("target", "string"),
    Column("source_size", "bigint"),
    Column("target_size", "bigint"),
    Column("status", "string"),
)


def transfer_result(done: Iterable[Transferred]) -> Result:
    """The rows of a finished PUT or GET."""
    rows = [
        (each.source, each.target, each.source_size, each.target_size, each.status.value)
        for each in done
    ]
    return Result.from_rows(COLUMNS, rows)


def require_own_targets(transfers: Sequence[Transfer]) -> None:
    """Refuse two files that would become one, before the first is copied."""
    first: dict[str, str] = {}
    for each in transfers:
        if each.target in first:
            raise UserError(
                "FILES_OF_ONE_NAME",
                first=first[each.target],
                second=each.source,
                target=each.target,
            )
        first[each.target] = each.source
