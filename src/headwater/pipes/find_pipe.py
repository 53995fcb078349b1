"""From a pipe's name to the pipe, or the error that says what there is instead."""

from __future__ import annotations

from headwater.catalog.pipes import Pipe
from headwater.catalog.store import Store
from headwater.errors import Span, UserError
from headwater.names import QualifiedName, did_you_mean
from headwater.tables.find import find_schema


def find_pipe(store: Store, name: QualifiedName, *, span: Span | None = None) -> Pipe:
    """The pipe of that name, or PIPE_NOT_FOUND."""
    found = store.pipes.get(name.workspace, name.schema, name.name)
    if found is None:
        find_schema(store, name.workspace, name.schema, span=span)
        known = [pipe.name for pipe in store.pipes.list(name.workspace, name.schema)]
        hint = did_you_mean(name.name, known) or "SHOW PIPES"
        raise UserError("PIPE_NOT_FOUND", name=name, span=span, hint=hint)
    return found
