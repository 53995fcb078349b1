"""Runs a `.test` file on a lake of its own and says where it went otherwise than expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headwater
from headwater.cell_text import cell
from tests.sql_content import content_of
from tests.sql_file import Record, SqlFile
from tests.sql_rows import (
    blessed_rows,
    blessed_text,
    lines_match,
    row_line,
    row_matches,
    text_lines,
    text_matches,
)

NOTHING = "nothing"
_MAIN = "main"
_LAKE = "${lake}"
_FILES = "${files}"
_TIME = re.compile(r"\$\{time:([\w.]+):(\d+)\}")
_JOB = "${job}"
# Java at the user, and words that mean something only to whoever works on Spark.
_NEVER_SHOWN = (
    *("py4j", "java.", "at org.", "org.apache", "Traceback"),
    *("spark_catalog", "_LEGACY_ERROR", "DataFrameWriter", "spark.databricks."),
)
# Results must not depend on the machine.
_DEFAULTS = {"user": "tester", "time_zone": "UTC"}


class Mismatch(AssertionError):
    """A record that went otherwise than expected."""


@dataclass(slots=True)
class Runner:
    """Runs the records of one file; with `bless` a mismatch becomes the new expectation."""

    file: SqlFile
    path: Path
    lake: Path
    bless: bool = False
    _config: dict[str, Any] = field(default_factory=lambda: dict(_DEFAULTS))
    _connections: dict[str, headwater.Connection] = field(default_factory=dict)
    _current: str = _MAIN
    _job: str = ""

    def run(self) -> SqlFile:
        """Run everything; gives back the file, changed where it was blessed.

        A mismatch does not end the run: one look shows everything that went otherwise.
        """
        problems: list[str] = []
        try:
            for record in self.file.records:
                try:
                    self._run(record)
                except Mismatch as problem:
                    problems.append(str(problem))
            self._close()
        finally:
            for connection in self._connections.values():
                connection.close()
        if problems:
            raise Mismatch("\n\n".join(problems))
        return self.file

    def _run(self, record: Record) -> None:
        match record.kind:
            case "statement":
                self._statement(record)
            case "query":
                self._query(record)
            case "file" | "bytes" | "packed":
                self._write_file(record)
            case "connection":
                self._current = record.argument
            case "restart":
                self._close()
            case "set-config":
                self._set_config(record)

    @property
    def _files(self) -> Path:
        """A folder beside the lake, for files that volumes and PUT read."""
        folder = self.lake.with_name("files")
        folder.mkdir(exist_ok=True)
        return folder

    def _write_file(self, record: Record) -> None:
        name, content = content_of(record.kind, record.argument, record.sql)
        path = self._files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _set_config(self, record: Record) -> None:
        if self._connections:
            raise self._mismatch(record, "set-config must stand before the first statement")
        key, _, value = record.argument.partition(" ")
        self._config[key] = value.strip()

    def _connection(self) -> headwater.Connection:
        if self._current not in self._connections:
            self._connections[self._current] = headwater.connect(self.lake, **self._config)
        return self._connections[self._current]

    def _close(self) -> None:
        """Close every connection; a file that needs nothing must not have started Spark."""
        for connection in self._connections.values():
            if self.file.meta("needs") == NOTHING:
                assert not connection.session.lake.engine.started, f"{self.path} started Spark"
            connection.close()
        self._connections.clear()

    def _execute(self, record: Record) -> headwater.Result:
        connection = self._connection()
        sql = record.sql.replace(_LAKE, str(self.lake)).replace(_JOB, self._job)
        if _FILES in sql:
            sql = sql.replace(_FILES, str(self._files))
        result = connection.sql(self._with_times(sql))
        self._job = result.job_id
        return result

    def _with_times(self, text: str) -> str:
        return _TIME.sub(lambda found: self._time(found[1], int(found[2])), text)

    def _time(self, table: str, version: int) -> str:
        """When a version was committed, as the session prints it; read without making a job."""
        history = self._connection().session.lake.store
        session = self._connection().session.state
        *schema, name = table.split(".")
        found = history.tables.get(session.workspace, schema[0] if schema else session.schema, name)
        assert found is not None, f"there is no table {table} to take a time of"
        committed = history.versions.get(found.id, version)
        assert committed is not None, f"table {table} has no version {version}"
        return cell(session.local(committed.committed_at))

    def _statement(self, record: Record) -> None:
        outcome, _, pattern = record.argument.partition(" ")
        try:
            result = self._execute(record)
        except headwater.Error as error:
            if outcome == "ok":
                raise self._mismatch(record, f"it failed:\n{error}") from error
            self._check_error(record, error, pattern)
            return
        if outcome == "error":
            raise self._mismatch(record, f"expected an error, got: {result}")
        if not re.search(pattern, result.message, re.DOTALL):
            raise self._mismatch(
                record, f"expected a message like {pattern}\ngot: {result.message}"
            )

    def _check_error(self, record: Record, error: headwater.Error, pattern: str) -> None:
        text = self._neutral(str(error))
        shown = [word for word in _NEVER_SHOWN if word in text]
        if shown:
            raise self._mismatch(record, f"the error shows {shown} to the user:\n{text}") from error
        if not re.search(pattern, text, re.DOTALL):
            problem = f"expected an error like {pattern}\ngot:\n{text}"
            raise self._mismatch(record, problem) from error
        if record.expected is None:
            return
        got = text_lines(text)
        if not lines_match(record.expected, got, matches=text_matches):
            self._unexpected(record, got, blessed_text(record.expected, got))

    def _query(self, record: Record) -> None:
        expected = record.expected or ()
        try:
            result = self._execute(record)
        except headwater.Error as error:
            raise self._mismatch(record, f"it failed:\n{error}") from error
        if not result.returns_rows:
            raise self._mismatch(record, f"it gives no rows at all: {result}")
        any_order = record.argument == "rowsort"
        rows = [row_line(self._neutral(cell(value)) for value in row) for row in result.rows]
        got = [row_line(result.columns), *(sorted(rows) if any_order else rows)]
        if not expected and not rows:
            return
        wanted = [self._with_times(line) for line in expected]
        if not lines_match(wanted, got, matches=row_matches, any_order=any_order):
            self._unexpected(record, got, blessed_rows(expected, got))

    def _neutral(self, text: str) -> str:
        files = str(self.lake.with_name("files"))
        return text.replace(str(self.lake), _LAKE).replace(files, _FILES)

    def _unexpected(self, record: Record, got: Sequence[str], blessed: Sequence[str]) -> None:
        if not self.bless:
            # A line that a wildcard stands for is as expected: show it that way.
            wanted = list(record.expected or ())
            known = [next((w for w in wanted if row_matches(w, line)), line) for line in got]
            diff = difflib.ndiff(wanted, known)
            shown = "\n".join(line.rstrip("\n") for line in diff if not line.startswith("?"))
            raise self._mismatch(record, f"expected (-) and got (+):\n{shown}")
        self.file = self.file.with_expected(record.line, blessed)

    def _mismatch(self, record: Record, problem: str) -> Mismatch:
        return Mismatch(f"{self.path}:{record.line}: {record.head}\n{record.sql}\n\n{problem}")
