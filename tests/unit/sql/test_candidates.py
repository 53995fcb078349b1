"""What completion offers at a place in the text."""

from __future__ import annotations

import pytest

from headwater.sql.candidates import candidates

TABLES = {
    "public": {"orders": ("id", "amount", "order date"), "customers": ("id", "name")},
    "raw": {"events": ("at", "kind")},
}


class Words:
    """A catalog of two schemas."""

    def schemas(self):
        return tuple(TABLES)

    def tables(self, schema):
        return tuple(TABLES.get((schema or "public").lower(), {}))

    def columns(self, schema, table):
        return TABLES.get((schema or "public").lower(), {}).get(table.lower(), ())

    def streams(self, schema):
        return ("order_changes",) if (schema or "public").lower() == "public" else ()

    def volumes(self, schema):
        return {"public": ("landing",), "raw": ("dumps",)}.get((schema or "public").lower(), ())

    def connections(self):
        return ("cloud", "here")


def offered(text: str, kind: str | None = None) -> list[str]:
    """The candidates where the text has a bar."""
    before, _, after = text.partition("|")
    found = candidates(before, after, Words())
    return [candidate.text for candidate in found if kind is None or candidate.kind == kind]


def test_a_statement_is_offered_from_its_first_words():
    assert "SHOW TABLES" in offered("SHOW|")
    assert {"TABLES", "TABLE VOLUME DIRECTORY"} <= set(offered("SHOW TAB|"))
    assert "show tables" in offered("sh|")
    assert "CREATE TABLE" in offered("|")
    assert "TABLE" in offered("CREATE |")


def test_the_next_statement_starts_behind_the_semicolon():
    assert "SELECT" in offered("SHOW TABLES; SEL|")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM |",
        "SELECT * FROM orders JOIN |",
        "INSERT INTO |",
        "UPDATE |",
        "DESC |",
        "DESC HISTORY |",
        "DROP TABLE |",
        "TRUNCATE TABLE |",
    ],
)
def test_tables_and_schemas_are_offered_where_one_is_wanted(text):
    assert offered(text, "table") == ["orders", "customers"]
    assert offered(text, "schema") == ["public", "raw"]


def test_streams_are_offered_where_they_can_be_read_and_not_as_tables():
    assert offered("SELECT * FROM |", "stream") == ["order_changes"]
    assert offered("SELECT * FROM public.o|") == ["orders", "order_changes"]
    assert offered("INSERT INTO |", "stream") == []
    assert offered("DROP TABLE STREAM |", "stream") == ["order_changes"]
    assert offered("DESC STREAM public.|") == ["order_changes"]
    assert offered("CREATE TABLE STREAM |", "stream") == []


def test_names_are_found_without_their_case():
    assert offered("SELECT * FROM ORD|", "table") == ["orders"]


@pytest.mark.parametrize("text", ["USE |", "USE SCHEMA |", "SHOW TABLES IN |", "DROP SCHEMA |"])
def test_schemas_are_offered_where_one_is_wanted(text):
    assert offered(text) == ["public", "raw"]


def test_tables_of_a_schema_stand_behind_its_dot():
    assert offered("SELECT * FROM raw.|") == ["events"]
    assert offered("SELECT * FROM raw.ev|") == ["events"]
    assert offered("SELECT * FROM nowhere.|") == []


def test_columns_of_the_tables_mentioned_are_offered_even_before_them():
    assert offered("SELECT am| FROM orders", "column") == ["amount"]
    assert offered("SELECT | FROM orders", "column") == ["id", "amount", "`order date`"]
    assert offered("SELECT | FROM orders, customers", "column").count("id") == 1
    assert offered("UPDATE orders SET am|", "column") == ["amount"]
    assert offered("SELECT k| FROM raw.events", "column") == ["kind"]
    assert offered("SELECT am| FROM customers", "column") == []


def test_columns_stand_behind_the_dot_of_a_table_or_its_other_name():
    assert offered("SELECT orders.| FROM orders") == ["id", "amount", "`order date`"]
    assert offered("SELECT o.a| FROM orders o") == ["amount"]
    assert offered("SELECT o.a| FROM orders AS o") == ["amount"]
    assert offered("SELECT e.| FROM raw.events AS e JOIN orders o") == ["at", "kind"]
    assert offered("SELECT * FROM orders WHERE orders.i|") == ["id"]


def test_keywords_come_in_the_case_that_is_typed():
    assert "WHERE" in offered("SELECT * FROM orders WH|")
    assert "where" in offered("select * from orders wh|")


@pytest.mark.parametrize("text", ["SELECT 'or|", "SELECT `or|", "SELECT 1 -- or|", "SELECT /* or|"])
def test_nothing_is_offered_inside_quotes_and_comments(text):
    assert offered(text) == []


def test_a_candidate_starts_with_what_was_typed():
    for text in ("S|", "SELECT i| FROM orders", "SELECT * FROM o|", "drop t|"):
        typed = text.partition("|")[0].split()[-1]
        assert all(found.lower().startswith(typed.lower()) for found in offered(text))


@pytest.mark.parametrize(
    "text",
    ["LIST VOLUME |", "DROP VOLUME |", "GET VOLUME |", "SHOW VOLUME DIRECTORY |", "DESC VOLUME |"],
)
def test_volumes_are_offered_where_one_is_wanted(text):
    assert offered(text, "volume") == ["landing"]
    assert offered(text, "table") == []


def test_tables_are_offered_for_their_volumes_and_none_for_a_new_volume():
    assert offered("LIST TABLE VOLUME o|") == ["orders"]
    assert offered("SHOW TABLE VOLUME DIRECTORY |", "volume") == []
    assert offered("LIST USER VOLUME |", "volume") == offered("VOLUME |", "table") == []
    assert offered("LIST TABLE VOLUME raw.|") == ["events"]
    assert offered("LIST VOLUME raw.|") == ["dumps"]
    assert offered("CREATE VOLUME |", "volume") == []
    assert "DIRECTORY" in offered("SHOW VOLUME |")


def test_connections_are_offered_where_one_is_wanted():
    assert offered("DROP CONNECTION |") == ["cloud", "here"]
    assert offered("CREATE EXTERNAL VOLUME v USING CONNECTION h|") == ["here"]
    assert offered("CREATE STORAGE CONNECTION |", "connection") == []
