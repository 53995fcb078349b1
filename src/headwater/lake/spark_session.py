"""One connection's Spark session behind a small surface: run, describe, temporary views, settings.

Everything that leaves this class is plain Python; every error that leaves it is Headwater's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from headwater.catalog.functions import Function
from headwater.catalog.objects import TableColumn
from headwater.lake.avro_schemas import avro_schema_text
from headwater.lake.changes.canonical import canonical
from headwater.lake.changes.classify import Classified
from headwater.lake.changes.delta_files import DeltaFiles
from headwater.lake.changes.frames import PlainScan, changes_frame, whole_changes_frame
from headwater.lake.changes.kept import KeptChanges
from headwater.lake.commits.apply import Mark, Note, apply_write
from headwater.lake.commits.choose import SMALL, Limits
from headwater.lake.commits.delta_transaction import settings as session_settings
from headwater.lake.commits.last_question import LastQuestion, Question
from headwater.lake.commits.row_origins import number_rows
from headwater.lake.commits.stored_table import Within, read_stored_table
from headwater.lake.commits.writes import Applied, Write
from headwater.lake.file_frames import frame_of, not_utf8, rows_by_file, write_files
from headwater.lake.file_scan import FileScan, FileTarget, literal_path
from headwater.lake.in_jvm.named import java_class
from headwater.lake.json_documents import first_json_keys, holds_one_json_document
from headwater.lake.kafka_frames import messages
from headwater.lake.manners import FEW_JOBS, NO_CODE, ONE_JOB, SENDING_LITTLE
from headwater.lake.plans import same_plan, types_within
from headwater.lake.python_functions import register_python_function
from headwater.lake.rows import fetch
from headwater.lake.spark_errors import reshape
from headwater.lake.table_folders import LocalPlaces, TableFolder, TablePlaces
from headwater.lake.temporary_views import TemporaryViews
from headwater.lake.type_definitions import type_definition
from headwater.names import quote_identifier
from headwater.result import Result
from headwater.sql.edits import EditedText, own_text

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
TRANSACTION_APP = "spark.databricks.delta.write.txnAppId"
TRANSACTION = "spark.databricks.delta.write.txnVersion"


class SparkConnection:
    """A private Spark session: SET and temporary views stay inside it."""

    def __init__(self, session: SparkSession, places: TablePlaces | None = None) -> None:
        self._session = session
        self._places = places or LocalPlaces()
        sessions = java_class(session, "org.apache.spark.sql.classic.SparkSession")
        self._set_active = sessions.setActiveSession
        self._views = TemporaryViews(session)

    def folder(self, location: str) -> TableFolder:
        """The log and the files of a table at a place."""
        return self._places.folder(location)

    @contextmanager
    def _in_session(self, text: EditedText | None = None) -> Iterator[None]:
        """Make this the thread's active session, and reshape what goes wrong inside.

        Delta asks for the active session in places where the one it works for is not at hand; with
        several lakes in a process it would find another lake's.
        """
        try:
            self._set_active(self._session._jsparkSession)
            yield
        except Exception as error:
            raise reshape(error, text) from error

    def run(self, text: EditedText) -> Result:
        """Run a statement and take all its rows."""
        with self._in_session(text):
            return fetch(self._session.sql(text.text))

    def command(self, text: EditedText) -> None:
        """Run a statement for what it does; Spark runs those at once, and its rows say nothing."""
        with self._in_session(text):
            self._session.sql(text.text)

    def read_all(self, query: EditedText) -> None:
        """Read every row of a query and keep none, to see whether it can be read."""
        with self._in_session(query):
            self._session.sql(query.text).write.format("noop").mode("overwrite").save()

    def execute(self, sql: str) -> None:
        """Run a command made by Headwater itself."""
        self.command(own_text(sql))

    def columns_of(self, query: EditedText) -> tuple[TableColumn, ...]:
        """The columns a query gives, without running it."""
        return tuple(column for column, _ in self.definitions_of(query))

    def definitions_of(self, query: EditedText) -> tuple[tuple[TableColumn, str], ...]:
        """The columns a query gives, each with its type as CREATE TABLE takes it."""
        with self._in_session(query):
            fields = self._session.sql(query.text).schema.fields
        return tuple((_column(field), type_definition(field.dataType)) for field in fields)

    def overwrite(self, location: str, sql: str) -> int:
        """Make the rows of a query all there is at a place, and give back the Delta version."""
        with self._in_session(own_text(sql)):
            writer = self._session.sql(sql).write.format("delta").mode("overwrite")
            writer.option("overwriteSchema", "true").save(location)
        return self.version_of(location)

    def version_of(self, location: str) -> int:
        """The newest Delta version of a table at a place."""
        with self._in_session():
            log = self._delta_log(location)
            nothing = getattr(log, "update$default$2")()
            return int(log.update(False, nothing, nothing).version())

    def _delta_log(self, location: str) -> Any:
        logs = java_class(self._session, "org.apache.spark.sql.delta.DeltaLog")
        return logs.forTable(self._session._jsparkSession, location)

    def number_rows(self, location: str) -> None:
        """Give the rows of a table the numbers of the commits that wrote them, if they have none.

        The commits bear the note that those of this session bear now.
        """
        with self._in_session(own_text("")):
            note = self._session.conf.get(USER_METADATA, "") or ""
            number_rows(self._session, location, self.folder(location).log, note=note)

    def restore(self, location: str, version: int) -> None:
        """Make a table what it was at a Delta version."""
        table = f"delta.{quote_identifier(location)}"
        self.execute(f"RESTORE TABLE {table} TO VERSION AS OF {version}")

    def same_plan(self, one: EditedText, other: EditedText) -> bool:
        """Whether two queries mean the same to Spark's optimizer."""
        with self._in_session(own_text("")):
            return same_plan(self._session, one.text, other.text)

    def types_within(self, query: EditedText) -> dict[str, tuple[str, bool]]:
        """The types of the columns of a query and of its sub-queries, and which may be NULL."""
        with self._in_session(query):
            return types_within(self._session, query.text)

    def create_part(self, name: str, sql: str) -> None:
        """Let several places of a query read rows that are then worked out once."""
        with self._in_session(own_text(sql)):
            self._session.sql(sql).persist().createOrReplaceTempView(name)

    def drop_part(self, name: str) -> None:
        """Forget such rows."""
        with self._in_session():
            self._session.table(name).unpersist()
            self._session.catalog.dropTempView(name)

    def canonical(self, value: str, kind: str) -> str:
        """An expression equal exactly where values of a type are, by which Spark can group."""
        from pyspark.sql.types import DataType

        with self._in_session():
            return canonical(value, DataType.fromDDL(kind))

    def functions(self) -> list[str]:
        """The names of all functions this session knows."""
        with self._in_session():
            return [row[0] for row in self._session.sql("SHOW FUNCTIONS").collect()]

    def system_functions(self) -> frozenset[str]:
        """The names of Spark's own functions."""
        with self._in_session():
            rows = self._session.sql("SHOW SYSTEM FUNCTIONS").collect()
        return frozenset(row[0].lower() for row in rows)

    def has_function(self, name: str) -> bool:
        """Whether Spark knows a function of that name, of its own or a temporary one."""
        with self._in_session():
            java: Any = self._session._jsparkSession
            return bool(java.catalog().functionExists(quote_identifier(name)))

    def set_variable(self, name: str, kind: str, expression: str) -> None:
        """Give a variable of this session, of a type, the value that an expression has now."""
        self.execute(f"DECLARE OR REPLACE VARIABLE {name} {kind}")
        self.execute(f"SET VARIABLE {name} = (SELECT {expression})")

    def register_python_function(self, name: str, function: Function) -> None:
        """Let SQL call a function of the lake."""
        with self._in_session():
            register_python_function(self._session, name, function)

    @contextmanager
    def commit_note(
        self, note: str, question: Question, *, transaction: tuple[str, int] | None = None
    ) -> Iterator[None]:
        """Write `note` into every Delta commit made inside, and ask the question before each.

        With a `transaction`, an application and a number, Delta does nothing if the table has a
        commit of that application with that number or a higher one.
        """
        settings = {USER_METADATA: note}
        if transaction is not None:
            settings |= {TRANSACTION_APP: transaction[0], TRANSACTION: str(transaction[1])}
        with self._in_session():
            for key, value in settings.items():
                self._session.conf.set(key, value)
        try:
            with self._last_question.asked(question):
                yield
        finally:
            with self._in_session():
                for key in settings:
                    self._session.conf.unset(key)

    @cached_property
    def _last_question(self) -> LastQuestion:
        with self._in_session():
            return LastQuestion(self._session)

    def read_state(self, location: str) -> None:
        """Let Delta read the state of a table now, which the next statement on it then has.

        A commit of a batch asks for the batches before it: that takes three Spark jobs.
        """
        with self._in_session():
            log = self._delta_log(location)
            log.unsafeVolatileSnapshot().transactions()

    def in_one_job(self, *, few_rows: bool = False) -> AbstractContextManager[None]:
        """For little data: one Spark job for a whole query, and for `few_rows` no code for it.

        Otherwise every step that Spark looks at before it plans the next, and every table it sends
        to all tasks, is a job of its own, which costs more than such a step.
        """
        return self._set(ONE_JOB | NO_CODE if few_rows else ONE_JOB)

    def in_few_jobs(self) -> AbstractContextManager[None]:
        """For queries that say what is to be sent to all tasks: Spark has nothing to find out.

        Every step that it looks at before it plans the next would be a job of its own.
        """
        return self._set(FEW_JOBS)

    def sending_little(self) -> AbstractContextManager[None]:
        """For queries that say what is to be sent to all tasks: too much of it is an error.

        Spark would otherwise take it all into the memory of the driver.
        """
        return self._set(SENDING_LITTLE)

    @contextmanager
    def _set(self, values: Mapping[str, str]) -> Iterator[None]:
        with self._in_session():
            settings = session_settings(self._session, values)
            settings.__enter__()
        try:
            yield
        finally:
            with self._in_session():
                settings.__exit__(None, None, None)

    def apply(
        self,
        location: str,
        write: Write,
        *,
        note: Note,
        transaction: tuple[str, int] | None = None,
        limits: Limits = SMALL,
        settings: Mapping[str, str] | None = None,
        within: Within | None = None,
    ) -> Applied:
        """Change a Delta table in one commit.

        Args:
            location: where the table is.
            write: what is to come and go.
            note: gives the text for `userMetadata`, once it is known how many rows come and go.
            transaction: an application and a number; if the table has a commit of that application
                with that number or a higher one, nothing is done.
            limits: up to which size a table is rewritten as a whole.
            settings: what else to set in this session meanwhile.
            within: the partition that is all the write knows of the table.

        Raises:
            InternalError: REFRESH_DELETES_MISSING_ROW if fewer copies of a row are there than go.
            TransientError: CONCURRENT_CHANGE if another writer committed meanwhile.
        """
        mark = Mark(note, transaction)
        with (
            self._in_session(own_text("")),
            session_settings(self._session, settings or {}),
        ):
            return apply_write(
                self._session,
                location,
                write,
                folder=self.folder(location),
                mark=mark,
                limits=limits,
                within=within,
            )

    def column_values(self, query: str, columns: Sequence[str]) -> dict[str, list[Any]]:
        """The values of columns of a query, each value once, NULL left out."""
        listed = ", ".join(quote_identifier(name) for name in columns)
        text = own_text(f"SELECT {listed} FROM ({query})")  # noqa: S608 - names are quoted
        with self._in_session(text):
            rows = fetch(self._session.sql(text.text)).to_arrow()
        return {
            name: rows.column(place).unique().drop_null().to_pylist()
            for place, name in enumerate(columns)
        }

    def create_view(self, name: str, table: pyarrow.Table) -> None:
        """Make rows visible to SQL under a temporary name."""
        with self._in_session():
            self._views.create(name, self._session.createDataFrame(table))

    def create_file_view(self, name: str, scan: FileScan) -> None:
        """Make the rows of files visible to SQL under a temporary name."""
        with self._in_session(own_text("")):
            self._views.create(name, frame_of(self._session, scan))

    def create_kafka_view(self, name: str, options: Mapping[str, str]) -> None:
        """Make messages visible to SQL under a temporary name."""
        with self._in_session(own_text("")):
            self._views.create(name, messages(self._session, options))

    def create_change_view(
        self, name: str, location: str, classified: Classified, columns: Sequence[str]
    ) -> str | None:
        """Make what changed in a table visible to SQL: a relation over a temporary name.

        None if nothing did.
        """
        with self._in_session(own_text("")):
            changes = changes_frame(self._session, location, classified, columns)
            if isinstance(changes, PlainScan):
                self._views.create(name, changes.rows)
                selected = ", ".join(changes.selected)
                return f"(SELECT {selected} FROM {quote_identifier(name)})"  # noqa: S608
            if changes is None:
                return None
            self._views.create(name, changes)
        return quote_identifier(name)

    def create_kept_change_view(
        self,
        name: str,
        location: str,
        classified: Classified,
        columns: Sequence[str],
        *,
        kept: KeptChanges,
        rows: int,
    ) -> tuple[str, ...] | None:
        """The same for changes that others ask for as well: the columns there are.

        There may be more of them, and in the first two places stand type and version.
        """
        with self._in_session(own_text("")):

            def make() -> DataFrame | None:
                return whole_changes_frame(self._session, location, classified, columns)

            found = kept.rows_of(location, classified.range, columns, rows, make)
            if found is None:
                return None
            self._views.create(name, found.frame)
        return found.columns

    def create_snapshot_view(self, name: str, location: str, version: int) -> None:
        """Make a version of a table visible to SQL under a temporary name.

        Its files are looked up in the log here: Delta would run Spark jobs to find them, which for
        a small table take longer than reading it.
        """
        with self._in_session(own_text("")):
            stored = read_stored_table(self.folder(location).log, version)
            files = DeltaFiles(self._session, location, version)
            self._views.create(name, files.all_rows(stored.files))

    def columns_of_files(self, scan: FileScan) -> tuple[tuple[str, str], ...]:
        """The columns that files hold, with their types."""
        with self._in_session(own_text("")):
            return tuple(frame_of(self._session, scan).dtypes)

    def first_line(self, path: str) -> str | None:
        """The first line of a file."""
        with self._in_session(own_text("")):
            row = self._session.read.text([literal_path(path)]).first()
        return None if row is None else str(row[0])

    def holds_one_json_document(self, path: str) -> bool:
        """Whether a file of JSON ends with its first document."""
        return holds_one_json_document(self._session, path)

    def first_json_keys(self, path: str) -> tuple[str, ...]:
        """The keys of the first document in a file of JSON."""
        return first_json_keys(self._session, path)

    def avro_schema(self, path: str) -> str | None:
        """The schema in the header of an Avro file; None if it is none."""
        with self._in_session(own_text("")):
            return avro_schema_text(self._session, path)

    def files_not_utf8(self, scan: FileScan) -> list[str]:
        """Some of the files that are not UTF-8, as Spark names them."""
        with self._in_session(own_text("")):
            return not_utf8(self._session, scan)

    def rows_by_file(self, scan: FileScan) -> dict[str, int]:
        """How many rows each file holds, by path as Spark names it."""
        with self._in_session(own_text("")):
            return rows_by_file(self._session, scan)

    def write_files(self, query: EditedText, target: FileTarget) -> None:
        """Write the rows of a query as files into a folder that must not exist yet."""
        with self._in_session(query):
            write_files(self._session.sql(query.text), target)

    def register_function(self, name: str, function: Callable[..., str | None]) -> None:
        """Let SQL call a Python function of this session that gives a text."""
        with self._in_session():
            from pyspark.sql.functions import udf

            # PySpark looks at type hints for another kind of function, and warns if it finds none.
            function.__annotations__ = {}
            made = udf(function, "string").asNondeterministic()
            self._session.udf.register(name, made)

    def drop_view(self, name: str) -> None:
        """Forget a temporary name of ours."""
        with self._in_session():
            self._views.drop(name)

    def drop_users_view(self, name: str) -> None:
        """Forget a temporary view of the user's, and what CACHE kept of it."""
        with self._in_session():
            self._session.catalog.dropTempView(name)

    def use_database(self, name: str) -> None:
        """Where names without a schema belong."""
        with self._in_session():
            self._session.sql(f"USE {quote_identifier(name)}")

    def set(self, key: str, value: str) -> None:
        """Change a setting of this session."""
        with self._in_session():
            self._session.conf.set(key, value)

    def reset(self, key: str) -> None:
        """Give a setting of this session its default."""
        with self._in_session():
            self._session.conf.unset(key)

    def get(self, key: str) -> str | None:
        """The value of a Spark setting in this session."""
        with self._in_session():
            value: Any = self._session.conf.get(key, None)
        return None if value is None else str(value)


def _column(field: Any) -> TableColumn:
    return TableColumn(
        name=field.name,
        type=field.dataType.simpleString(),
        nullable=field.nullable,
        comment=field.metadata.get("comment"),
    )
