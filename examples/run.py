"""Runs an example: `python examples/run.py seed_000_volumes.sql --lake mylake --location URL`.

For `s3://` the keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the server from
AWS_ENDPOINT_URL and AWS_REGION. `--broker HOST:PORT` names Kafka for the example that needs it;
those over tables alone need neither.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import headwater
from headwater import run_sample

FOLDER = Path(__file__).parent
COMMAND = re.compile(r"^-- \$ headwater (.+)\n", re.MULTILINE)
"""A line that a user would type into the shell of the machine at this place."""


def results(
    lake: headwater.Connection, script: str, location: str, environment: Mapping[str, str]
) -> Iterator[headwater.Result]:
    """What each statement of the connection's script and then of `script` gives."""
    yield from statements(lake, *_connection(location, environment))
    yield from statements(lake, script, {"location": location})


def statements(
    lake: headwater.Connection, script: str, parameters: dict[str, str]
) -> Iterator[headwater.Result]:
    """What each statement of `script` gives; commands run where it says so."""
    text = (FOLDER / script).read_text(encoding="utf-8")
    first, *others = COMMAND.split(text)
    yield from lake.statements(first, parameters or None)
    for command, part in zip(others[::2], others[1::2], strict=True):
        run_command(lake, command)
        yield from lake.statements(part, parameters or None)


def run_command(lake: headwater.Connection, command: str) -> None:
    """Do in this process what a command of `headwater` does in one of its own."""
    own = lake.session.lake
    sample = run_sample.SampleSession(own)
    try:
        match command.split():
            case ["run", "--until-idle"]:
                lake.run_until_idle()
            case ["sample", "start"]:
                run_sample.start_sample(own, rate=run_sample.DEFAULT_RATE)
                run_sample.make_sample(own, sample.run)
            case ["sample", "step", "--events", number]:
                run_sample.grow_sample(own, sample.run, count=int(number))
            case _:
                raise ValueError(f"no such command in an example: {command}")
    finally:
        sample.close()


def _connection(location: str, environment: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if location.startswith("file:"):
        return "connection_local.sql", {}
    region = environment.get("AWS_REGION", "us-east-1")
    return "connection_s3.sql", {
        "access_key": environment["AWS_ACCESS_KEY_ID"],
        "secret_key": environment["AWS_SECRET_ACCESS_KEY"],
        "endpoint": environment.get("AWS_ENDPOINT_URL", f"https://s3.{region}.amazonaws.com"),
        "region": region,
    }


def main() -> None:
    """Run the example that the command line names and print what it gives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", help="a .sql file of this folder")
    parser.add_argument("--lake", required=True, help="the folder of the lake; a new one is made")
    parser.add_argument("--location", help="file:///folder/ or s3://bucket/folder/")
    parser.add_argument("--broker", help="host:port of Kafka")
    given = parser.parse_args()
    if given.location is not None and given.broker is not None:
        parser.error("give --location for files, or --broker for Kafka")
    with headwater.connect(given.lake) as lake:
        if given.location is not None:
            found = results(lake, given.script, given.location, os.environ)
        else:
            parameters = {} if given.broker is None else {"broker": given.broker}
            found = statements(lake, given.script, parameters)
        for result in found:
            result.show()


if __name__ == "__main__":
    main()
