"""Texts under which values are compared; that Spark compares them right is shown on Spark."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    MapType,
    StringType,
    StructField,
    StructType,
    VariantType,
)

from headwater.lake.changes.canonical import canonical, is_plain

NUMBERS = StructType([StructField("x y", IntegerType()), StructField("z", StringType())])
DOCUMENT = "struct(to_json({0}), schema_of_variant({0}))"


@pytest.mark.parametrize("kind", [IntegerType(), StringType(), NUMBERS, ArrayType(NUMBERS)])
def test_what_spark_compares_stays_as_it_is(kind):
    assert is_plain(kind)
    assert canonical("a.b", kind) == "a.b"


def test_texts_with_a_collation_are_compared_by_their_bytes():
    kind = StringType("UTF8_LCASE")
    assert canonical("c", kind) == "(c COLLATE UTF8_BINARY)"
    assert canonical("c", ArrayType(kind)) == "transform(c, x0 -> (x0 COLLATE UTF8_BINARY))"


def test_variants_are_found_however_deep_they_are():
    inside = StructType([StructField("a`b", ArrayType(VariantType())), StructField("n", NUMBERS)])
    assert canonical("v", VariantType()) == DOCUMENT.format("v")
    assert canonical("s", inside) == (
        f"if(s IS NULL, NULL, struct(transform(s.`a``b`, x0 -> {DOCUMENT.format('x0')}), s.`n`))"
    )
    assert canonical("l", ArrayType(ArrayType(VariantType()))) == (
        f"transform(l, x0 -> transform(x0, x1 -> {DOCUMENT.format('x1')}))"
    )


def test_maps_are_compared_in_the_order_of_their_keys():
    text = canonical("m", MapType(StringType(), VariantType()))
    assert text.startswith("array_sort(transform(map_entries(m), x0 -> struct(x0.key AS k, ")
    assert f"{DOCUMENT.format('x0.value')} AS v" in text
