"""A query as Spark's parser would get it, made without looking anything up.

Law: it has the shape of the text that is run later. Where that one reads a view of ours, a name
stands; a query whose final text cannot be known before has none here.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.errors import Span
from headwater.names import quote_identifier
from headwater.sql.casts import cast_edits
from headwater.sql.edits import Edit, EditedText, apply_edits
from headwater.sql.presigned_urls import find_presigned_urls
from headwater.sql.relations import find_relations
from headwater.sql.session_configs import parameter_edits
from headwater.sql.tokens import tokenize

_VIEW = "__headwater_view"
_ANY_VERSION = "VERSION AS OF 0"


def parser_text(text: str, span: Span, parameters: Mapping[str, str]) -> EditedText | None:
    """The query at a place in a text for a parser, whose places are those of the whole text."""
    query = text[span.start : span.end]
    tokens = tokenize(query)
    if find_presigned_urls(query, tokens):
        return None
    found = find_relations(query, tokens)
    edits = [*cast_edits(tokens), *parameter_edits(tokens, parameters)]
    for relation in found.named:
        if relation.time_travel is not None:
            edits.append(Edit(relation.time_travel.span, _ANY_VERSION))
    edits += [Edit(statement.span, _VIEW) for statement in found.statements]
    for own in found.own:
        alias = "" if own.aliased else f" AS {quote_identifier(own.relation.alias)}"
        edits.append(Edit(own.span, f"{_VIEW}{alias}"))
    moved = [Edit(Span(e.span.start + span.start, e.span.end + span.start), e.text) for e in edits]
    before, after = Edit(Span(0, span.start), ""), Edit(Span(span.end, len(text)), "")
    return apply_edits(text, [before, *moved, after])
