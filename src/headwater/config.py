"""Settings of a lake: defaults, then `headwater.toml`, then HEADWATER_* variables, then arguments.

Read with the standard library only: a settings framework costs a quarter of a second at every start
of the command line, which is a third of what SHOW TABLES may take in all.
"""

from __future__ import annotations

import getpass
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from headwater.errors import UserError
from headwater.machine_zone import machine_zone
from headwater.names import did_you_mean
from headwater.time_zones import zone_of

FILE_NAME = "headwater.toml"


def _current_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def is_local(master: str) -> bool:
    """Whether Spark runs inside this process, and not on workers of its own.

    >>> is_local("local[2]"), is_local("local-cluster[1,1,1024]"), is_local("spark://host:7077")
    (True, False, False)
    """
    return master == "local" or master.startswith("local[")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings. In the file they stand as `[section] key`; the table below maps them."""

    workspace: str = "headwater"
    """The workspace that names without one belong to."""
    user: str = field(default_factory=_current_user)
    """Who runs statements; shown as creator."""
    time_zone: str = field(default_factory=machine_zone)
    """The session time zone; the machine's own when not set."""
    metadata_url: str | None = None
    """Where metadata lives; SQLite in the lake folder when not set."""
    spark_master: str = "local[*]"
    spark_driver_memory: str | None = None
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    """Any Spark setting, passed through."""
    job_retention_days: int = 60
    """How long finished jobs stay in the job history."""
    audit_retention_days: int = 365
    """How long it is remembered who logged in, and what was made, granted and refused."""
    data_retention_days: int = 7
    """How long old versions and dropped tables can be brought back."""
    tables_location: str | None = None
    """The folder of an object store that holds tables and volumes; the lake folder when not set."""
    tables_endpoint: str | None = None
    """The server of that store; Amazon's when not set."""
    tables_region: str | None = None
    """The region of that store."""
    tables_key_file: str | None = None
    """A file with the keys of that store, where they are not in the environment."""
    load_history_retention_days: int = 7
    """How long it is remembered which files were loaded into which table."""
    lease_seconds: int = 30
    """How long a silent writer keeps the lake before another process may take it over."""
    pipe_poll_seconds: int = 30
    """How often a pipe looks for new files."""
    pipe_files_per_batch: int = 1000
    """How many files a pipe loads in one commit at most."""
    pipe_megabytes_per_batch: int = 4096
    """How much a pipe loads in one commit at most, unless one file alone is bigger."""
    pipe_failures: int = 5
    """After how many failures in a row a pipe stops and is INVALID."""
    pipe_batches_at_once: int = 2
    """How many batches run side by side on one virtual cluster."""
    pipe_heal_minutes: int = 0
    """How often a pipe with event notifications lists its files for lost events; 0 is never."""
    refreshes_at_once: int = 2
    """How many scheduled refreshes run side by side on one virtual cluster."""
    upkeep_small_files: int = 50
    """From how many small files on, in one partition, they are compacted; 0 is never."""
    upkeep_small_file_megabytes: int = 16
    """What a small file is."""
    upkeep_file_megabytes: int = 128
    """How large the files become that small ones are compacted to."""
    upkeep_vacuum_hours: int = 24
    """How often at most files that nobody needs are removed from a table; 0 is never."""
    upkeep_patience_minutes: int = 10
    """How long upkeep waits for a moment in which nothing else runs."""
    stream_extension_days: int = 14
    """How long changes wait for a stream whose table keeps its versions for less."""
    service_statements_at_once: int = 8
    """How many statements that may need Spark the service runs at once."""
    service_waiting_statements: int = 200
    """How many statements may wait in the service before further ones are turned away."""
    service_session_minutes: int = 30
    """How long the service keeps a session that nobody uses."""
    service_result_minutes: int = 15
    """How long the service keeps the results of a statement."""
    service_result_megabytes: int = 1024
    """How much memory the service gives to results that wait for their clients."""
    service_body_megabytes: int = 8
    """How large a request to the service may be."""
    studio_upload_megabytes: int = 1024
    """How large a file may be that is sent to Studio."""
    service_stop_seconds: int = 30
    """How long running statements have to end when the service is stopped."""
    cluster_pools: Mapping[str, str] = field(default_factory=dict)
    """Which pool of Spark's scheduler a virtual cluster uses, where it is not one of its name."""


