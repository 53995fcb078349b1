"""The clauses of a task as a definition that can be stored: names in full, everything checked.

Invariant: a script with a secret in it is kept sealed; what is shown of it is masked.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import TableKind
from headwater.catalog.tasks import SCRIPT, TaskDefinition, TaskKind
from headwater.errors import HeadwaterError, Span, UserError
from headwater.files.connections import key_source
from headwater.names import ObjectName, QualifiedName
from headwater.sql.masking import mask
from headwater.sql.parse import parse
from headwater.sql.split import split
from headwater.sql.string_literals import DOLLARS
from headwater.sql.task_clauses import RerunPolicy, Retry, TaskClauses
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.statements.find_vcluster import require_vcluster
from headwater.tasks.dependencies import find_circle
from headwater.tasks.open_script import opened_script
from headwater.tasks.parameters import check, names_in

_COVER = "****"
_PLAIN = "vcluster self_dependent timeout_seconds wait_seconds skip_seconds comment".split()


def changed_definition(
    context: Context,
    name: QualifiedName,
    clauses: TaskClauses,
    *,
    before: TaskDefinition | None,
    task_id: str,
) -> TaskDefinition:
    """`before` with what the clauses give in place of it; without it, a new definition."""
    require_vcluster(context, clauses.vcluster)
    made = _started(context, clauses) if before is None else before
    made = _with_plain_clauses(made, clauses)
    if clauses.cycle is not None:
        zone = clauses.cycle.time_zone or context.session.time_zone
        made = replace(made, cycle=replace(clauses.cycle, time_zone=zone))
    if clauses.after is not None:
        made = replace(made, after=tuple(_node(context, after) for after in clauses.after))
        _require_no_circle(context, name, made)
    script = _script(context, made, clauses, task_id)
    if made.kind is TaskKind.DYNAMIC_TABLE:
        _require_no_script_clauses(clauses)
        return replace(made, self_dependent=True)
    check(script, made.parameters, unchecked=made.unchecked)
    _require_readable(context, made.kind, script, clauses)
    return _with_script(context, made, script, before=before, task_id=task_id)


def _started(context: Context, clauses: TaskClauses) -> TaskDefinition:
    assert clauses.cycle is not None
    kind = TaskKind.PYTHON if clauses.python else TaskKind.SQL
    if clauses.target is not None:
        kind = TaskKind.DYNAMIC_TABLE
    return TaskDefinition(kind, clauses.cycle, schema=context.session.schema)


def _with_plain_clauses(made: TaskDefinition, clauses: TaskClauses) -> TaskDefinition:
    given = {name: getattr(clauses, name) for name in _PLAIN if getattr(clauses, name) is not None}
    made = replace(made, **given)
    if clauses.parameters is not None:
        made = replace(made, parameters=clauses.parameters, unchecked=clauses.unchecked)
    return made if clauses.retry is None else with_retry(made, clauses.retry)


def with_retry(made: TaskDefinition, retry: Retry) -> TaskDefinition:
    """The definition with another policy of retries."""
    return replace(
        made, retries=retry.times, retry_seconds=retry.seconds, rerun=RerunPolicy(retry.policy)
    )


def _node(context: Context, name: ObjectName) -> QualifiedName:
    task = find_task(context, name)
    if TaskKind.DYNAMIC_TABLE in (task.current.kind, task.draft.kind):
        raise UserError("TASK_NO_NODE", name=task.name, span=context.span_of(name, last=True))
    return task.name


def _require_no_circle(context: Context, name: QualifiedName, made: TaskDefinition) -> None:
    drafts = {task.name: task.draft.after for task in context.store.tasks.list()}
    circle = find_circle({**drafts, name: made.after})
    if circle is not None:
        text = " after ".join(str(part) for part in circle)
        raise UserError("TASK_CIRCLE", circle=text)


def _script(context: Context, made: TaskDefinition, clauses: TaskClauses, task_id: str) -> str:
    if clauses.script is None:
        return opened_script(context.lake, made, task_id)
    if f"'{_COVER}'" in clauses.script:
        raise UserError("SECRET_IS_MASKED", key="a credential in the script")
    return clauses.script


def _require_no_script_clauses(clauses: TaskClauses) -> None:
    for clause, given in (
        ("PARAMETERS", clauses.parameters),
        ("LANGUAGE", clauses.python),
        ("AS", clauses.script),
    ):
        if given:
            raise UserError("TASK_KIND_CLAUSE", clause=clause)


def _require_readable(context: Context, kind: TaskKind, script: str, clauses: TaskClauses) -> None:
    """A script that could never run is refused now, with its place in the text."""
    if kind is TaskKind.PYTHON:
        try:
            compile(script, "<task>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            place = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
            span = clauses.script_span
            problem = f"{getattr(error, 'msg', error)}{place}"
            raise UserError("TASK_SCRIPT_PYTHON", problem=problem, span=span) from None
        return
    if names_in(script) or "$[" in script:
        return  # what it says is known when its parameters are
    shift = _shift(context, script, clauses)
    for piece in split(script):
        try:
            parse(piece.text)
        except HeadwaterError as error:
            span = error.span
            if shift is not None and span is not None:
                by = shift + piece.start
                error.span = Span(span.start + by, span.end + by)
            else:
                error.span = clauses.script_span
            raise


def _shift(context: Context, script: str, clauses: TaskClauses) -> int | None:
    """Where the script begins in the statement, if it stands there as it is."""
    span = clauses.script_span
    if span is None:
        return None
    place = context.text.find(script, span.start)
    typed = context.text[span.start : span.end]
    quoted = typed[:1] in "'\"" and not typed.startswith(DOLLARS)
    return None if quoted or place < 0 else place


def _with_script(
    context: Context,
    made: TaskDefinition,
    script: str,
    *,
    before: TaskDefinition | None,
    task_id: str,
) -> TaskDefinition:
    masked = mask(script)
    if masked == script:
        return replace(made, script=script, sealed_script=None)
    if before is not None and opened_script(context.lake, before, task_id) == script:
        return replace(made, script=masked, sealed_script=before.sealed_script)
    # Imported late, and a key made, only for scripts that have something to hide.
    from headwater.sealing.seal import seal

    ring = key_source(context.lake).load_or_create()
    sealed = seal(script, ring, owner_id=task_id, name=SCRIPT)
    return replace(made, script=masked, sealed_script=sealed)


def dynamic_target(context: Context, name: ObjectName) -> QualifiedName:
    """The dynamic table of that name."""
    table = context.table(name)
    if table.kind not in (TableKind.DYNAMIC, TableKind.MATERIALIZED_VIEW):
        raise UserError("TASK_NOT_DYNAMIC", name=name, span=context.span_of(name, last=True))
    return QualifiedName(table.workspace, table.schema, table.name)
