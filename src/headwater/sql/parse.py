"""One statement's text to its dataclass: a table from leading words to the parser that reads on.

Text that starts like nothing of ours goes to Spark unchanged, as long as it starts like a statement
that Spark knows and that cannot change the lake behind the catalog's back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from headwater.errors import NotSupported, UserError
from headwater.names import did_you_mean
from headwater.sql.alter_table import parse_alter_table
from headwater.sql.connections import (
    parse_alter_connection,
    parse_create_storage_connection,
    parse_desc_connection,
    parse_drop_connection,
    parse_other_connection,
    parse_show_connections,
)
from headwater.sql.copy_into_volume import parse_copy
from headwater.sql.create_dynamic_table import parse_create_dynamic_table
from headwater.sql.create_function import parse_create_function
from headwater.sql.create_kafka_table import parse_create_kafka_table
from headwater.sql.create_pipe import parse_create_pipe, parse_replace_pipe
from headwater.sql.create_stream import parse_create_stream, parse_create_table_stream
from headwater.sql.create_table import parse_create_table
from headwater.sql.create_volume import parse_create_volume
from headwater.sql.cursor import Cursor
from headwater.sql.describe import parse_desc_schema, parse_desc_table
from headwater.sql.dml import parse_delete, parse_insert, parse_merge, parse_update
from headwater.sql.drop import (
    parse_drop_table,
    parse_drop_view,
    parse_truncate_table,
    parse_undrop_table,
)
from headwater.sql.dynamic_tables import (
    parse_alter_dynamic_table,
    parse_drop_dynamic_table,
    parse_explain_create,
    parse_explain_refresh,
    parse_refresh_dynamic_table,
    parse_show_refresh_history,
    parse_verify_dynamic_table,
)
from headwater.sql.functions import (
    parse_desc_function,
    parse_drop_function,
    parse_show_user_functions,
)
from headwater.sql.history import parse_desc_history, parse_optimize, parse_restore_table
from headwater.sql.jobs import parse_cancel_job, parse_desc_job, parse_show_jobs
from headwater.sql.pipes import (
    parse_alter_pipe,
    parse_desc_pipe,
    parse_drop_pipe,
    parse_show_create_pipe,
    parse_show_pipes,
)
from headwater.sql.query import parse_explain, parse_query, parse_spark_command
from headwater.sql.schemas import (
    parse_alter_schema,
    parse_create_schema,
    parse_drop_schema,
    parse_use,
)
from headwater.sql.settings import parse_reset, parse_set
from headwater.sql.show import (
    parse_show_columns,
    parse_show_create_table,
    parse_show_schemas,
    parse_show_tables,
    parse_show_views,
)
from headwater.sql.streams import (
    parse_alter_stream,
    parse_alter_table_stream,
    parse_desc_table_stream,
    parse_drop_stream,
    parse_drop_table_stream,
    parse_show_table_streams,
)
from headwater.sql.tokens import Token
from headwater.sql.vacuum import parse_vacuum
from headwater.sql.views import parse_alter_view, parse_create_view
from headwater.sql.volume_files import (
    parse_get,
    parse_list,
    parse_put,
    parse_remove,
    parse_show_volume_directory,
)
from headwater.sql.volumes import (
    parse_alter_volume,
    parse_desc_volume,
    parse_drop_volume,
    parse_show_volumes,
)


class Statement(Protocol):
    """Every statement is a frozen dataclass that can be written back."""

    def to_sql(self) -> str:
        """The statement as text."""
        ...


Parser = Callable[[Cursor], Statement]

# The longest match wins, so `DESC HISTORY` comes before `DESC` without any order here.
PARSERS: dict[str, Parser] = {
    "ALTER DATABASE": parse_alter_schema,
    "ALTER DYNAMIC TABLE": parse_alter_dynamic_table,
    "ALTER PIPE": parse_alter_pipe,
    "ALTER SCHEMA": parse_alter_schema,
    "ALTER TABLE": parse_alter_table,
    "ALTER VIEW": parse_alter_view,
    "ALTER VOLUME": parse_alter_volume,
    "CANCEL JOB": parse_cancel_job,
    "COPY": parse_copy,
    "CREATE DATABASE": parse_create_schema,
    "CREATE DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE EXTERNAL TABLE": parse_create_kafka_table,
    "CREATE EXTERNAL VOLUME": parse_create_volume,
    "CREATE FUNCTION": parse_create_function,
    "CREATE IF NOT EXISTS DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE OR REPLACE DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE OR REPLACE EXTERNAL VOLUME": parse_create_volume,
    "CREATE OR REPLACE FUNCTION": parse_create_function,
    "CREATE OR REPLACE STREAM": parse_create_stream,
    "CREATE OR REPLACE TABLE": parse_create_table,
    "CREATE OR REPLACE TABLE STREAM": parse_create_table_stream,
    "CREATE OR REPLACE VIEW": parse_create_view,
    "CREATE OR REPLACE VOLUME": parse_create_volume,
    "CREATE PIPE": parse_create_pipe,
    "CREATE SCHEMA": parse_create_schema,
    "CREATE STORAGE CONNECTION": parse_create_storage_connection,
    "CREATE STREAM": parse_create_stream,
    "CREATE TABLE": parse_create_table,
    "CREATE TABLE STREAM": parse_create_table_stream,
    "CREATE VIEW": parse_create_view,
    "CREATE VOLUME": parse_create_volume,
    "DELETE": parse_delete,
    "DESC": parse_desc_table,
    "DESC CONNECTION": parse_desc_connection,
    "DESC DATABASE": parse_desc_schema,
    "DESC DYNAMIC TABLE": parse_desc_table,
    "DESC FUNCTION": parse_desc_function,
    "DESC HISTORY": parse_desc_history,
    "DESC JOB": parse_desc_job,
    "DESC PIPE": parse_desc_pipe,
    "DESC SCHEMA": parse_desc_schema,
    "DESC STREAM": parse_desc_table_stream,
    "DESC TABLE STREAM": parse_desc_table_stream,
    "DESC VOLUME": parse_desc_volume,
    "DROP CONNECTION": parse_drop_connection,
    "DROP DATABASE": parse_drop_schema,
    "DROP DYNAMIC TABLE": parse_drop_dynamic_table,
    "DROP FUNCTION": parse_drop_function,
    "DROP PIPE": parse_drop_pipe,
    "DROP SCHEMA": parse_drop_schema,
    "DROP STREAM": parse_drop_stream,
    "DROP TABLE": parse_drop_table,
    "DROP TABLE STREAM": parse_drop_table_stream,
    "DROP VIEW": parse_drop_view,
    "DROP VOLUME": parse_drop_volume,
    "EXPLAIN": parse_explain,
    "EXPLAIN CREATE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN CREATE OR REPLACE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON CREATE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON CREATE OR REPLACE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON REFRESH DYNAMIC TABLE": parse_explain_refresh,
    "EXPLAIN REFRESH DYNAMIC TABLE": parse_explain_refresh,
    "FROM": parse_query,
    "GET": parse_get,
    "INSERT": parse_insert,
    "LIST": parse_list,
    "MERGE": parse_merge,
    "OPTIMIZE": parse_optimize,
    "PUT": parse_put,
    "REFRESH DYNAMIC TABLE": parse_refresh_dynamic_table,
    "REMOVE": parse_remove,
    "RESET": parse_reset,
    "RESTORE": parse_restore_table,
    "SELECT": parse_query,
    "SET": parse_set,
    "SHOW COLUMNS": parse_show_columns,
    "SHOW CONNECTIONS": parse_show_connections,
    "SHOW CREATE": parse_show_create_table,
    "SHOW CREATE PIPE": parse_show_create_pipe,
    "SHOW DATABASES": parse_show_schemas,
    "SHOW DYNAMIC TABLE REFRESH HISTORY": parse_show_refresh_history,
    "SHOW JOBS": parse_show_jobs,
    "SHOW PIPES": parse_show_pipes,
    "SHOW SCHEMAS": parse_show_schemas,
    "SHOW STREAMS": parse_show_table_streams,
    "SHOW TABLE STREAMS": parse_show_table_streams,
    "SHOW TABLE VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW TABLES": parse_show_tables,
    "SHOW USER FUNCTIONS": parse_show_user_functions,
    "SHOW USER VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW VIEWS": parse_show_views,
    "SHOW VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW VOLUMES": parse_show_volumes,
    "TABLE": parse_query,
    "TRUNCATE": parse_truncate_table,
    "UNDROP": parse_undrop_table,
    "UPDATE": parse_update,
    "USE": parse_use,
    "VACUUM": parse_vacuum,
    "VALUES": parse_query,
    "VERIFY DYNAMIC TABLE": parse_verify_dynamic_table,
    "WITH": parse_query,
}

# Statements of others that are refused with a word on what to type instead.
_REFUSED: dict[str, Parser] = {
    "ALTER CONNECTION": parse_alter_connection,
    "ALTER STORAGE CONNECTION": parse_alter_connection,
    "ALTER STREAM": parse_alter_stream,
    "ALTER TABLE STREAM": parse_alter_table_stream,
    "CREATE API CONNECTION": parse_other_connection,
    "CREATE CATALOG CONNECTION": parse_other_connection,
    "CREATE CONNECTION": parse_other_connection,
    "CREATE EXTERNAL CATALOG": parse_other_connection,
    "CREATE OR REPLACE EXTERNAL TABLE": parse_create_kafka_table,
    "CREATE OR REPLACE PIPE": parse_replace_pipe,
    "CREATE OR REPLACE STORAGE CONNECTION": parse_alter_connection,
    "DROP STORAGE CONNECTION": parse_drop_connection,
}

# Statements of Spark's that live and die with the session, or only read.
SPARK_COMMANDS = (
    "CACHE",
    "CLEAR CACHE",
    "CREATE GLOBAL TEMPORARY VIEW",
    "CREATE OR REPLACE TEMP FUNCTION",
    "CREATE OR REPLACE TEMP VIEW",
    "CREATE OR REPLACE TEMPORARY FUNCTION",
    "CREATE OR REPLACE TEMPORARY VIEW",
    "CREATE TEMP FUNCTION",
    "CREATE TEMP VIEW",
    "CREATE TEMPORARY FUNCTION",
    "CREATE TEMPORARY VIEW",
    "DECLARE",
    "DESC QUERY",
    "DROP TEMPORARY FUNCTION",
    "DROP TEMPORARY VARIABLE",
    "SET VAR",
    "SET VARIABLE",
    "SHOW FUNCTIONS",
    "UNCACHE",
)

_ALL: dict[tuple[str, ...], Parser] = {
    tuple(key.split()): parser
    for key, parser in (
        *PARSERS.items(),
        *((command, parse_spark_command) for command in SPARK_COMMANDS),
    )
}
_REFUSING = {tuple(key.split()): parser for key, parser in _REFUSED.items()}
_LONGEST = max(len(words) for words in (*_ALL, *_REFUSING))


def parse(text: str, tokens: list[Token] | None = None) -> Statement:
    """The statement that `text` holds; `text` is one statement without its semicolon."""
    cursor = Cursor(text, tokens)
    if cursor.at_end:
        raise UserError("EMPTY_STATEMENT")
    if cursor.at_symbol("("):
        return parse_query(cursor)
    words = tuple(_word(cursor, i) for i in range(_LONGEST))
    for length in range(_LONGEST, 0, -1):
        parser = _ALL.get(words[:length]) or _REFUSING.get(words[:length])
        if parser is not None:
            return parser(cursor)
    raise _unknown(cursor, words)


def _word(cursor: Cursor, ahead: int) -> str:
    word = cursor.peek(ahead).upper
    return "DESC" if word == "DESCRIBE" and ahead == 0 else word


_INSTEAD: dict[tuple[str, ...], str] = {
    (
        "CREATE",
        "EXTERNAL",
    ): "CREATE EXTERNAL VOLUME or EXTERNAL TABLE, or CREATE TABLE .. LOCATION '/a/folder'",
    ("DROP", "EXTERNAL"): "did you mean DROP VOLUME?",
    ("SHOW", "DYNAMIC"): "SHOW TABLES WHERE is_dynamic, or SHOW DYNAMIC TABLE REFRESH HISTORY",
}


def _unknown(cursor: Cursor, words: tuple[str, ...]) -> UserError:
    """Say how far the text looked like a statement, and what would have been one."""
    same_start = [" ".join(key) for key in _ALL if key[0] == words[0]]
    if not same_start:
        firsts = {key[0] for key in _ALL}
        hint = did_you_mean(cursor.token.text, firsts)
        word = cursor.token.text
        return UserError("UNKNOWN_STATEMENT", word=word, span=cursor.token.span, hint=hint)
    known = f"known are {', '.join(sorted(same_start))}"
    replaces = words[1:3] == ("OR", "REPLACE")
    last = cursor.peek(3 if replaces else 1)
    typed = cursor.text[cursor.token.start : last.end]
    near = None if last.kind == "end" else did_you_mean(typed, same_start, cutoff=0.85)
    if len(same_start) == 1:
        near = f"did you mean {same_start[0]}?"
    if replaces and ("CREATE", words[3]) in _ALL:
        near = f"it cannot be replaced: CREATE {words[3]}"
    near = _INSTEAD.get(words[:2]) or near
    return NotSupported("UNKNOWN_STATEMENT", word=typed, span=last.span, hint=near or known)
