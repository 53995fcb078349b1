"""The dbt project of the examples, run by the real dbt through the endpoint of Hive's protocol."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from tests.processes import wait_for

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.dbapi import Connection
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing

pytestmark = [pytest.mark.spark, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]
NO_TESTS = ("--exclude-resource-type", "test")
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the example that a test may change."""

    folder: Path
    environment: dict[str, str]

    def dbt(self, *arguments: str, fails: bool = False) -> str:
        """Run dbt; gives back what it printed."""
        done = subprocess.run(
            [str(ROOT / ".venv-dbt/bin/dbt"), "--no-use-colors", *arguments],
            cwd=self.folder,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stdout

    def change(self, file: str, old: str, new: str) -> None:
        """Change a file of the project."""
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture(scope="module", autouse=True)
def dbt_installed() -> None:
    """`make test` has done it before; this is for who runs the file alone."""
    subprocess.run([str(ROOT / "scripts/setup.sh"), "--dbt"], check=True, timeout=300)


@pytest.fixture
def server(lake_path: Path) -> Iterator[Server]:
    service = Service.open(lake_path, loops=False)
    server = Server(service, Listening(port=0, hive_port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    yield server
    server.stop()


@pytest.fixture
def sql(server: Server, lake_path: Path) -> Iterator[Connection]:
    """The lake's owner, with the source that the project reads and the user that dbt is."""
    token = (lake_path / TOKEN_FILE).read_text()
    with headwater.connect(server.url, token=token) as owner:
        for text in (
            "CREATE SCHEMA raw",
            "CREATE TABLE raw.orders (id INT, country_code STRING, amount DECIMAL(10,2))",
            "INSERT INTO raw.orders VALUES (1, 'de', 10), (2, 'fr ', 20), (3, 'de', NULL)",
            f"CREATE USER builder PASSWORD '{PASSWORD}' ROLE developer",
            "GRANT SELECT ON SCHEMA raw TO USER builder",
        ):
            owner.sql(text)
        yield owner


@pytest.fixture
def project(server: Server, sql: Connection, tmp_path: Path) -> Project:
    folder = shutil.copytree(ROOT / "examples/dbt", tmp_path / "dbt")
    assert server.hive_url is not None
    port = server.hive_url.rpartition(":")[2].rstrip("/")
    return Project(
        folder,
        {
            "HEADWATER_HIVE_PORT": port,
            "HEADWATER_USER": "builder",
            "HEADWATER_PASSWORD": PASSWORD,
            "DBT_PROFILES_DIR": str(folder),
        },
    )


def countries(sql: Connection, more: str = "") -> list[tuple[object, ...]]:
    query = f"SELECT country, orders, total {more} FROM analytics.sales_by_country"
    return list(sql.sql(f"{query} ORDER BY country").rows)


def versions(sql: Connection, name: str) -> int:
    return len(sql.sql(f"DESC HISTORY analytics.{name}").rows)


def details(sql: Connection, name: str) -> dict[str, str]:
    return {row[0]: row[1] for row in sql.sql(f"DESC EXTENDED analytics.{name}").rows}


def outcome(said: str, model: str) -> str:
    """What dbt prints at the end of a model's line: `UNCHANGED, NO_DATA +0 -0`."""
    found = re.findall(rf"analytics\.{model} \.+ \[(.+) in [0-9.]+s\]", said)
    assert found, said
    return str(found[-1])


def test_a_project_is_built_and_follows_its_sources_and_its_models(
    project: Project, sql: Connection
) -> None:
    said = project.dbt("build")
    assert outcome(said, "sales_by_country") == "CREATED, FULL +2 -0"
    assert "PASS=12 WARN=0 ERROR=0 SKIP=0" in said
    assert countries(sql) == [("France", 1, Decimal(20)), ("Germany", 1, Decimal(10))]
    described = details(sql, "sales_by_country")
    assert described["refresh_target_lag"] == "DOWNSTREAM"
    assert described["refresh_mode"] == "INCREMENTAL"
    assert described["comment"] == "Orders and what they came to, by country."
    assert details(sql, "sales_by_continent")["refresh_interval_second"] == "600"
    for name, column, comment in (
        ("sales_by_country", "country", "The country's name"),
        ("country_report", "percent", "Of all sales; it isn't rounded to 100"),
    ):
        columns = sql.sql(f"DESC analytics.{name}").to_dicts()
        assert [c["comment"] for c in columns if c["column_name"] == column] == [comment]

    sql.sql("INSERT INTO raw.orders VALUES (4, 'JP', 30), (5, 'DE', 5)")
    said = project.dbt("build", *NO_TESTS)
    # The seed was written again, and its rows are the same.
    assert outcome(said, "sales_by_country") == "UNCHANGED, INCREMENTAL +2 -1"
    assert outcome(said, "sales_by_continent") == "UNCHANGED, INCREMENTAL +2 -1"
    assert countries(sql) == [
        ("France", 1, Decimal(20)),
        ("Germany", 2, Decimal(15)),
        ("Japan", 1, Decimal(30)),
    ]

    before = versions(sql, "sales_by_country"), versions(sql, "sales_by_continent")
    said = project.dbt("run", "-s", "sales_by_country", "sales_by_continent")
    assert outcome(said, "sales_by_country") == "UNCHANGED, NO_DATA +0 -0"
    assert outcome(said, "sales_by_continent") == "UNCHANGED, NO_DATA +0 -0"
    assert (versions(sql, "sales_by_country"), versions(sql, "sales_by_continent")) == before

    project.change(
        "models/marts/sales_by_country.sql", "as total", "as total, sum(60 / o.amount) as share"
    )
    project.change(
        "models/marts/sales_by_country.sql",
        "(target",
        "(grants={'select': ['role viewer']}, target",
    )
    project.change("models/marts/sales_by_continent.sql", "10 minutes", "1 hour 30 minutes")
    said = project.dbt("run", "-s", "sales_by_country", "sales_by_continent")
    assert outcome(said, "sales_by_country") == "REPLACED, FULL +3 -3"
    assert outcome(said, "sales_by_continent").startswith("ALTERED, ")
    assert [row[3] for row in countries(sql, ", CAST(share AS INT)")] == [3, 18, 2]
    assert details(sql, "sales_by_continent")["refresh_interval_second"] == "5400"
    granted = sql.sql("SHOW GRANTS ON TABLE analytics.sales_by_country").to_dicts()
    assert [(row["privilege"], row["grantee_name"]) for row in granted] == [("SELECT", "viewer")]

    sql.sql("INSERT INTO raw.orders VALUES (6, 'FR', 0)")
    said = project.dbt("run", fails=True)
    assert "DIVIDE_BY_ZERO" in said
    assert "Traceback" not in said
    assert "SKIP relation analytics.sales_by_continent" in said
    assert countries(sql)[0] == ("France", 1, Decimal(20))


@pytest.mark.nightly
def test_models_change_their_kind_and_the_documents_know_all_of_them(
    project: Project, sql: Connection
) -> None:
    project.dbt("build", *NO_TESTS)
    with (project.folder / "seeds/countries.csv").open("a") as seed:
        seed.write("IT,Italy's boot,Europe\n")
    sql.sql("INSERT INTO raw.orders VALUES (7, 'it', 1)")

    project.change(
        "models/marts/country_report.sql",
        "'table'",
        "'dynamic_table', refresh=false, partition_by='country', immutable_where='percent > 200'",
    )
    project.change(
        "models/marts/sales_by_continent.sql", "(refresh", "(materialized='view', refresh"
    )
    said = project.dbt("build", "--full-refresh", *NO_TESTS)
    # In full, and only what differs is written: another dynamic table reads it.
    assert outcome(said, "sales_by_country") == "UNCHANGED, FULL +1 -0"
    assert outcome(said, "country_report") == "CREATED"
    assert "Italy's boot" in [row[0] for row in countries(sql)]
    kinds = {
        row["table_name"]: (row["is_view"], row["is_dynamic"])
        for row in sql.sql("SHOW TABLES IN analytics").to_dicts()
    }
    assert kinds == {
        "countries": (False, False),
        "country_report": (False, True),
        "sales_by_continent": (True, False),
        "sales_by_country": (False, True),
        "stg_orders": (True, False),
    }
    said = project.dbt("run", "-s", "country_report")
    assert outcome(said, "country_report") == "UNCHANGED"

    project.change(
        "models/marts/sales_by_country.sql", "(target", "(on_configuration_change='fail', target"
    )
    project.change("models/marts/sales_by_country.sql", "downstream", "2 minutes")
    said = project.dbt("run", "-s", "sales_by_country", fails=True)
    assert "differs from its model" in said

    project.dbt("docs", "generate", "--no-compile")
    catalog = json.loads((project.folder / "target/catalog.json").read_text())
    known = catalog["nodes"]["model.headwater_example.sales_by_country"]
    assert list(known["columns"]) == ["country", "continent", "orders", "total"]
    assert known["columns"]["total"]["type"] == "decimal(20,2)"
    assert known["stats"]["rows"]["value"] == 3
    assert "source.headwater_example.raw.orders" in catalog["sources"]
