"""What `headwater doctor` looks at: one function per check, each with what to do about it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from headwater.config import Config, load_config
from headwater.errors import HeadwaterError, UserError
from headwater.result import Result, string_columns
from headwater.time_zones import zone_of

_GIGABYTE = 1024**3
_ENOUGH_DISK = 5 * _GIGABYTE
_LEAST_DISK = _GIGABYTE // 4
_ENOUGH_MEMORY = 2 * _GIGABYTE


class CheckState(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, what was found, and what to do about it."""

    name: str
    state: CheckState
    found: str
    advice: str = ""


Look = Callable[[], Check]


def run_checks(folder: Path | None, *, spark: bool) -> Iterator[Check]:
    """All checks, each as it is done; a check that cannot be done has failed."""
    yield from (
        _safely("python", _python),
        _safely("java", _java),
        _safely("spark", _spark_package),
        _safely("jars", _jars),
        _safely("classes", _classes),
    )
    config = Config()
    if folder is None:
        advice = "headwater doctor --lake <folder> checks a lake"
        yield Check("lake", CheckState.OK, "none was named", advice)
    else:
        yield _safely("lake", lambda: _lake(folder))
        loaded: list[Config] = []
        yield _safely("settings", lambda: _settings(folder, loaded))
        config = loaded[0] if loaded else config
        if loaded:
            yield _safely("catalog", lambda: _catalog(folder, config))
            yield _safely("writer", lambda: _writer(folder, config))
        if config.tables_location is not None:
            yield _safely("tables", lambda: _tables(config))
    yield _safely("disk", lambda: _disk(folder or Path.cwd()))
    yield _safely("memory", _memory)
    yield _safely("time zone", lambda: _time_zone(config))
    if spark:
        yield _safely("spark start", lambda: _spark_start(folder))


def as_result(checks: list[Check]) -> Result:
    """The checks as rows."""
    rows = [(c.name, c.state.value, c.found, c.advice) for c in checks]
    return Result.from_rows(string_columns("check", "state", "found", "advice"), rows)


def _safely(name: str, look: Look) -> Check:
    try:
        return look()
    except HeadwaterError as error:
        return Check(name, CheckState.FAILED, error.message, error.hint or "")
    except Exception as error:
        # What cannot be checked is a finding, and doctor never fails itself.
        return Check(name, CheckState.FAILED, f"cannot be checked: {error!r}")


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", CheckState.OK, f"{version} in {sys.executable}")


def _java() -> Check:
    from headwater.lake.java import find_java

    runtime = find_java()
    return Check("java", CheckState.OK, f"{runtime.major} in {runtime.home}")


def _spark_package() -> Check:
    # Asked from the package's own record: importing it takes a second.
    from importlib.metadata import version

    return Check("spark", CheckState.OK, f"pyspark {version('pyspark')}")


def _jars() -> Check:
    from headwater.lake.jars import cache_folder, jar_paths

    paths = jar_paths(["delta"], fetch=False, recheck=True)
    found = f"{len(paths)} of {len(paths)} verified in {cache_folder() / 'jars'}"
    return Check("jars", CheckState.OK, found)


def _classes() -> Check:
    from headwater.lake.class_archive import archive_file
    from headwater.lake.jars import jar_paths
    from headwater.lake.java import find_java

    jars = [str(path) for path in jar_paths(["delta"], fetch=False)]
    file = archive_file(find_java().home, jars)
    if file.is_file():
        return Check("classes", CheckState.OK, f"kept in {file}")
    advice = "python -m headwater.lake.class_archive halves the time Spark takes to start"
    return Check("classes", CheckState.OK, "loaded from the jars at every start", advice)


def _lake(folder: Path) -> Check:
    from headwater.runtime.lake_folder import open_folder

    path = open_folder(folder, create=False).path
    if not os.access(path, os.R_OK | os.X_OK):
        raise UserError("NOT_A_LAKE", path=path, reason="it cannot be read")
    try:
        with tempfile.NamedTemporaryFile(dir=path, prefix=".headwater-doctor-"):
            pass
    except OSError as error:
        raise UserError("LAKE_NOT_WRITABLE", path=path, problem=error.strerror) from None
    return Check("lake", CheckState.OK, f"{path} can be read and written")


def _settings(folder: Path, loaded: list[Config]) -> Check:
    from headwater.runtime.lake_folder import open_folder

    config = load_config(open_folder(folder, create=False).path)
    loaded.append(config)
    return Check("settings", CheckState.OK, f"workspace {config.workspace}, {config.spark_master}")


