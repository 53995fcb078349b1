"""A pipe ready to run: its statement opened, its properties read, its source and target found."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.catalog.objects import Table, TableKind
from headwater.catalog.pipes import BODY, Pipe
from headwater.errors import SchemaError
from headwater.files.connections import key_source
from headwater.names import ObjectName, QualifiedName
from headwater.runtime.open_lake import OpenLake
from headwater.sql.copy_into_table import CopyIntoTable, OnError
from headwater.sql.pipe_body import PipeBody, pipe_body
from headwater.sql.pipe_properties import PipeProperties, properties_of


@dataclass(frozen=True, slots=True)
class OpenPipe:
    """A pipe and what it means."""

    pipe: Pipe
    text: str
    """The statement with its secrets: never shown."""
    body: PipeBody
    properties: PipeProperties
    target: Table

    @property
    def aborts(self) -> bool:
        """Whether a file that cannot be read stops the pipe."""
        statement = self.body.statement
        if not isinstance(statement, CopyIntoTable):
            return True
        return statement.on_error is not OnError.CONTINUE

    @property
    def purges(self) -> bool:
        """Whether files are deleted when they are loaded."""
        return self.body.purge


def open_pipe(lake: OpenLake, pipe: Pipe) -> OpenPipe:
    """The pipe with its statement parsed and its target as it is now."""
    text = body_text(lake, pipe)
    body = pipe_body(text)
    return OpenPipe(
        pipe, text, body, properties_of(pipe.properties), _target(lake, pipe, body.statement.target)
    )


def body_text(lake: OpenLake, pipe: Pipe) -> str:
    """The statement with its secrets, which are sealed under the pipe's id."""
    if pipe.sealed_body is None:
        return pipe.body
    from headwater.sealing.seal import open_sealed

    return open_sealed(pipe.sealed_body, key_source(lake).load(), owner_id=pipe.id, name=BODY)


def _target(lake: OpenLake, pipe: Pipe, name: ObjectName) -> Table:
    """By name: a table that was dropped and made anew is what its user wants filled."""
    full: QualifiedName = name.qualified(workspace=pipe.workspace, schema=pipe.body_schema)
    table = lake.store.tables.get(full.workspace, full.schema, full.name)
    if table is None or table.kind is not TableKind.TABLE:
        raise SchemaError("PIPE_TARGET_GONE", pipe=f"{pipe.schema}.{pipe.name}", table=full)
    return table
