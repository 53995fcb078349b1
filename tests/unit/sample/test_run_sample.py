"""The life of the sample: started, made, grown while the lake runs, stopped, dropped. No Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.pipes.fake_spark import table_of

import headwater
from headwater import run_sample
from headwater.cli.main import cli
from headwater.run_sample import SampleLoop, drop_sample, make_sample, start_sample, stop_sample
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.sample.state import read_state, write_state
from headwater.sample.texts import (
    CREATE_SCHEMA,
    CREATE_SCHEMA_OF_DOCUMENTS,
    CREATE_TABLE,
    CREATE_VIEW,
    DROP_TABLE,
    DROP_VIEW,
)


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[OpenLake]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder) as connection:
        connection.session.lake.writer.ensure()
        yield connection.session.lake


@pytest.fixture
def there(lake: OpenLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is there, as far as the sample can see."""
    table = table_of(lake, "stand_in")
    monkeypatch.setattr(run_sample, "sample_table", lambda lake: table)
    monkeypatch.setattr(run_sample, "_view", lambda lake: table)


def test_it_is_made_with_the_events_of_the_last_hour(lake: OpenLake) -> None:
    ran: list[str] = []
    start_sample(lake, rate=60)
    make_sample(lake, ran.append)
    assert ran[:2] == [CREATE_SCHEMA, CREATE_TABLE]
    assert ran[2:4] == [CREATE_SCHEMA_OF_DOCUMENTS, CREATE_VIEW]
    assert len(ran) == 5
    assert ran[4].count("\n") == 500
    for name in ("headwater_sample_data", "clickzetta_sample_data"):
        assert lake.store.workspaces.get(name) is not None
    state = read_state(lake.store)
    assert state is not None
    assert (state.next, state.running) == (500, True)


@pytest.mark.usefixtures("there")
def test_one_that_lacks_the_view_gets_it_and_no_further_events(
    lake: OpenLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    start_sample(lake, rate=60)
    make_sample(lake, ran.append)
    assert ran == []
    monkeypatch.setattr(run_sample, "_view", lambda lake: None)
    make_sample(lake, ran.append)
    assert ran == [CREATE_SCHEMA, CREATE_TABLE, CREATE_SCHEMA_OF_DOCUMENTS, CREATE_VIEW]


@pytest.mark.usefixtures("there")
def test_it_grows_by_what_is_due_and_not_when_it_is_stopped(lake: OpenLake) -> None:
    ran: list[str] = []
    state = start_sample(lake, rate=60)
    loop = SampleLoop(lake, ran.append)
    write_state(lake.store, replace(state, next=500, until=now() - timedelta(seconds=20)))
    loop.step()
    assert [text.count("\n") for text in ran] == [20]
    stop_sample(lake)
    write_state(lake.store, replace(read_state(lake.store), until=now() - timedelta(minutes=1)))  # type: ignore[type-var]
    loop.step()
    assert len(ran) == 1
    again = start_sample(lake, rate=30)
    assert (again.next, again.rate, again.running) == (520, 30, True)


@pytest.mark.usefixtures("there")
def test_what_could_not_be_written_is_due_again(lake: OpenLake) -> None:
    state = start_sample(lake, rate=60)
    before = replace(state, until=now() - timedelta(seconds=20))
    write_state(lake.store, before)

    def fail(text: str) -> None:
        raise headwater.TransientError("CONCURRENT_CHANGE", problem="somebody wrote")

    SampleLoop(lake, fail).step()
    assert read_state(lake.store) == before


@pytest.mark.usefixtures("there")
def test_dropping_it_forgets_it(lake: OpenLake) -> None:
    ran: list[str] = []
    start_sample(lake, rate=60)
    drop_sample(lake, ran.append)
    assert ran == [DROP_VIEW, DROP_TABLE]
    assert read_state(lake.store) is None


@pytest.mark.parametrize("rate", ["0", "601/min", "many"])
def test_a_rate_that_is_none_is_refused(rate: str, tmp_path: Path) -> None:
    given = ["sample", "start", "--lake", str(tmp_path / "lake"), "--rate", rate]
    found = CliRunner().invoke(cli, given)
    assert found.exit_code == 2
    assert "events per minute from 1 to 600" in found.output
    assert not (tmp_path / "lake").exists()


@pytest.mark.parametrize("command", ["step", "stop"])
def test_without_a_sample_it_says_how_to_start_one(command: str, new_lake: Path) -> None:
    found = CliRunner().invoke(cli, ["sample", command, "--lake", str(new_lake)])
    assert found.exit_code == 1
    assert "headwater sample start" in found.output