def _catalog(folder: Path, config: Config) -> Check:
    from headwater.catalog.store import Store
    from headwater.catalog.store.migrate import HEAD
    from headwater.runtime.clock import now

    missing = _no_catalog_yet("catalog", folder, config)
    if missing is not None:
        return missing
    with closing(Store.open(_metadata_url(folder, config), clock=now)) as store:
        found = f"version {HEAD}, lake {store.lake_id}, made {store.created_at:%Y-%m-%d}"
    return Check("catalog", CheckState.OK, found)


def _writer(folder: Path, config: Config) -> Check:
    from headwater.catalog.store import Store
    from headwater.runtime.clock import now
    from headwater.runtime.process_identity import is_alive

    missing = _no_catalog_yet("writer", folder, config)
    if missing is not None:
        return missing
    with closing(Store.open(_metadata_url(folder, config), clock=now)) as store:
        lease = store.lease.get()
        holder = store.instances.get(lease.holder) if lease and lease.holder else None
    if lease is None or holder is None:
        return Check("writer", CheckState.OK, "nobody writes this lake now")
    who = f"process {holder.pid} of {holder.user_name} on {holder.host}"
    if lease.expired(now()) or not is_alive(holder):
        return Check("writer", CheckState.OK, f"{who} is gone; the next writer takes over")
    advice = "other processes can read; to write, close that one"
    return Check("writer", CheckState.OK, f"{who} since {lease.acquired_at:%Y-%m-%d %H:%M}", advice)


def _tables(config: Config) -> Check:
    """Whether the store that holds the tables answers, and takes the keys."""
    from headwater.runtime.lake_store import open_lake_store

    found = open_lake_store(config)
    assert found is not None
    with closing(found.store):
        next(iter(found.store.list("tables")))
    return Check("tables", CheckState.OK, found.address.url)


def _metadata_url(folder: Path, config: Config) -> str:
    from headwater.runtime.lake_folder import LakeFolder

    return config.metadata_url or LakeFolder(folder.expanduser().resolve()).catalog_url


def _no_catalog_yet(name: str, folder: Path, config: Config) -> Check | None:
    """Looking must not make one."""
    from headwater.runtime.lake_folder import open_folder

    lake = open_folder(folder, create=False)
    if config.metadata_url:
        return None
    lake.require_catalog()
    if lake.catalog.exists():
        return None
    return Check(name, CheckState.WARNING, "there is none yet", "the first statement makes one")


def _disk(folder: Path) -> Check:
    place = folder.expanduser().resolve()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    found = f"{free / _GIGABYTE:.1f} GB free at {place}"
    if free < _LEAST_DISK:
        return Check("disk", CheckState.FAILED, found, "make room: writes are about to fail")
    if free < _ENOUGH_DISK:
        return Check("disk", CheckState.WARNING, found, "make room before large loads")
    return Check("disk", CheckState.OK, found)


def _memory() -> Check:
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in text.splitlines()}
    free, total = sizes["MemAvailable"], sizes["MemTotal"]
    found = f"{free / _GIGABYTE:.1f} of {total / _GIGABYTE:.1f} GB available"
    if free < _ENOUGH_MEMORY:
        advice = "Spark wants 2 GB: end other programs, or lower spark.driver_memory"
        return Check("memory", CheckState.WARNING, found, advice)
    return Check("memory", CheckState.OK, found)


def _time_zone(config: Config) -> Check:
    there = datetime.now(zone_of(config.time_zone))
    return Check("time zone", CheckState.OK, f"{config.time_zone}; it is {there:%Y-%m-%d %H:%M}")


def _spark_start(folder: Path | None) -> Check:
    from headwater.cli.lake_option import opened
    from headwater.cli.statement_thread import StatementThread

    with tempfile.TemporaryDirectory(prefix="headwater-doctor-") as temporary:
        started = time.monotonic()
        with opened(folder or Path(temporary, "lake")) as connection:
            results = list(StatementThread(connection).run("SELECT 1"))
        seconds = time.monotonic() - started
    rows = [timed.result.rows for timed in results]
    if rows != [[(1,)]]:
        return Check("spark start", CheckState.FAILED, f"the first query gave {rows}, not 1")
    found = f"{seconds:.1f} s from a cold start to the first answer"
    return Check("spark start", CheckState.OK, found)
