"""CURRENT_VCLUSTER() inside a statement: the name of the session's virtual cluster."""

from __future__ import annotations

from headwater.errors import Span
from headwater.names import quote_identifier, quote_literal
from headwater.sql.edits import Edit
from headwater.sql.function_calls import find_function_calls
from headwater.sql.tokens import Token
from headwater.statements.context import Context

_NAME = "current_vcluster"


def vcluster_edits(context: Context, text: str, tokens: list[Token]) -> list[Edit]:
    """Edits that put the name in place of each call."""
    if not any(token.upper == _NAME.upper() for token in tokens):
        return []
    edits = []
    for call in find_function_calls(tokens):
        own = call.name.schema is None and call.name.name == _NAME and not call.arguments
        if own:
            span = Span(call.span.start, call.end)
            shown = text[span.start : span.end]
            alias = f" AS {quote_identifier(shown)}" if call.is_item else ""
            edits.append(Edit(span, quote_literal(context.session.vcluster) + alias))
    return edits
