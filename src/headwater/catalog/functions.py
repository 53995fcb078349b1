"""Functions as plain data: a name, parameters, and the Python code that gives the value. No I/O.

Law: an id stands for one definition. Who replaces a function gives it a new id, so that a session
that registered the old one sees that it has to register again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headwater.names import QualifiedName
from headwater.sql.create_function import FunctionParameter


@dataclass(frozen=True, slots=True)
class Function:
    """A scalar function; `body` is Python as it was typed, `returns` a type of Spark's."""

    id: str
    workspace: str
    schema: str
    name: str
    parameters: tuple[FunctionParameter, ...]
    returns: str
    body: str
    creator: str
    created_at: datetime
    modified_at: datetime
    deterministic: bool = True
    comment: str | None = None

    @property
    def qualified(self) -> QualifiedName:
        """Its full name."""
        return QualifiedName(self.workspace, self.schema, self.name)

    @property
    def signature(self) -> str:
        """Its parameters with their types."""
        return ", ".join(f"{parameter.name} {parameter.type}" for parameter in self.parameters)
