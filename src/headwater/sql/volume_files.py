"""Files in volumes: SHOW VOLUME DIRECTORY, LIST, PUT, GET and REMOVE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import UserError
from headwater.names import quote_literal
from headwater.sql.assignments import Assignment, parse_assignment, require_once, unknown_option
from headwater.sql.cursor import Cursor
from headwater.sql.file_selection import (
    parse_file,
    parse_regexp,
    parse_subdirectory,
    subdirectory_to_sql,
)
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.volume_refs import (
    USER_VOLUME,
    VolumeKind,
    VolumeRef,
    at_volume_ref,
    parse_volume_ref,
)

_TRANSFER_OPTIONS = ("OVERWRITE", "PARALLEL")
_MOST_PARALLEL = 256


@dataclass(frozen=True, slots=True)
class ShowVolumeDirectory:
    """SHOW [TABLE|USER] VOLUME DIRECTORY [v] [SUBDIRECTORY 'd'] [LIKE|WHERE] [LIMIT]."""

    volume: VolumeRef
    subdirectory: str | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        name = f" {self.volume.name}" if self.volume.name is not None else ""
        head = f"SHOW {self.volume.kind} DIRECTORY{name}"
        return head + subdirectory_to_sql(self.subdirectory) + self.filter.to_sql()


@dataclass(frozen=True, slots=True)
class ListVolume:
    """LIST <volume> [SUBDIRECTORY 'd'] [REGEXP 'p']; the pattern is for the full path."""

    volume: VolumeRef
    subdirectory: str | None = None
    regexp: str | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"LIST {self.volume.to_sql()}{subdirectory_to_sql(self.subdirectory)}"
        return text + (f" REGEXP = {quote_literal(self.regexp)}" if self.regexp is not None else "")


@dataclass(frozen=True, slots=True)
class Put:
    """PUT 'local', .. TO <volume> [SUBDIRECTORY 'd' | FILE 'n'] [OVERWRITE = ..] [PARALLEL = n].

    `sources` are local paths or patterns without their `file://`; `file` is the name for the one
    file there is.
    """

    sources: tuple[str, ...]
    volume: VolumeRef
    subdirectory: str | None = None
    file: str | None = None
    overwrite: bool = True
    parallel: int | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"PUT {_quoted(self.sources)} TO {self.volume.to_sql()}"
        text += subdirectory_to_sql(self.subdirectory)
        if self.file is not None:
            text += f" FILE {quote_literal(self.file)}"
        return text + _options_to_sql(self)


@dataclass(frozen=True, slots=True)
class Get:
    """GET <volume> [SUBDIRECTORY 'd' | FILE 'f', ..] TO 'local' [OVERWRITE = ..] [PARALLEL = n]."""

    volume: VolumeRef
    target: str
    subdirectory: str | None = None
    files: tuple[str, ...] = ()
    overwrite: bool = True
    parallel: int | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"GET {self.volume.to_sql()}{subdirectory_to_sql(self.subdirectory)}"
        text += f" FILE {_quoted(self.files)}" if self.files else ""
        return f"{text} TO {quote_literal(self.target)}{_options_to_sql(self)}"


@dataclass(frozen=True, slots=True)
class Remove:
    """REMOVE <volume> {FILE 'f', .. | SUBDIRECTORY 'd'}."""

    volume: VolumeRef
    subdirectory: str | None = None
    files: tuple[str, ...] = ()

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"REMOVE {self.volume.to_sql()}{subdirectory_to_sql(self.subdirectory)}"
        return text + (f" FILE {_quoted(self.files)}" if self.files else "")


def _quoted(texts: tuple[str, ...]) -> str:
    return ", ".join(quote_literal(text) for text in texts)


def _options_to_sql(statement: Put | Get) -> str:
    text = "" if statement.overwrite else " OVERWRITE = FALSE"
    return text + (f" PARALLEL = {statement.parallel}" if statement.parallel is not None else "")


def parse_show_volume_directory(cursor: Cursor) -> ShowVolumeDirectory:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    kind = VolumeKind.NAMED
    if cursor.token.upper != "VOLUME":
        kind = VolumeKind(f"{cursor.one_of(('TABLE', 'USER'))} VOLUME")
    cursor.expect("VOLUME", "DIRECTORY")
    volume = USER_VOLUME
    if kind is not VolumeKind.USER:
        token = cursor.token
        what = "the table's name" if kind is VolumeKind.TABLE else "the volume's name"
        volume = VolumeRef(kind, cursor.object_name(what), token.span)
    folder = parse_subdirectory(cursor) if cursor.at("SUBDIRECTORY") else None
    return ShowVolumeDirectory(volume, folder, parse_show_filter(cursor))


def parse_list(cursor: Cursor) -> ListVolume:
    """Read the statement; the cursor stands before LIST. The two clauses come in any order."""
    cursor.expect("LIST")
    volume = parse_volume_ref(cursor)
    folder: str | None = None
    regexp: str | None = None
    while not cursor.at_end:
        if cursor.at("SUBDIRECTORY") and folder is None:
            folder = parse_subdirectory(cursor)
        elif cursor.at("REGEXP") and regexp is None:
            regexp = parse_regexp(cursor)
        else:
            cursor.fail_expected("SUBDIRECTORY, REGEXP or the end")
    return ListVolume(volume, folder, regexp)


def parse_put(cursor: Cursor) -> Put:
    """Read the statement; the cursor stands before PUT."""
    cursor.expect("PUT")
    sources = _local_paths(cursor)
    cursor.expect("TO")
    volume = parse_volume_ref(cursor)
    start = cursor.token.span
    folder, files = _folder_or_files(cursor)
    if files and len(sources) > 1:
        raise UserError(
            "SYNTAX_ERROR",
            problem="FILE names one file, and there are several to put",
            span=start,
            hint="write SUBDIRECTORY '<folder>/'",
        )
    if len(files) > 1:
        cursor.fail("PUT takes one FILE name", start=start.start)
    overwrite, parallel = _transfer_options(cursor)
    return Put(sources, volume, folder, files[0] if files else None, overwrite, parallel)


def parse_get(cursor: Cursor) -> Get:
    """Read the statement; the cursor stands before GET."""
    cursor.expect("GET")
    volume = parse_volume_ref(cursor)
    folder, files = _folder_or_files(cursor)
    cursor.expect("TO")
    token = cursor.token
    target = _local_path(cursor)
    if at_volume_ref(cursor) or not target:
        cursor.fail("GET writes to a local folder", start=token.start)
    overwrite, parallel = _transfer_options(cursor)
    return Get(volume, target, folder, files, overwrite, parallel)


def parse_remove(cursor: Cursor) -> Remove:
    """Read the statement; the cursor stands before REMOVE."""
    cursor.expect("REMOVE")
    volume = parse_volume_ref(cursor)
    folder, files = _folder_or_files(cursor)
    if folder is None and not files:
        cursor.fail_expected("FILE or SUBDIRECTORY", hint="SUBDIRECTORY '/' removes every file")
    cursor.expect_end()
    return Remove(volume, folder, files)


def _folder_or_files(cursor: Cursor) -> tuple[str | None, tuple[str, ...]]:
    if cursor.at("SUBDIRECTORY"):
        folder = parse_subdirectory(cursor)
        if cursor.at("FILE"):
            span = cursor.token.span
            raise UserError("CLAUSES_EXCLUDE", first="SUBDIRECTORY", second="FILE", span=span)
        return folder, ()
    if not (cursor.accept("FILE") or cursor.accept("FILES")):
        return None, ()
    cursor.accept_symbol("=")
    if cursor.at_symbol("("):
        files = cursor.comma_list(parse_file)
    else:
        several = [parse_file(cursor)]
        while cursor.accept_symbol(","):
            several.append(parse_file(cursor))
        files = tuple(several)
    if cursor.at("SUBDIRECTORY"):
        span = cursor.token.span
        raise UserError("CLAUSES_EXCLUDE", first="FILE", second="SUBDIRECTORY", span=span)
    return None, files


def _local_paths(cursor: Cursor) -> tuple[str, ...]:
    paths = [_local_path(cursor)]
    while cursor.accept_symbol(","):
        paths.append(_local_path(cursor))
    return tuple(paths)


def _local_path(cursor: Cursor) -> str:
    token = cursor.token
    path = cursor.string("a local path in quotes").removeprefix("file://")
    if not path or "\0" in path:
        cursor.fail("this is no local path", start=token.start)
    return path


def _transfer_options(cursor: Cursor) -> tuple[bool, int | None]:
    given: list[Assignment] = []
    while not cursor.at_end:
        given.append(parse_assignment(cursor))
    require_once(given)
    overwrite, parallel = True, None
    for assignment in given:
        if assignment.name.upper() == "OVERWRITE":
            overwrite = assignment.boolean()
        elif assignment.name.upper() == "PARALLEL":
            if not assignment.value.isdigit() or not 1 <= int(assignment.value) <= _MOST_PARALLEL:
                raise assignment.rejected(f"a number from 1 to {_MOST_PARALLEL}")
            parallel = int(assignment.value)
        else:
            raise unknown_option(assignment, owner="the statement", known=_TRANSFER_OPTIONS)
    return overwrite, parallel
