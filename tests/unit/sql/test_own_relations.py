"""Volumes, directories, load histories and topics are relations where one can stand."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.file_formats import CsvReadOptions, FileFormat
from headwater.sql.file_selection import FileSelection
from headwater.sql.own_relations import DirectoryRelation, LoadHistoryRelation
from headwater.sql.relations import Relations, find_relations
from headwater.sql.tokens import tokenize
from headwater.sql.volume_refs import USER_VOLUME, VolumeKind, VolumeRef
from headwater.sql.volume_relation import VolumeRelation

V = VolumeRef(VolumeKind.NAMED, ObjectName("v"))
CSV = "VOLUME v USING CSV"
KAFKA = (
    "READ_KAFKA('h:9092', 'a,b', '', 'g', 'earliest', '', '', '', 'raw', 'raw', 0,"
    " map('kafka.sasl.mechanism', 'PLAIN'))"
)


def relations(text: str) -> Relations:
    return find_relations(text, tokenize(text))


def own(text: str) -> list[str]:
    return [text[found.span.start : found.span.end] for found in relations(text).own]


def named(text: str) -> list[str]:
    return [str(relation.name) for relation in relations(text).named]


def refused(text: str) -> tuple[UserError, str]:
    with pytest.raises(UserError) as raised:
        relations(text)
    span = raised.value.span
    assert span is not None
    return raised.value, text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM {}", []),
        ("SELECT * FROM {} WHERE f0 > 1", []),
        ("SELECT * FROM {} x WHERE x.f0 > 1", []),
        ("SELECT * FROM {} AS `x y`, t", ["t"]),
        ("SELECT * FROM t, {} x", ["t"]),
        ("SELECT * FROM t JOIN {} x ON t.id = x.f0", ["t"]),
        ("SELECT * FROM {} x JOIN t USING (id)", ["t"]),
        ("SELECT * FROM t LEFT JOIN {} USING (id), u", ["t", "u"]),
        ("SELECT * FROM ({} x JOIN t ON true)", ["t"]),
        ("SELECT * FROM (SELECT f0 FROM {}) s", []),
        ("SELECT * FROM t WHERE id IN (SELECT f0 FROM {})", ["t"]),
        ("WITH c AS (SELECT * FROM {}) SELECT * FROM c JOIN t", ["t"]),
        ("INSERT INTO t SELECT * FROM {}", ["t"]),
        ("INSERT OVERWRITE t SELECT * FROM {} LIMIT 3", ["t"]),
        ("MERGE INTO t USING {} s ON t.id = s.f0 WHEN MATCHED THEN DELETE", ["t"]),
        ("MERGE INTO t USING (SELECT * FROM {}) s ON true WHEN MATCHED THEN DELETE", ["t"]),
        ("UPDATE t SET a = (SELECT max(f0) FROM {})", ["t"]),
        ("CREATE TEMP VIEW w AS SELECT * FROM {}", []),
        ("SELECT 1 UNION ALL SELECT f0 FROM {} UNION ALL SELECT f0 FROM {} x", []),
        ("EXPLAIN SELECT * FROM {}", []),
        ("FROM {} SELECT f0", []),
    ],
)
@pytest.mark.parametrize(
    "relation",
    [
        CSV,
        "VOLUME w.s.v (a INT, `b c` DECIMAL(3, 1), c STRUCT<x: INT, y: ARRAY<STRING>>) using csv"
        " OPTIONS('header' = 'true', sep = '|') FILES('a(b.csv', 'c')",
        "TABLE VOLUME s.t USING PARQUET SUBDIRECTORY 'd/'",
        "USER VOLUME USING json REGEXP '.*/x[.]json'",
        "USER VOLUME (a INT) USING JSON",
        "DIRECTORY(VOLUME v)",
        "DIRECTORY ( TABLE VOLUME t )",
        "LOAD_HISTORY('s.t')",
        "TABLE(load_history('s.t'))",
        KAFKA,
        f"TABLE({KAFKA})",
    ],
)
def test_a_relation_is_found_wherever_one_may_stand(
    text: str, names: list[str], relation: str
) -> None:
    full = text.replace("{}", relation)
    assert own(full) == [relation] * text.count("{}")
    assert named(full) == names


@pytest.mark.parametrize(
    ("text", "aliased"),
    [
        (f"SELECT * FROM {CSV}", False),
        (f"SELECT * FROM {CSV} WHERE true", False),
        (f"SELECT * FROM {CSV} x", True),
        (f"SELECT * FROM {CSV} AS x", True),
        (f"SELECT * FROM {CSV} files", True),
        (f"SELECT * FROM {CSV} options", True),
        (f"SELECT * FROM {CSV} JOIN t", False),
        ("SELECT * FROM DIRECTORY(VOLUME v) d", True),
        ("SELECT * FROM DIRECTORY(VOLUME v) LIMIT 1", False),
    ],
)
def test_whether_an_alias_follows_is_known(text: str, aliased: bool) -> None:
    assert [found.aliased for found in relations(text).own] == [aliased]


def test_a_volume_relation_is_read_with_all_its_clauses() -> None:
    text = (
        "SELECT * FROM VOLUME v (id INT, name VARCHAR, j JSON) USING CSV"
        r" OPTIONS('Header'='true', 'delimiter'='|', 'nullValue'=r'\N') FILES('/a.csv', 'b/c.csv')"
    )
    assert relations(text).own[0].relation == VolumeRelation(
        V,
        FileFormat.CSV,
        (("id", "INT"), ("name", "STRING"), ("j", "VARIANT")),
        CsvReadOptions(header=True, sep="|", null_value="\\N"),
        FileSelection(files=("a.csv", "b/c.csv")),
    )


def test_directories_and_load_histories_are_read() -> None:
    found = [
        relations(f"SELECT * FROM {text}").own[0].relation
        for text in ("DIRECTORY(VOLUME v)", "directory(user volume)", "Load_History('S.T')")
    ]
    assert found == [
        DirectoryRelation(V),
        DirectoryRelation(USER_VOLUME),
        LoadHistoryRelation(ObjectName("t", "s")),
    ]
    assert [relation.alias for relation in found] == ["directory", "directory", "load_history"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM volume", ["volume"]),
        ("SELECT volume, directory, files, list FROM t", ["t"]),
        ("SELECT volume.directory FROM volume WHERE volume.x = 1", ["volume"]),
        ("SELECT * FROM volume v", ["volume"]),
        ("SELECT * FROM volume AS v", ["volume"]),
        ("SELECT * FROM volume v WHERE v.files = 'a'", ["volume"]),
        ("SELECT * FROM volume v (a, b)", ["volume"]),
        ("SELECT * FROM volume v (a, b) JOIN t", ["volume", "t"]),
        ("SELECT * FROM t JOIN volume v USING (id)", ["t", "volume"]),
        ("SELECT * FROM t JOIN volume USING (id)", ["t", "volume"]),
        ("SELECT * FROM t JOIN user volume USING (id)", ["t", "user"]),
        ("SELECT * FROM t JOIN volume v (id, x) USING (id)", ["t", "volume"]),
        ("SELECT * FROM volume.t, volume.directory", ["volume.t", "volume.directory"]),
        ("SELECT * FROM user volume", ["user"]),
        ("SELECT * FROM user volume (a, b)", ["user"]),
        ("SELECT * FROM volume VERSION AS OF 3", ["volume"]),
        ("SELECT * FROM volume TIMESTAMP AS OF '2024-01-01' v", ["volume"]),
        ("SELECT * FROM volume TABLESAMPLE (10 ROWS)", ["volume"]),
        ("SELECT * FROM directory", ["directory"]),
        ("SELECT * FROM directory d, files f, list l", ["directory", "files", "list"]),
        ("SELECT * FROM (list JOIN volume)", ["list", "volume"]),
        ("SELECT * FROM (list volume JOIN t)", ["list", "t"]),
        ("SELECT * FROM load_history", ["load_history"]),
        ("TABLE volume", ["volume"]),
        ("SELECT * FROM (TABLE volume)", ["volume"]),
        ("SELECT * FROM (TABLE volume LIMIT 1)", ["volume"]),
        ("INSERT INTO volume SELECT * FROM files", ["volume", "files"]),
        ("INSERT INTO TABLE volume VALUES (1)", ["volume"]),
        ("MERGE INTO volume v USING s ON true WHEN MATCHED THEN DELETE", ["volume", "s"]),
        ("MERGE INTO t USING volume v ON true WHEN MATCHED THEN DELETE", ["t", "volume"]),
        ("DELETE FROM volume WHERE directory = 'x'", ["volume"]),
        ("UPDATE volume SET files = 1", ["volume"]),
        ("WITH volume AS (SELECT 1) SELECT * FROM volume v", []),
        ("SELECT * FROM `volume` USING, `directory`", ["`volume`"]),
        ("SELECT directory(x) FROM t", ["t"]),
    ],
)
def test_tables_and_columns_may_have_these_names(text: str, names: list[str]) -> None:
    if "`" not in text:
        assert named(text) == names
    assert own(text) == []


def test_a_list_in_parentheses_is_a_relation() -> None:
    text = "SELECT * FROM (LIST USER VOLUME SUBDIRECTORY 'a)') l JOIN (SHOW VOLUME DIRECTORY v)"
    found = relations(text)
    assert [s.text for s in found.statements] == [
        "LIST USER VOLUME SUBDIRECTORY 'a)'",
        "SHOW VOLUME DIRECTORY v",
    ]
    assert found.named == ()


@pytest.mark.parametrize(
    ("relation", "condition", "place", "hint"),
    [
        ("VOLUME v USING CSV FILES('a') OPTIONS('sep'=',')", "CLAUSE_ORDER", "OPTIONS", "USING"),
        ("VOLUME v FILES('a') USING CSV", "SYNTAX_ERROR", "FILES", "the order is"),
        ("VOLUME v OPTIONS('sep'=',') USING CSV", "SYNTAX_ERROR", "OPTIONS", "the order is"),
        ("VOLUME v SUBDIRECTORY 'a'", "SYNTAX_ERROR", "SUBDIRECTORY", "the order is"),
        ("VOLUME v (a INT)", "SYNTAX_ERROR", "", "the order is"),
        ("VOLUME v (a INT, A INT) USING CSV", "SYNTAX_ERROR", "(a INT, A INT) ", ""),
        ("VOLUME v (a INTT) USING CSV", "TYPE_NOT_SUPPORTED", "INTT", ""),
        ("VOLUME v USING PARKET", "FILE_FORMAT_UNKNOWN", "PARKET", "did you mean PARQUET?"),
        ("VOLUME v USING XML", "FILE_FORMAT_UNKNOWN", "XML", "CSV, PARQUET, ORC, JSON"),
        ("VOLUME v USING FILES('a')", "FILE_FORMAT_UNKNOWN", "FILES", ""),
        ("VOLUME v USING CSV OPTIONS('heder'='true')", "OPTION_UNKNOWN", "'heder'", "header"),
        ("VOLUME v USING CSV OPTIONS('sep'='')", "OPTION_VALUE", "''", ""),
        ("VOLUME v USING PARQUET OPTIONS('a'='b')", "OPTION_UNKNOWN", "'a'", "none"),
        ("VOLUME v USING CSV FILES('a') SUBDIRECTORY 'b'", "CLAUSES_EXCLUDE", "SUBDIRECTORY", ""),
        ("VOLUME v USING CSV REGEXP '['", "REGEXP_NOT_VALID", "'['", ""),
        ("VOLUME v USING CSV FILES('../a')", "PATH_NOT_ALLOWED", "'../a'", "relative"),
        ("DIRECTORY(v)", "FUNCTION_ARGUMENT", "v", "DIRECTORY(VOLUME <name>)"),
        ("DIRECTORY('v')", "FUNCTION_ARGUMENT", "'v'", "DIRECTORY(VOLUME <name>)"),
        ("LOAD_HISTORY(t)", "FUNCTION_ARGUMENT", "t", "LOAD_HISTORY('"),
        ("LOAD_HISTORY('a b')", "SYNTAX_ERROR", "'a b'", ""),
        ("LOAD_HISTORY('a', 'b')", "FUNCTION_ARGUMENT", "'a'", ""),
    ],
)
def test_mistakes_have_a_place_and_a_hint(
    relation: str, condition: str, place: str, hint: str
) -> None:
    error, shown = refused(f"SELECT *\n  FROM {relation}")
    assert error.condition == condition
    assert shown == place
    assert hint in (error.hint or "")


def test_the_default_alias_is_the_name_of_the_volume() -> None:
    found = relations("SELECT * FROM VOLUME s.v USING CSV, USER VOLUME USING CSV").own
    assert [item.relation.alias for item in found] == ["v", "user_volume"]
