"""Spark's word that a table or function is missing, in ours: what is near, or was dropped."""

from __future__ import annotations

import re

from headwater.errors import HeadwaterError, UserError
from headwater.names import ObjectName, did_you_mean
from headwater.statements.context import Context
from headwater.statements.functions import function_names
from headwater.tables.find import find_table

_MISSING = re.compile(r"view (`.+?`) cannot be found")
_ROUTINE = re.compile(r"routine `(?:.+`\.`)?(.+?)` on")
_FILES_HINT = "the files of a volume are read by FROM VOLUME <volume> USING <format>"


def with_near_names(context: Context, error: HeadwaterError) -> HeadwaterError:
    """The same error, if it is about a missing name with what may have been meant."""
    if not context.session.identity.sees_all:
        return error  # what is near may be what it may not know of
    if error.condition.startswith("UNRESOLVED_ROUTINE"):
        return _near_function(context, error)
    missing = _MISSING.search(error.message)
    if not error.condition.startswith("TABLE_OR_VIEW_NOT_FOUND") or missing is None:
        return error
    name = ObjectName.of(*missing.group(1).strip("`").split("`.`"))
    try:
        find_table(context.store, context.qualify(name), span=error.span)
    except UserError as better:
        near = did_you_mean(name.name, context.session.temporary_views)
        better.hint = _FILES_HINT if name.name == "volume" else near or better.hint
        better.detail = error.detail
        return better
    return error


def _near_function(context: Context, error: HeadwaterError) -> HeadwaterError:
    wrong = _ROUTINE.search(error.message)
    if wrong is not None and error.hint is None:
        known = [*context.session.spark().functions(), *function_names(context)]
        error.hint = did_you_mean(wrong.group(1), known) or "SHOW FUNCTIONS"
    return error
