"""What the daily cleaning takes, and what it must leave."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.upkeep.conftest import START, Clock, hand_made

import headwater
from headwater.access.users import AuditEvent, AuditKind
from headwater.catalog.jobs import Job, JobState
from headwater.catalog.objects import Operation
from headwater.errors import TransientError
from headwater.runtime.clock import now
from headwater.tables.commits import Author, commit
from headwater.upkeep.cleaning import upkeep
from headwater.upkeep.notes import note_vacuumed, vacuumed_until


def export(lake: headwater.Connection, folder: Path, name: str, state: JobState) -> Path:
    """A job that writes files into a volume, and the folder that it writes them to."""
    text = "COPY INTO VOLUME v SUBDIRECTORY 'out/' FROM TABLE t FILE_FORMAT = (TYPE = CSV)"
    ended = now() if state is JobState.FAILED else None
    lake.session.lake.store.jobs.start(
        Job(
            name,
            state,
            "headwater",
            "public",
            "tester",
            text,
            now(),
            "i",
            ended,
            kind="COPY_INTO_VOLUME",
        )
    )
    left = folder / "out" / f"_temporary_{name}"
    left.mkdir(parents=True)
    (left / "part-0.csv").write_text("1\n")
    return left


def test_folders_of_exports_that_were_killed_are_removed(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "kept.csv").write_text("1\n")
    lake.sql(
        "CREATE STORAGE CONNECTION c TYPE FILE;"
        f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION c"
    )
    dead = export(lake, folder, "dead", JobState.FAILED)
    alive = export(lake, folder, "alive", JobState.RUNNING)
    upkeep(lake.session.lake)
    assert not dead.exists()
    assert alive.exists()
    assert (folder / "out" / "kept.csv").exists()


def test_old_lines_of_the_audit_are_forgotten(lake: headwater.Connection) -> None:
    own = lake.session.lake
    days = own.config.audit_retention_days
    for user, age in (("old", days + 1), ("young", days - 1)):
        at = now() - timedelta(days=age)
        own.store.audit.add(AuditEvent(at=at, user=user, kind=AuditKind.LOGIN))
    upkeep(own)
    found = {event.user for event in own.store.audit.list()}
    assert "young" in found
    assert "old" not in found


def test_a_volume_that_is_gone_stops_nothing(lake: headwater.Connection, tmp_path: Path) -> None:
    left = export(lake, tmp_path, "dead", JobState.FAILED)
    upkeep(lake.session.lake)
    assert left.exists()


def test_a_purged_table_takes_its_states_and_its_notes_along(
    lake: headwater.Connection, clock: Clock
) -> None:
    own = lake.session.lake
    table = hand_made(lake, clock).table
    state = Path(own.location(table)) / "_state" / "groups"
    state.mkdir(parents=True)
    note_vacuumed(own.store, table.id, START)
    own.store.tables.drop(table, clock.at - timedelta(days=8))
    upkeep(own)
    assert not state.exists()
    assert vacuumed_until(own.store, table.id) is None
    assert own.store.tables.get_by_id(table.id) is None


def test_a_purged_table_takes_its_volume_along(
    lake: headwater.Connection, clock: Clock, tmp_path: Path
) -> None:
    own = lake.session.lake
    table = hand_made(lake, clock).table
    (tmp_path / "a.csv").write_text("1\n")
    lake.sql(f"PUT '{tmp_path / 'a.csv'}' TO TABLE VOLUME {table.schema}.{table.name}")
    (put,) = (own.folder.path / "volumes" / "table").rglob("a.csv")
    own.store.tables.drop(table, clock.at - timedelta(days=6))
    upkeep(own)
    assert put.exists(), "it can be undropped"
    clock.at += timedelta(days=2)
    upkeep(own)
    assert not put.parent.exists()
    assert own.store.tables.get_by_id(table.id) is None


class Refusing:
    """A Spark that must not be asked."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"asked for {name}")


def test_what_was_decided_for_a_version_is_not_done_to_a_later_one(
    lake: headwater.Connection, clock: Clock
) -> None:
    table = hand_made(lake, clock)
    seen = table.commit(None)
    table.commit(None)
    author = Author("job", "tester", only_at=seen.shape.delta_version)
    with pytest.raises(TransientError, match="CONCURRENT_CHANGE"):
        commit(
            lake.session.lake,
            Refusing(),  # type: ignore[arg-type]
            seen,
            operation=Operation.TRUNCATE,
            author=author,
            work=lambda: pytest.fail("it was done"),
        )
