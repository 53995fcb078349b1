"""Telling Spark's catalog about tables, each when it is first mentioned.

Spark's catalog lives in memory and is empty at every start; registering everything would cost 50 ms
per table. `lake.registered` remembers what Spark knows, by name and id, so that a table that was
dropped and created again is never mistaken for the old one.
"""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.names import quote_identifier, quote_literal
from headwater.runtime.open_lake import OpenLake


def spark_database(lake: OpenLake, workspace: str, schema: str) -> str:
    """The Spark database of a schema: its own name in the lake's workspace."""
    return schema if workspace == lake.config.workspace else f"{workspace}__{schema}"


def spark_name(lake: OpenLake, table: Table) -> str:
    """The name, quoted, under which Spark knows a table."""
    database = spark_database(lake, table.workspace, table.schema)
    return f"{quote_identifier(database)}.{quote_identifier(table.name)}"


def register_database(lake: OpenLake, workspace: str, schema: str) -> str:
    """Make sure that Spark knows the schema; gives back its Spark name."""
    database = spark_database(lake, workspace, schema)
    with lake.locks.hold("spark-catalog"):
        if database not in lake.registered:
            lake.registrar.execute(f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)}")
            lake.registered[database] = database
    return database


def register_table(lake: OpenLake, table: Table) -> str:
    """Make sure that Spark knows the table; gives back its quoted Spark name."""
    name = spark_name(lake, table)
    with lake.locks.hold("spark-catalog"):
        if lake.registered.get(name) == table.id:
            return name
        register_database(lake, table.workspace, table.schema)
        _forget(lake, name)
        location = quote_literal(lake.location(table))
        lake.registrar.execute(f"CREATE TABLE {name} USING delta LOCATION {location}")
        lake.registered[name] = table.id
    return name


def mark_registered(lake: OpenLake, table: Table) -> None:
    """Note a table that Spark registered itself, by running CREATE TABLE."""
    lake.registered[spark_name(lake, table)] = table.id


def unregister_table(lake: OpenLake, table: Table) -> None:
    """Make Spark forget a table that was dropped or renamed; its files stay."""
    with lake.locks.hold("spark-catalog"):
        _forget(lake, spark_name(lake, table))


def _forget(lake: OpenLake, name: str) -> None:
    if name in lake.registered:
        # The table is external for Spark, so that dropping it never touches the files.
        lake.registrar.execute(f"DROP TABLE IF EXISTS {name}")
        del lake.registered[name]
