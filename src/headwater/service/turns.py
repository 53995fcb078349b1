"""What a script must not run beside: those that share a turn run one after the other. Pure.

Law: a turn costs a wait, never a place; so refreshes of one table wait in the line for each other
instead of failing with REFRESH_RUNNING, and keep nobody else from running meanwhile.
"""

from __future__ import annotations

from headwater.errors import UserError
from headwater.sql.dynamic_tables import RefreshDynamicTable
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize

_REFRESH = "REFRESH"
_LONGEST = 10_000


def turns_of(script: str, *, session: str | None, workspace: str, schema: str) -> frozenset[str]:
    """The turns of a script: its session's, and that of the table whose refresh is all it does.

    >>> sorted(turns_of("REFRESH DYNAMIC TABLE d", session="a", workspace="w", schema="s"))
    ['REFRESH w.s.d', 'SESSION a']
    """
    own = set() if session is None else {f"SESSION {session}"}
    refresh = _refresh(script)
    if refresh is not None:
        name = refresh.name.qualified(workspace=workspace, schema=schema).full
        # Two partitions may be refreshed at once.
        part = "" if refresh.partition is None else f" {refresh.partition.to_sql()}"
        own.add(f"{_REFRESH} {name}{part}")
    return frozenset(own)


def _refresh(script: str) -> RefreshDynamicTable | None:
    if len(script) > _LONGEST or _REFRESH not in script.upper():
        return None
    try:
        tokens = tokenize(script)
        if not tokens or tokens[0].upper != _REFRESH:
            return None
        found = parse(script.rstrip().rstrip(";"))
    except UserError:
        # It fails before it could refresh anything.
        return None
    return found if isinstance(found, RefreshDynamicTable) else None
