"""The jars Spark needs beside pyspark: pinned in `jars.lock`, fetched once, checked by SHA-256.

A path returned from here always names a file whose content the lock file describes: a download is
checked before it is moved into place, and a file that changed since is checked again.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.lake.java import find_java

LOCK = Path(__file__).with_name("jars.lock")
_FETCH_SECONDS = 600
# Settings of some other Spark that would change what the fetching JVM runs or loads.
_FOREIGN_SPARK = (
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_GATEWAY_SECRET",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SPARK_REMOTE",
)


@dataclass(frozen=True, slots=True)
class Jar:
    """One pinned jar: Maven coordinate `group:artifact:version` and the checksum of its file."""

    coordinate: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name under which Spark's Maven client stores the jar."""
        group, artifact, version = self.coordinate.split(":")
        return f"{group}_{artifact}-{version}.jar"


def cache_folder() -> Path:
    """Where downloads are kept: HEADWATER_CACHE, else the user's cache folder."""
    own = os.environ.get("HEADWATER_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "headwater"


def locked_jars(set_names: Iterable[str]) -> list[Jar]:
    """The jars of these sets as the lock file lists them, each once."""
    lock = tomllib.loads(LOCK.read_text(encoding="utf-8"))
    jars: dict[str, Jar] = {}
    for name in set_names:
        if name not in lock:
            raise UserError("JAR_SET_UNKNOWN", name=name, known=", ".join(lock))
        for entry in lock[name]:
            jars.setdefault(entry["coordinate"], Jar(entry["coordinate"], entry["sha256"]))
    return list(jars.values())


def jar_paths(
    set_names: Sequence[str],
    *,
    cache: Path | None = None,
    fetch: bool = True,
    recheck: bool = False,
) -> list[Path]:
    """Local paths of the jars of these sets, fetching the ones that are missing or damaged.

    `cache` is the cache folder, whose subfolder `jars` holds the files. Files that kept their size
    and time since their checksum was verified are trusted, unless `recheck` asks for a full check.
    """
    folder = (cache or cache_folder()) / "jars"
    jars = locked_jars(set_names)
    missing = [jar for jar in jars if not _intact(folder / jar.file_name, jar.sha256, recheck)]
    if missing:
        if not fetch:
            raise _unavailable(missing, folder, set_names)
        for jars_of_round in _rounds(missing):
            _fetch(jars_of_round, folder, set_names)
    return [folder / jar.file_name for jar in jars]


def _intact(path: Path, sha256: str, recheck: bool) -> bool:
    try:
        stamp = _stamp(path, sha256)
        if not recheck and _read(_stamp_path(path)) == stamp:
            return True
        if _checksum(path) != sha256:
            return False
    except OSError:
        return False
    _remember(path, sha256)
    return True


def _stamp(path: Path, sha256: str) -> str:
    seen = path.stat()
    return f"{sha256} {seen.st_size} {seen.st_mtime_ns}"


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _remember(path: Path, sha256: str) -> None:
    # A cache that may only be read is fine; it is hashed at every start.
    with suppress(OSError):
        _stamp_path(path).write_text(_stamp(path, sha256), encoding="utf-8")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rounds(jars: list[Jar]) -> list[list[Jar]]:
    """What can be fetched together: Maven's client drops all but one version of an artifact."""
    rounds: list[dict[str, Jar]] = []
    for jar in jars:
        artifact = jar.coordinate.rpartition(":")[0]
        free = next((others for others in rounds if artifact not in others), None)
        if free is None:
            rounds.append(free := {})
        free[artifact] = jar
    return [list(others.values()) for others in rounds]


def _fetch(jars: list[Jar], folder: Path, set_names: Sequence[str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-")
    except OSError as error:
        raise UserError("CACHE_NOT_WRITABLE", folder=folder, reason=error.strerror) from error
    # Inside the cache, so that moving a finished file into place is one rename.
    with temporary as working:
        said = _run_maven([jar.coordinate for jar in jars], working)
        fetched = {jar: Path(working, "jars", jar.file_name) for jar in jars}
        absent = [jar for jar, path in fetched.items() if not path.is_file()]
        if absent:
            raise _unavailable(absent, folder, set_names, detail=said)
        for jar, path in fetched.items():
            _move_into_place(jar, path, folder, set_names)


def _move_into_place(jar: Jar, fetched: Path, folder: Path, set_names: Sequence[str]) -> None:
    found = _checksum(fetched)
    if found != jar.sha256:
        raise UserError(
            "JAR_CHECKSUM_MISMATCH",
            coordinate=jar.coordinate,
            found=found,
            expected=jar.sha256,
            sets=" ".join(set_names),
        )
    target = folder / jar.file_name
    os.replace(fetched, target)
    _remember(target, jar.sha256)


def _unavailable(
    jars: list[Jar], folder: Path, set_names: Sequence[str], *, detail: str | None = None
) -> TransientError:
    return TransientError(
        "JARS_UNAVAILABLE",
        detail=detail,
        count=len(jars),
        folder=folder,
        names=", ".join(jar.coordinate for jar in jars),
        sets=" ".join(set_names),
    )


def _run_maven(coordinates: list[str], working: str) -> str:
    """Fetch into `working/jars` from a child process; returns what it printed.

    A child, because Spark's start scripts take their settings from the environment, which in the
    caller's process belongs to the caller, and because the caller may already run another JVM.
    """
    java = find_java()
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN_SPARK}
    environment["JAVA_HOME"] = str(java.home)
    # Otherwise Spark looks up the machine's own name, which fails where nothing resolves it.
    environment.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    module = "headwater.lake.jars"
    command = [sys.executable, "-m", module, "--maven", working, ",".join(coordinates)]
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_FETCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"gave up after {_FETCH_SECONDS} seconds"
    said = done.stdout + done.stderr
    if "JAVA_GATEWAY_EXITED" in said:
        raise UserError("JAVA_CANNOT_START", path=java.path, detail=said)
    return said


def _maven(working: str, coordinates: str) -> None:
    """Body of the child: Spark's own Maven client, which needs no Spark context."""
    from pyspark import SparkConf
    from pyspark.java_gateway import launch_gateway

    gateway: Any = launch_gateway(SparkConf())
    try:
        jvm = gateway.jvm
        client = getattr(getattr(jvm.org.apache.spark.util, "MavenUtils$"), "MODULE$")
        nothing = getattr(getattr(jvm.scala, "None$"), "MODULE$")
        no_exclusions = getattr(getattr(jvm.scala.collection.immutable, "Nil$"), "MODULE$")
        log = jvm.java.lang.System.err
        settings = client.buildIvySettings(nothing, jvm.scala.Some(working), False, log)
        client.resolveMavenCoordinates(
            coordinates, settings, nothing, False, no_exclusions, False, log
        )
    finally:
        gateway.shutdown()


def main(arguments: Sequence[str]) -> int:
    """`python -m headwater.lake.jars SET...`: check the sets in full, fetch what is missing."""
    if arguments[:1] == ["--maven"]:
        _maven(*arguments[1:])
        return 0
    try:
        paths = jar_paths(arguments, recheck=True)
    except HeadwaterError as error:
        print(*filter(None, [error.detail, str(error)]), sep="\n", file=sys.stderr)
        return 1
    print(f"{len(paths)} jars in {cache_folder() / 'jars'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