_PLACES = {
    "workspace": ("lake", "workspace"),
    "user": ("lake", "user"),
    "time_zone": ("lake", "time_zone"),
    "metadata_url": ("metadata", "url"),
    "spark_master": ("spark", "master"),
    "spark_driver_memory": ("spark", "driver_memory"),
    "spark_conf": ("spark", "conf"),
    "job_retention_days": ("jobs", "retention_days"),
    "audit_retention_days": ("audit", "retention_days"),
    "data_retention_days": ("tables", "retention_days"),
    "tables_location": ("tables", "location"),
    "tables_endpoint": ("tables", "endpoint"),
    "tables_region": ("tables", "region"),
    "tables_key_file": ("tables", "key_file"),
    "load_history_retention_days": ("files", "load_history_days"),
    "lease_seconds": ("lake", "lease_seconds"),
    "pipe_poll_seconds": ("pipes", "poll_seconds"),
    "pipe_files_per_batch": ("pipes", "files_per_batch"),
    "pipe_megabytes_per_batch": ("pipes", "megabytes_per_batch"),
    "pipe_failures": ("pipes", "failures"),
    "pipe_batches_at_once": ("pipes", "batches_at_once"),
    "pipe_heal_minutes": ("pipes", "heal_minutes"),
    "refreshes_at_once": ("schedule", "refreshes_at_once"),
    "upkeep_small_files": ("upkeep", "small_files"),
    "upkeep_small_file_megabytes": ("upkeep", "small_file_megabytes"),
    "upkeep_file_megabytes": ("upkeep", "file_megabytes"),
    "upkeep_vacuum_hours": ("upkeep", "vacuum_hours"),
    "upkeep_patience_minutes": ("upkeep", "patience_minutes"),
    "stream_extension_days": ("streams", "extension_days"),
    "service_statements_at_once": ("service", "statements_at_once"),
    "service_waiting_statements": ("service", "waiting_statements"),
    "service_session_minutes": ("service", "session_minutes"),
    "service_result_minutes": ("service", "result_minutes"),
    "service_result_megabytes": ("service", "result_megabytes"),
    "service_body_megabytes": ("service", "body_megabytes"),
    "studio_upload_megabytes": ("studio", "upload_megabytes"),
    "service_stop_seconds": ("service", "stop_seconds"),
    "cluster_pools": ("clusters", "pools"),
}
_INTEGERS = {
    "job_retention_days": 1,
    "audit_retention_days": 1,
    "data_retention_days": 0,
    "load_history_retention_days": 1,
    "lease_seconds": 3,
    "pipe_poll_seconds": 1,
    "pipe_files_per_batch": 1,
    "pipe_megabytes_per_batch": 1,
    "pipe_failures": 1,
    "pipe_batches_at_once": 1,
    "pipe_heal_minutes": 0,
    "refreshes_at_once": 1,
    "upkeep_small_files": 0,
    "upkeep_small_file_megabytes": 1,
    "upkeep_file_megabytes": 1,
    "upkeep_vacuum_hours": 0,
    "upkeep_patience_minutes": 0,
    "stream_extension_days": 0,
    "service_statements_at_once": 1,
    "service_waiting_statements": 1,
    "service_session_minutes": 1,
    "service_result_minutes": 1,
    "service_result_megabytes": 1,
    "service_body_megabytes": 1,
    "studio_upload_megabytes": 1,
    "service_stop_seconds": 0,
}
_TABLES = ("spark_conf", "cluster_pools")
MOST_EXTENSION_DAYS = 30
"""Delta keeps its log for as long; the changes of a stream are found in it."""
_MOST = {"stream_extension_days": MOST_EXTENSION_DAYS}


def load_config(
    folder: Path, *, environment: Mapping[str, str] | None = None, **arguments: Any
) -> Config:
    """The settings of the lake in `folder`, with `arguments` on top."""
    config = replace(Config(), **_from_file(folder / FILE_NAME))
    config = _merge(config, _from_environment(os.environ if environment is None else environment))
    return _merge(config, _checked_arguments(arguments))


def _merge(config: Config, changes: dict[str, Any]) -> Config:
    """Tables of settings add to those known already; everything else replaces."""
    merged = {n: {**getattr(config, n), **changes[n]} for n in _TABLES if n in changes}
    return replace(config, **{**changes, **merged})


