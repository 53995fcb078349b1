"""`workspace.schema.table.column`: Spark knows the table without its workspace."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.errors import Span
from headwater.sql.edits import Edit
from headwater.sql.relations import Relation
from headwater.sql.tokens import Token


def workspace_edits(tokens: list[Token], relations: Iterable[Relation]) -> list[Edit]:
    """Edits that take the workspace off columns of relations that are named with it."""
    full = [r for r in relations if r.name.workspace is not None]
    edits: list[Edit] = []
    for place in range(len(tokens) - 6) if full else ():
        words = [token.value.lower() for token in tokens[place : place + 6]]
        starts = place == 0 or tokens[place - 1].text != "."
        for relation in full:
            name = relation.name
            if starts and words == [name.workspace, ".", name.schema, ".", name.name, "."]:
                edits.append(Edit(Span(tokens[place].start, tokens[place + 1].end), ""))
                break
    return edits
