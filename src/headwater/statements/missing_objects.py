"""The errors for objects that are not there, or of which somebody may not know: the same ones."""

from __future__ import annotations

from headwater.errors import Span, UserError
from headwater.names import QualifiedName, show_identifier
from headwater.sql.privileges import Securable


def missing(kind: Securable, name: QualifiedName, span: Span | None) -> UserError:
    """The error for an object that is not there, or of which the session may not know."""
    match kind:
        case Securable.SCHEMA:
            shown = show_identifier(name.schema)
            return UserError("SCHEMA_NOT_FOUND", name=shown, span=span, hint="SHOW SCHEMAS")
        case Securable.TABLE:
            hint = f"SHOW TABLES IN {show_identifier(name.schema)}"
            return UserError("TABLE_NOT_FOUND", table=name, span=span, hint=hint)
        case Securable.VOLUME:
            return UserError("VOLUME_NOT_FOUND", name=name, span=span)
        case Securable.PIPE:
            return UserError("PIPE_NOT_FOUND", name=name, span=span)
        case Securable.FUNCTION:
            return UserError("FUNCTION_NOT_FOUND", name=name, span=span)
        case Securable.CONNECTION:
            return UserError("CONNECTION_NOT_FOUND", name=name.name, span=span)
        case Securable.VCLUSTER:
            return UserError("VCLUSTER_NOT_FOUND", name=name.name, span=span)
    return UserError("JOB_NOT_FOUND", job_id=name.name, span=span)
