"""parse, write back, parse again: the same statement, for every statement there is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.sql.statement_texts import TEXTS

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
from headwater.sql.vcluster_properties import cluster_properties_of
from headwater.sql.vclusters import AlterVcluster, CreateVcluster, SetCluster
from headwater.sql.views import CreateView
from headwater.sql.volume_paths import Location
from headwater.sql.volume_refs import USER_VOLUME, VolumeKind, VolumeRef
from headwater.sql.volume_relation import VolumeRelation
from headwater.sql.volumes import CreateExternalVolume
from headwater.statements.dispatch import HANDLERS


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
            immutable_where="a < (1) /* old */ OR b" if comment else None,
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


cluster_names = st.text(alphabet="ABCXYZ_0189", min_size=3, max_size=28).filter(
    lambda name: not name[0].isdigit()
)
cluster_pairs = st.fixed_dictionaries(
    {},
    optional={
        "AUTO_RESUME": st.sampled_from(["true", "FALSE"]),
        "AUTO_SUSPEND_IN_SECOND": st.just("-1") | st.integers(15, 10**6).map(str),
        "QUERY_RUNTIME_LIMIT_IN_SECOND": st.integers(1, 10**6).map(str),
        "VCLUSTER_SIZE": st.integers(1, 256).map(str) | st.sampled_from(["XSMALL", "m", "X5Large"]),
        "QUERY_RESOURCE_LIMIT_RATIO": st.sampled_from(["0.0", "0.25", "1", "1.0"]),
    },
).map(lambda pairs: tuple(pairs.items()))


@given(cluster_names, cluster_pairs, st.none() | texts.filter(lambda t: len(t) <= 1024))
def test_any_virtual_cluster_survives(
    name: str, pairs: tuple[tuple[str, str], ...], comment: str | None
) -> None:
    properties = cluster_properties_of(pairs)
    assert cluster_properties_of(properties.given) == properties
    assert_round_trip(CreateVcluster(name, properties, comment))
    assume(pairs or comment is not None)
    assert_round_trip(AlterVcluster(name, SetCluster(pairs, comment)))