def _from_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError("CONFIG_CORRUPT", path=path, problem=str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("CONFIG_UNREADABLE", path=path, problem=str(error)) from None
    known = {place: name for name, place in _PLACES.items()}
    found: dict[str, Any] = {}
    for section, entries in content.items():
        if not isinstance(entries, dict):
            raise _unknown_key(path, section)
        for key, value in entries.items():
            name = known.get((section, key))
            if name is None:
                raise _unknown_key(path, f"{section}.{key}")
            found[name] = _checked(name, value, where=f"{section}.{key} in {path}")
    return found


def _unknown_key(path: Path, key: str) -> UserError:
    hint = did_you_mean(key, [f"{section}.{name}" for section, name in _PLACES.values()])
    return UserError("CONFIG_UNKNOWN_KEY", key=key, path=path, hint=hint)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (section, key) in _PLACES.items():
        prefix = "" if section == "lake" else f"{section.upper()}_"
        variable = f"HEADWATER_{prefix}{key.upper()}"
        if variable in environment:
            value = environment[variable]
            given = _from_json(value) if name in _TABLES else value
            found[name] = _checked(name, given, where=variable)
    return found


def _from_json(text: str) -> Any:
    """What JSON spells, or the text itself where it is none: the check says what is wrong."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _checked_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    names = [f.name for f in fields(Config)]
    for name in arguments:
        if name not in names:
            hint = did_you_mean(name, names)
            raise UserError("CONFIG_UNKNOWN_ARGUMENT", name=name, hint=hint)
    given = {name: value for name, value in arguments.items() if value is not None}
    return {name: _checked(name, value, where=f"argument {name}") for name, value in given.items()}


def _checked(name: str, value: Any, *, where: str) -> Any:
    """`value` in the type of the setting, or a clear error that says where it came from."""
    if name in _INTEGERS:
        return _whole_number(value, least=_INTEGERS[name], most=_MOST.get(name), where=where)
    if name in _TABLES:
        if not isinstance(value, Mapping):
            expected = "a table of settings, in a variable as JSON"
            raise UserError("CONFIG_VALUE", where=where, value=value, expected=expected)
        return dict(_flat(value))
    if not isinstance(value, str) or not value:
        raise UserError("CONFIG_VALUE", where=where, value=value, expected="a text")
    if name == "time_zone":
        _require_zone(value, where=where)
    return value


def _require_zone(value: str, *, where: str) -> None:
    try:
        zone_of(value)
    except ValueError:
        expected = "a time zone such as Europe/Berlin or +02:00"
        raise UserError("CONFIG_VALUE", where=where, value=value, expected=expected) from None


def _whole_number(value: Any, *, least: int, most: int | None, where: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = least - 1
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        expected = f"a whole number {limits}"
        raise UserError("CONFIG_VALUE", where=where, value=value, expected=expected)
    return number


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """TOML reads an unquoted `spark.sql.x = 1` as nested tables: write the dots back."""
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{prefix}{key}.")
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            pairs.append((f"{prefix}{key}", text))
    return pairs


TEMPLATE = """\
# Settings of this lake. Everything has a default; HEADWATER_* variables and arguments override.

[lake]
# workspace = "headwater"      # the workspace that names without one belong to
# time_zone = "UTC"            # session time zone; the machine's own when not set

[metadata]
# url = "postgresql://user@host/database"   # SQLite in this folder when not set

[spark]
# master = "local[*]"          # or spark://host:7077, yarn, k8s://..
# driver_memory = "4g"

[spark.conf]
# "spark.sql.shuffle.partitions" = "8"      # any Spark setting

[jobs]
# retention_days = 60

[audit]
# retention_days = 365         # how long it is remembered who did what

[tables]
# retention_days = 7           # how long old versions and dropped tables can be brought back
# location = "s3://bucket/folder/"          # an object store for tables and volumes
# endpoint = "https://host:port"            # its server, where it is not Amazon's
# region = "us-east-1"
# key_file = "/etc/headwater/tables.keys"   # its access key and secret key

[files]
# load_history_days = 7        # how long it is remembered which files were loaded

[pipes]
# poll_seconds = 30            # how often a pipe looks for new files
# files_per_batch = 1000       # the most that one commit of a pipe holds
# megabytes_per_batch = 4096
# failures = 5                 # in a row, until a pipe is INVALID
# batches_at_once = 2          # on one virtual cluster
# heal_minutes = 0             # how often event pipes list their files for lost events; 0: never

[schedule]
# refreshes_at_once = 2        # on one virtual cluster

[upkeep]
# small_files = 50             # from how many on they are compacted; 0: never
# small_file_megabytes = 16
# file_megabytes = 128         # how large compacted files become
# vacuum_hours = 24            # how often files that nobody needs are removed; 0: never
# patience_minutes = 10        # how long upkeep waits for a moment without other work

[streams]
# extension_days = 14          # how long changes wait for a stream; 0 to 30

[service]
# statements_at_once = 8       # of those that may need Spark
# waiting_statements = 200     # more are turned away, to be tried again
# session_minutes = 30         # how long a session lives that nobody uses
# result_minutes = 15          # how long results wait for their client
# result_megabytes = 1024      # and how much memory they take
# body_megabytes = 8           # how large a request may be
# stop_seconds = 30            # how long running statements have to end at a stop

[clusters.pools]
# LOADING = "production"       # a pool of Spark's scheduler for a virtual cluster
"""
