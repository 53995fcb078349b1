"""ALTER PIPE: pause, resume, one property, a look at once, or what to do with one file."""

from __future__ import annotations

from headwater.catalog.pipes import Pipe, PipeKind, PipeStatus
from headwater.errors import UserError
from headwater.pipes.file_orders import retry_file, skip_file
from headwater.pipes.find_pipe import find_pipe
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.pipe_properties import (
    KAFKA_PROPERTIES,
    VOLUME_PROPERTIES,
    properties_of,
    with_property,
)
from headwater.sql.pipes import (
    AlterPipe,
    PausePipe,
    RefreshPipe,
    ResumePipe,
    RetryFile,
    SetPipeProperty,
    SkipFile,
)
from headwater.statements.context import Context
from headwater.statements.find_vcluster import require_vcluster


def alter_pipe(context: Context, statement: AlterPipe) -> Result:
    """Change a pipe. The loop, in whatever process it runs, sees it within a second."""
    name = context.qualify(statement.name)
    pipe = find_pipe(context.store, name, span=context.span_of(statement.name))
    store, at, action = context.store.pipes, now(), statement.action
    if isinstance(action, PausePipe):
        after = store.pause(pipe.id, at)
        if after.status is PipeStatus.INVALID:
            return Result(message=f"pipe {name} is INVALID and does not run anyway")
        return Result(message=f"pipe {name} paused")
    if isinstance(action, ResumePipe):
        store.resume(pipe.id, at)
        return Result(message=f"pipe {name} is running")
    if isinstance(action, RefreshPipe):
        if pipe.status is not PipeStatus.RUNNING:
            raise UserError("PIPE_NOT_RUNNING", name=name, status=pipe.status)
        store.request_refresh(pipe.id, at)
        return Result(message=f"pipe {name} looks for new data at once")
    if isinstance(action, SkipFile):
        url = skip_file(context.lake, pipe, action.path, user=context.session.user)
        return Result(message=f"pipe {name} leaves {url} alone")
    if isinstance(action, RetryFile):
        url = retry_file(context.lake, pipe, action.path)
        return Result(message=f"pipe {name} tries {url} again")
    assert isinstance(action, SetPipeProperty)
    _set(context, pipe, action)
    return Result(message=f"pipe {name}: {action.key} is {action.value}")


def _set(context: Context, pipe: Pipe, action: SetPipeProperty) -> None:
    others = KAFKA_PROPERTIES if pipe.kind is PipeKind.VOLUME else VOLUME_PROPERTIES
    if action.key in others:
        owner, source = (
            ("Kafka", "a volume") if pipe.kind is PipeKind.VOLUME else ("a volume", "Kafka")
        )
        raise UserError(
            "PIPE_PROPERTY_OF_OTHER_SOURCE", property=action.key, owner=owner, source=source
        )
    if action.key == "VIRTUAL_CLUSTER":
        require_vcluster(context, action.value)
    changed = with_property(properties_of(pipe.properties), action.key, action.value)
    context.store.pipes.set_properties(pipe.id, changed.given, now())
