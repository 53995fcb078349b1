"""parse, write back, parse again: the same statement, for every statement there is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.names import ObjectName
from headwater.sql.alter_table import (
    AddColumns,
    AlterTable,
    ChangeColumn,
    ClusterBy,
    DropColumns,
    Position,
    RenameColumn,
    RenameTo,
    SetComment,
    SetProperties,
    UnsetProperties,
)
from headwater.sql.copy_into_table import CopyIntoTable, OnError
from headwater.sql.create_dynamic_table import CreateDynamicTable, DynamicColumn
from headwater.sql.create_function import CreateFunction
from headwater.sql.create_pipe import CreatePipe
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.file_formats import CsvReadOptions, FileFormat
from headwater.sql.file_selection import ALL_FILES, FileSelection
from headwater.sql.function_calls import NO_FUNCTIONS
from headwater.sql.parse import Statement, parse
from headwater.sql.pipe_body import pipe_body
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import AlterPipe, SetPipeProperty, ShowPipes
from headwater.sql.refresh_clause import RefreshClause
from headwater.sql.relations import find_relations
from headwater.sql.show import ShowTables
from headwater.sql.show_filter import ShowFilter
from headwater.sql.tokens import tokenize
from headwater.sql.views import CreateView
from headwater.sql.volume_paths import Location
from headwater.sql.volume_refs import USER_VOLUME, VolumeKind, VolumeRef
from headwater.sql.volume_relation import VolumeRelation
from headwater.sql.volumes import CreateExternalVolume
from headwater.statements.dispatch import HANDLERS

TEXTS = [
    "ALTER DYNAMIC TABLE d CHANGE COLUMN c COMMENT 'x'",
    "ALTER DYNAMIC TABLE IF EXISTS s.d SUSPEND",
    "ALTER DYNAMIC TABLE d RESUME",
    "ALTER DYNAMIC TABLE d RENAME TO s.e",
    "ALTER DYNAMIC TABLE d SET COMMENT = 'x'",
    "ALTER DYNAMIC TABLE d SET PROPERTIES ('data_lifecycle' = '3')",
    "ALTER DYNAMIC TABLE d SET REFRESH INTERVAL '2' HOUR VCLUSTER 'gp'",
    "ALTER DYNAMIC TABLE d SET REFRESH_MODE = INCREMENTAL STRICT",
    "ALTER DYNAMIC TABLE d UNSET PROPERTIES ('data_lifecycle')",
    "ALTER PIPE p REFRESH",
    'ALTER PIPE s.p SET COPY_JOB_HINT = \'{"IGNORE_TMP_FILE": "false"}\'',
    "ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE",
    "ALTER PIPE p SET PIPE_EXECUTION_PAUSED = 'true'",
    "ALTER SCHEMA s SET COMMENT 'x'",
    "ALTER TABLE IF EXISTS a.b.t ADD COLUMN c INT",
    "ALTER TABLE t ADD COLUMNS (a INT FIRST, b VARCHAR COMMENT 'x' AFTER a)",
    "ALTER TABLE t ALTER COLUMN c DROP NOT NULL",
    "ALTER TABLE t CHANGE COLUMN c COMMENT 'x'",
    "ALTER TABLE t CHANGE COLUMN c c BIGINT",
    "ALTER TABLE t CHANGE COLUMN c FIRST",
    "ALTER TABLE t ALTER COLUMN c SET DEFAULT 1 + 2",
    "ALTER TABLE t CLUSTER BY NONE",
    "ALTER TABLE t DROP COLUMNS (a, b.c)",
    "ALTER TABLE t RENAME COLUMN a TO b",
    "ALTER TABLE t RENAME TO s.u",
    "ALTER TABLE t SET COMMENT = 'x'",
    "ALTER TABLE t SET PROPERTIES ('change_tracking' = 'true', a.b = 1)",
    "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('x')",
    "ALTER VIEW v AS SELECT 1",
    "ALTER VIEW v RENAME TO w",
    "ALTER VIEW v SET COMMENT 'x'",
    "ALTER VOLUME s.v REFRESH",
    "CANCEL JOB '2024'",
    "COPY INTO t (a, b) PARTITION (dt = date '2024-01-01') FROM VOLUME v (a INT, b"
    " ARRAY<STRING>) USING CSV OPTIONS('sep' = '\\t', 'nullValue' = r'\\N') FILES('it''s',"
    " 'b') PURGE = TRUE ON_ERROR = CONTINUE",
    "COPY INTO TABLE VOLUME s.t SUBDIRECTORY 'd' FROM (SELECT 1 -- end\n) FILE_FORMAT ="
    " (TYPE = JSON) SINGLE = TRUE",
    "COPY INTO VOLUME v SUBDIRECTORY '/' FROM TABLE t FILE_FORMAT = (TYPE = CSV sep = '|'"
    " header = true quote = r'\\0') OVERWRITE = TRUE FILENAME_PREFIX = 'a' FILENAME_SUFFIX"
    " = '.b' INCLUDE_JOB_ID = 'TRUE'",
    "COPY OVERWRITE t FROM (SELECT a FROM USER VOLUME (a INT) USING PARQUET) x ON_ERROR = ABORT",
    "CREATE DATABASE IF NOT EXISTS s COMMENT 'x' WITH DBPROPERTIES ('a' = 'b')",
    "CREATE DYNAMIC TABLE IF NOT EXISTS w.s.d (a, `b c` COMMENT 'it''s', c ARRAY<INT>) PARTITIONED"
    " BY (a) CLUSTERED BY (c) SORTED BY (a) INTO 8 BUCKETS COMMENT 'x' PROPERTIES ('user.k' = 'v')"
    " REFRESH START WITH current_timestamp() + INTERVAL '1' DAY INTERVAL '0 00:01:30' DAY TO SECOND"
    " VCLUSTER default REFRESH_MODE = 'incremental  strict' AS WITH q AS (SELECT 1) FROM q",
    'CREATE OR REPLACE DYNAMIC TABLE d REFRESH_MODE FULL REFRESH INTERVAL "10 minutes" COMMENT ='
    " 'x' AS SELECT 1 -- end",
    "CREATE IF NOT EXISTS DYNAMIC TABLE d REFRESH START WITH TIMESTAMP '2030-01-01' AS SELECT 1",
    "CREATE DYNAMIC TABLE d AS (SELECT 1)",
    "CREATE EXTERNAL TABLE IF NOT EXISTS s.t (key BINARY, headers MAP<STRING, STRING> COMMENT 'x',"
    " value BINARY NOT NULL) USING KAFKA OPTIONS('group_id' = 'g', 'topics' = 'a,b',"
    " 'starting_offset' = '{\"a\": {\"0\": 5}}') CONNECTION w.c COMMENT 'y'",
    "CREATE EXTERNAL VOLUME IF NOT EXISTS v LOCATION 's3a://b/p' USING CONNECTION w.c"
    " DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE) RECURSIVE = TRUE COMMENT 'x'",
    "CREATE FUNCTION IF NOT EXISTS w.s.f(a STRING COMMENT 'x', `B` STRUCT<c: INT>) RETURNS MAP<INT,"
    " VARCHAR> LANGUAGE PYTHON NOT DETERMINISTIC COMMENT 'it''s' AS $$\n  return {1: 'a;'}\n$$",
    "CREATE OR REPLACE FUNCTION f() RETURNS INT LANGUAGE PYTHON AS 'return len(\"$$\")'",
    "CREATE OR REPLACE TABLE t (a INT) AS SELECT 1",
    "CREATE OR REPLACE EXTERNAL VOLUME v LOCATION 'oss://b/p/' USING CONNECTION c"
    " NOTIFICATION = (QUEUE_TYPE = 'ALICLOUD_MNS', QUEUE_NAME = 'q')",
    "CREATE PIPE IF NOT EXISTS w.s.p INGEST_MODE = LIST_PURGE VIRTUAL_CLUSTER = 'it''s' COMMENT 'x'"
    " ON_REPLACED = fail AS COPY INTO t FROM VOLUME v (a INT) USING CSV PURGE = TRUE -- end",
    "CREATE PIPE p BATCH_INTERVAL_IN_SECONDS = 30 VIRTUAL_CLUSTER = a RESET_KAFKA_GROUP_OFFSETS ="
    " '1700000000000' AS MERGE INTO t USING (SELECT * FROM READ_KAFKA('h:1', 't', '', 'g', '', '',"
    " '', '', 'raw', 'raw', 0, map('kafka.sasl.password', 'p'))) k ON true WHEN NOT MATCHED THEN"
    " INSERT *",
    "CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS INSERT INTO t SELECT * FROM a_stream",
    "CREATE STORAGE CONNECTION IF NOT EXISTS w.c TYPE oss ACCESS_ID = '****' ACCESS_KEY ="
    " '****' ENDPOINT = 'e' COMMENTS = 'x'",
    "CREATE STORAGE CONNECTION c TYPE KAFKA BOOTSTRAP_SERVERS = ['a:1', 'b:2']",
    "CREATE STORAGE CONNECTION c TYPE LOCAL",
    "CREATE STORAGE CONNECTION c TYPE S3 ACCESS_KEY = '****' SECRET_KEY = '****' REGION = 'r'",
    "CREATE STORAGE CONNECTION c TYPE COS REGION = 'r' ROLE_ARN ="
    " 'qcs::cam::uin/1:roleName/r' APP_ID = '1'",
    "CREATE OR REPLACE TABLE STREAM w.s.x ON TABLE a.t TIMESTAMP AS OF now() - INTERVAL '1' DAY"
    " COMMENT = 'it''s' WITH PROPERTIES (table_stream_mode = append_only, show_initial_rows=true)",
    "CREATE TABLE STREAM IF NOT EXISTS x ON TABLE t PROPERTIES(TABLE_STREAM_MODE=STANDARD)",
    "CREATE OR REPLACE STREAM s ON VOLUME a.v COMMENT = 'new files'",
    "CREATE STREAM IF NOT EXISTS s ON VOLUME v WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')",
    "CREATE TABLE IF NOT EXISTS w.s.t (a INT NOT NULL DEFAULT 1 COMMENT 'it''s', `b c` JSON)"
    " USING PARQUET PARTITIONED BY (a) COMMENT 'x' TBLPROPERTIES ('user.k' = 'v')",
    "CREATE TABLE t (a INT, b STRUCT<x: ARRAY<VARCHAR>, y: MAP<INT, DECIMAL(3,1)> COMMENT 'q'>)"
    " CLUSTERED BY (a) SORTED BY (b DESC) INTO 8 BUCKETS",
    "CREATE TABLE t (a INT) PARTITIONED BY (dt STRING)",
    "CREATE TABLE t LIKE u",
    "CREATE TABLE t LOCATION '/somewhere'",
    "CREATE VIEW IF NOT EXISTS v (a COMMENT 'x', b) COMMENT 'y' AS SELECT 1, 2 -- end",
    "CREATE VOLUME v DIRECTORY = (ENABLE = TRUE) COMMENT = 'x'",
    "DELETE FROM t WHERE a = 1",
    "DESC CONNECTION EXTENDED c",
    "DESC EXTENDED t",
    "DESC FUNCTION EXTENDED s.f",
    "DESC HISTORY t WHERE version > 1 LIMIT 3",
    "DESC JOB 202405170333149794gibwyt3dv0g",
    "DESC PIPE p EXTENDED",
    "DESC SCHEMA s",
    "DESC STREAM s.x EXTENDED",
    "DESC TABLE STREAM x",
    "DESC VOLUME v",
    "DROP CONNECTION IF EXISTS w.c FORCE",
    "DROP DYNAMIC TABLE IF EXISTS s.d",
    "DROP FUNCTION IF EXISTS s.f",
    "DROP PIPE IF EXISTS s.p",
    "DROP SCHEMA IF EXISTS s CASCADE",
    "DROP STREAM x",
    "DROP TABLE IF EXISTS s.t",
    "DROP TABLE STREAM IF EXISTS s.x",
    "DROP VIEW v",
    "DROP VOLUME IF EXISTS s.v",
    "EXPLAIN SELECT 1",
    "EXPLAIN CREATE OR REPLACE DYNAMIC TABLE d AS SELECT 1",
    "EXPLAIN FORMAT JSON CREATE DYNAMIC TABLE d COMMENT 'x' AS SELECT 1",
    "EXPLAIN FORMAT JSON REFRESH DYNAMIC TABLE s.d",
    "EXPLAIN REFRESH DYNAMIC TABLE d",
    "GET USER VOLUME FILE 'a', 'b' TO '/tmp' PARALLEL = 3",
    "INSERT OVERWRITE TABLE t SELECT 1",
    "LIST VOLUME v SUBDIRECTORY 'a' REGEXP = '.*'",
    "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
    "OPTIMIZE t WHERE dt = 'x' OPTIONS ('cz.sql.optimize.table.async' = 'false')",
    "PUT 'file:///a', 'b*' TO TABLE VOLUME t SUBDIRECTORY '/' OVERWRITE = FALSE",
    "REFRESH DYNAMIC TABLE s.d",
    "REMOVE VOLUME v FILE 'a'",
    "RESET query_tag",
    "RESTORE TABLE t TO TIMESTAMP AS OF now() - INTERVAL 1 DAY",
    "RESTORE TABLE t TO VERSION AS OF 3",
    "SELECT 1",
    "SET",
    "SET dt.args.day = 2024-01-01",
    "SHOW COLUMNS IN s.t LIKE 'a%'",
    "SHOW CONNECTIONS WHERE type = 'OSS'",
    "SHOW CREATE PIPE s.p",
    "SHOW CREATE TABLE t",
    "SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'd' AND state = 'FAILED' LIMIT 10",
    "SHOW DYNAMIC TABLE REFRESH HISTORY s.d",
    "SHOW JOBS IN VCLUSTER default WHERE status = 'FAILED' LIMIT 10",
    "SHOW PIPES IN WORKSPACE w WHERE status = 'PAUSED' LIMIT 2",
    "SHOW PIPES IN s LIKE 'a%'",
    "SHOW SCHEMAS LIKE 'a_b'",
    "SHOW STREAMS LIKE 'a%' LIMIT 2",
    "SHOW TABLE STREAMS IN s WHERE mode = 'STANDARD'",
    "SHOW TABLE VOLUME DIRECTORY t SUBDIRECTORY 'a' LIMIT 3",
    "SHOW TABLES HISTORY IN s",
    "SHOW TABLES IN s WHERE is_view AND (table_name LIKE '%limit 3%') LIMIT 2",
    "SHOW USER FUNCTIONS IN s LIKE 'a%'",
    "SHOW VIEWS FROM SCHEMA s",
    "SHOW VOLUMES LIKE 'a%'",
    "TRUNCATE TABLE t",
    "UNCACHE TABLE t",
    "UNDROP TABLE t",
    "UPDATE t SET a = 1",
    "USE SCHEMA s",
    "VACUUM TABLE s.t RETAIN 24 HOURS DRY RUN",
    "VACUUM t",
    "VERIFY DYNAMIC TABLE d",
]


def comparable(statement: Statement) -> Statement:
    """Without the places in the text, which writing back moves."""
    changes: dict[str, object] = {}
    for name in ("query_span", "name_span", "timestamp_span"):
        if hasattr(statement, name):
            changes[name] = None
    if hasattr(statement, "filter"):
        changes["filter"] = replace(statement.filter, where_start=0)
    return replace(statement, **changes)  # type: ignore[type-var]


def assert_round_trip(statement: Statement) -> None:
    again = parse(statement.to_sql())
    assert comparable(again) == comparable(statement)


@pytest.mark.parametrize("text", TEXTS)
def test_a_statement_survives_being_written_back(text: str) -> None:
    assert_round_trip(parse(text))


def test_the_list_has_every_statement() -> None:
    assert {type(parse(text)) for text in TEXTS} == set(HANDLERS)


words = st.text(alphabet="abcxyz_0189", min_size=1, max_size=8).filter(lambda w: w[0].isalpha())
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
any_names = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
)
names = st.builds(ObjectName.of, words) | st.builds(ObjectName.of, words, words, words)
types = st.recursive(
    st.sampled_from(["INT", "STRING", "DECIMAL(10,2)", "TIMESTAMP", "VARIANT", "VARCHAR(5)"]),
    lambda inner: st.one_of(
        inner.map(lambda t: f"ARRAY<{t}>"),
        st.tuples(inner, inner).map(lambda p: f"MAP<{p[0]}, {p[1]}>"),
        inner.map(lambda t: f"STRUCT<`a b`: {t}, `c`: INT>"),
    ),
    max_leaves=4,
)
columns = st.builds(
    ColumnDefinition, any_names, types, st.booleans(), st.just(""), st.none() | texts
)
properties = st.lists(
    st.tuples(texts, texts), min_size=1, max_size=3, unique_by=lambda pair: pair[0].lower()
).map(tuple)
positions = st.none() | st.builds(Position, st.none() | any_names)
actions = st.one_of(
    st.builds(AddColumns, st.lists(st.tuples(columns, positions), min_size=1).map(tuple)),
    st.builds(RenameColumn, st.tuples(any_names), any_names),
    st.builds(DropColumns, st.lists(st.tuples(any_names), min_size=1).map(tuple), st.booleans()),
    st.builds(ChangeColumn, st.tuples(any_names), texts),
    st.builds(ChangeColumn, st.tuples(any_names), type=types),
    st.builds(SetComment, texts),
    st.builds(SetProperties, properties),
    st.builds(UnsetProperties, st.lists(texts, min_size=1).map(tuple), st.booleans()),
    st.builds(RenameTo, names),
    st.builds(ClusterBy, st.lists(any_names).map(tuple)),
)


@given(
    names,
    st.lists(columns, min_size=1, max_size=4, unique_by=lambda c: c.name.lower()),
    st.none() | texts,
    st.just(()) | properties,
)
def test_any_create_table_survives(
    name: ObjectName,
    columns: list[ColumnDefinition],
    comment: str | None,
    properties: tuple[tuple[str, str], ...],
) -> None:
    assert_round_trip(
        CreateTable(
            name,
            tuple(columns),
            partitioned_by=(columns[0].name,),
            comment=comment,
            properties=properties,
        )
    )


dynamic_columns = st.lists(
    st.builds(DynamicColumn, any_names, st.none() | types, st.none() | texts.filter(bool)),
    max_size=3,
    unique_by=lambda column: column.name.lower(),
).map(tuple)
refresh_clauses = st.none() | st.builds(
    RefreshClause, st.just("now() + INTERVAL 1 DAY"), st.integers(60, 10**7), words.map(str.upper)
)


@given(names, dynamic_columns, st.none() | texts, st.just(()) | properties, refresh_clauses)
def test_any_create_dynamic_table_survives(
    name: ObjectName,
    columns: tuple[DynamicColumn, ...],
    comment: str | None,
    properties: tuple[tuple[str, str], ...],
    refresh: RefreshClause | None,
) -> None:
    assert_round_trip(
        CreateDynamicTable(
            name,
            "SELECT 1",
            columns,
            partitioned_by=tuple(column.name for column in columns[:1]),
            comment=comment,
            properties=properties,
            refresh=refresh,
            mode="INCREMENTAL",
        )
    )


@given(names, actions, st.booleans())
def test_any_alter_table_survives(name: ObjectName, action: object, if_exists: bool) -> None:
    assert_round_trip(AlterTable(name, action, if_exists))  # type: ignore[arg-type]


@given(names, st.lists(st.tuples(any_names, st.none() | texts.filter(bool)), max_size=3))
def test_any_create_view_survives(name: ObjectName, columns: list[tuple[str, str | None]]) -> None:
    assert_round_trip(CreateView(name, "SELECT 1", tuple(columns)))


@given(names, texts)
def test_any_create_function_survives(name: ObjectName, text: str) -> None:
    assume(name.name.upper() not in NO_FUNCTIONS)
    body = f"\n  # {text!r}\n  return {text!r}\n"
    assert_round_trip(CreateFunction(name, (), "STRING", body))


refs = st.just(USER_VOLUME) | st.builds(
    VolumeRef, st.sampled_from([VolumeKind.NAMED, VolumeKind.TABLE]), names
)
steps = texts.filter(lambda t: t.strip("/") not in ("", ".", "..") and "/" not in t)
paths = st.lists(steps, min_size=1, max_size=3).map("/".join).filter(lambda p: "://" not in p)
selections = st.one_of(
    st.just(ALL_FILES),
    st.builds(FileSelection, files=st.lists(paths, min_size=1, max_size=3).map(tuple)),
    st.builds(FileSelection, subdirectory=st.just("") | paths.map(lambda p: f"{p}/")),
    st.builds(FileSelection, regexp=st.sampled_from([".*", "a'b\\\\.csv", ""])),
)
volume_columns = st.lists(
    st.tuples(any_names, types), max_size=3, unique_by=lambda column: column[0].lower()
).map(tuple)
sources = st.one_of(
    st.builds(VolumeRelation, refs, st.just(FileFormat.ORC), volume_columns, selection=selections),
    st.builds(
        VolumeRelation,
        refs,
        st.just(FileFormat.CSV),
        volume_columns,
        st.builds(CsvReadOptions, sep=st.sampled_from(",|\t;"), null_value=texts),
        selections,
    ),
)


@given(names, sources, st.booleans(), st.sampled_from([None, *OnError]))
def test_any_copy_into_a_table_survives(
    name: ObjectName, source: VolumeRelation, overwrite: bool, on_error: OnError | None
) -> None:
    assert_round_trip(CopyIntoTable(name, source, overwrite=overwrite, on_error=on_error))


@given(sources)
def test_any_volume_relation_survives_in_a_query(source: VolumeRelation) -> None:
    text = f"SELECT * FROM {source.to_sql()} x JOIN t"
    found = find_relations(text, tokenize(text))
    assert [item.relation for item in found.own] == [source]
    assert [str(item.name) for item in found.named] == ["t"]


@given(names, texts, paths)
def test_any_create_external_volume_survives(name: ObjectName, comment: str, path: str) -> None:
    assume(not set(path) & set(map(chr, (*range(32), 127, 92))) and "%" not in path)
    location = Location("s3", "b", f"{path}/")
    statement = CreateExternalVolume(name, location, ObjectName("c"), comment=comment)
    assert_round_trip(statement)


@given(st.none() | names.filter(lambda n: n.workspace is None), st.none() | texts)
def test_any_show_survives(schema: ObjectName | None, like: str | None) -> None:
    assert_round_trip(ShowTables(schema, ShowFilter(like=like, limit=7)))


@given(st.none() | names.filter(lambda n: n.workspace is None), st.none() | texts)
def test_any_show_pipes_survives(schema: ObjectName | None, like: str | None) -> None:
    assert_round_trip(ShowPipes(schema, filter=ShowFilter(like=like)))
    workspace = ObjectName("w") if schema is None else ObjectName(schema.name)
    assert_round_trip(ShowPipes(workspace=workspace, filter=ShowFilter(like=like, limit=1)))


@given(names, texts.filter(str.strip))
def test_any_alter_pipe_survives(name: ObjectName, cluster: str) -> None:
    assert_round_trip(AlterPipe(name, SetPipeProperty("VIRTUAL_CLUSTER", cluster)))


@given(names, sources, texts.filter(str.strip), st.none() | texts, st.booleans())
def test_any_create_pipe_survives(
    name: ObjectName,
    source: VolumeRelation,
    cluster: str,
    comment: str | None,
    if_not_exists: bool,
) -> None:
    volume = VolumeRef(VolumeKind.NAMED, name)
    whole = replace(source, volume=volume, selection=ALL_FILES)
    body = pipe_body(CopyIntoTable(name, whole, purge=True).to_sql())
    given_pairs = (("INGEST_MODE", "List_Purge"), ("VIRTUAL_CLUSTER", cluster))
    assert_round_trip(
        CreatePipe(
            name,
            properties_of(given_pairs),
            body.text,
            body.statement,
            body.source,
            comment,
            if_not_exists,
        )
    )
