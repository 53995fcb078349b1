"""Functions in the store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.catalog.samples import WORKSPACE, at, fresh_id, with_schema

from headwater.catalog.functions import Function
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.create_function import FunctionParameter


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def a_function(name: str = "f", **changes: Any) -> Function:
    function = Function(
        id=fresh_id("function"),
        workspace=WORKSPACE,
        schema="public",
        name=name,
        parameters=(FunctionParameter("Url", "STRING", "it's"), FunctionParameter("ñ", "INT")),
        returns="ARRAY<STRING>",
        body="\n  return '☂'\n",
        creator="ada",
        created_at=at(1),
        modified_at=at(2),
        deterministic=False,
        comment="x",
    )
    return replace(function, **changes)


def test_a_function_reads_back_as_it_was_written(lake: Store) -> None:
    function = a_function()
    lake.functions.create(function)
    assert lake.functions.get(WORKSPACE, "public", "f") == function
    assert lake.functions.get(WORKSPACE, "public", "g") is None
    assert function.signature == "Url STRING, ñ INT"


def test_a_name_is_taken_once(lake: Store) -> None:
    lake.functions.create(a_function())
    with pytest.raises(UserError, match="FUNCTION_ALREADY_EXISTS"):
        lake.functions.create(a_function())


def test_a_replaced_function_keeps_who_made_it_and_has_another_id(lake: Store) -> None:
    first = a_function()
    assert not lake.functions.create_or_replace(first)
    second = a_function(body="return []", creator="bob", created_at=at(8), modified_at=at(9))
    assert lake.functions.create_or_replace(second)
    kept = replace(second, creator="ada", created_at=at(1))
    assert lake.functions.list(WORKSPACE, "public") == [kept]
    assert kept.id != first.id


def test_several_names_are_asked_for_at_once(lake: Store) -> None:
    with_schema(lake, "other")
    here, there = a_function("f"), a_function("f", schema="other")
    for function in (here, there, a_function("g")):
        lake.functions.create(function)
    missing = QualifiedName(WORKSPACE, "nowhere", "g")
    found = lake.functions.named({here.qualified, there.qualified, missing})
    assert found == {here.qualified: here, there.qualified: there}


def test_a_dropped_function_is_gone(lake: Store) -> None:
    function = a_function()
    lake.functions.create(function)
    lake.functions.drop(function)
    assert lake.functions.list(WORKSPACE, "public") == []
    with pytest.raises(UserError, match="FUNCTION_NOT_FOUND"):
        lake.functions.drop(function)


def test_a_schema_is_not_empty_while_it_holds_a_function(lake: Store) -> None:
    lake.functions.create(a_function())
    schema = lake.schemas.get(WORKSPACE, "public")
    assert schema is not None
    with pytest.raises(UserError, match="1 function"):
        lake.schemas.drop(schema, at(5))
    lake.schemas.drop_with_tables(schema, at(5))
    with_schema(lake)
    assert lake.functions.list(WORKSPACE, "public") == []
