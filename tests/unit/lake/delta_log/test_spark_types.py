"""Delta schemas as DESC shows them."""

from __future__ import annotations

import json

import pytest

from headwater.catalog.objects import TableColumn
from headwater.lake.delta_log.spark_types import cluster_columns_of, columns_of


def field(name, kind, *, nullable=True, **metadata):
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata}


def struct(*fields):
    return {"type": "struct", "fields": list(fields)}


def array(element):
    return {"type": "array", "elementType": element, "containsNull": True}


def shown(kind, **metadata) -> str:
    return columns_of(json.dumps(struct(field("c", kind, **metadata))))[0].type


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("long", "bigint"),
        ("integer", "int"),
        ("short", "smallint"),
        ("byte", "tinyint"),
        ("float", "float"),
        ("double", "double"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("decimal", "decimal(10,0)"),
        ("boolean", "boolean"),
        ("binary", "binary"),
        ("string", "string"),
        ("date", "date"),
        ("timestamp", "timestamp"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("variant", "variant"),
        ("void", "void"),
        ("interval day to second", "interval day to second"),
        ("interval year to month", "interval year to month"),
    ],
)
def test_simple_types(stored, text):
    assert shown(stored) == text


def test_nested_types():
    inner = struct(field("A", "integer", comment="not shown"), field("b", array("string")))
    kind = {
        "type": "map",
        "keyType": "string",
        "valueType": array(inner),
        "valueContainsNull": True,
    }
    assert shown(kind) == "map<string,array<struct<A:int,b:array<string>>>>"


def test_char_and_varchar_are_shown_as_declared():
    assert shown("string", __CHAR_VARCHAR_TYPE_STRING="varchar(5)") == "varchar(5)"
    assert shown(array("string"), __CHAR_VARCHAR_TYPE_STRING="array<char(3)>") == "array<char(3)>"


def test_collations_are_shown_where_they_apply():
    assert shown("string", __COLLATIONS={"c": "spark.UTF8_LCASE"}) == "string collate UTF8_LCASE"
    kind = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
    collations = {"c.value": "icu.UNICODE"}
    assert shown(kind, __COLLATIONS=collations) == "map<string,string collate UNICODE>"


def test_nullability_and_comments():
    schema = struct(field("id", "long", nullable=False, comment="the key"), field("v", "variant"))
    assert columns_of(json.dumps(schema)) == (
        TableColumn("id", "bigint", nullable=False, comment="the key"),
        TableColumn("v", "variant"),
    )


def physical(name):
    return {"delta.columnMapping.physicalName": name, "delta.columnMapping.id": 1}


def test_names_are_the_logical_ones():
    schema = struct(field("key", "long", **physical("col-1")))
    assert columns_of(json.dumps(schema)) == (TableColumn("key", "bigint"),)


def test_cluster_columns_are_mapped_back_to_logical_names():
    inner = struct(field("city", "string", **physical("col-3")))
    schema = json.dumps(
        struct(field("key", "long", **physical("col-1")), field("at", inner, **physical("col-2")))
    )
    configuration = json.dumps({"clusteringColumns": [["col-2", "col-3"], ["col-1"]]})
    assert cluster_columns_of(configuration, schema) == ("at.city", "key")
    assert cluster_columns_of(configuration, None) == ("col-2.col-3", "col-1")
    assert cluster_columns_of('{"clusteringColumns": []}', schema) == ()
