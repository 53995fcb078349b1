"""`headwater serve` as a process: found by the command line, stopped in order, taken over from."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.processes import wait_for

import headwater
from headwater.client.local_service import TOKEN_FILE, find_service


class Serving:
    """A running `headwater serve`, and what it has said."""

    def __init__(self, lake: Path, *options: str) -> None:
        command = [sys.executable, "-m", "headwater.cli.main", "serve", "--lake", str(lake)]
        self.process = subprocess.Popen(
            [*command, "--port", "0", *options],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "HEADWATER_LEASE_SECONDS": "6"},
        )
        self.said: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        wait_for(lambda: bool(self._found()) or self.process.poll() is not None, "the address")
        found = self._found()
        assert found, self.said
        self.url = found[1]

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)

    def _found(self) -> re.Match[str] | None:
        return re.search(r"listening on (\S+)", "".join(self.said))

    def ready(self) -> int:
        return httpx.get(self.url + "/ready", trust_env=False, verify=False).status_code

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


@contextmanager
def serving(lake: Path, *options: str) -> Iterator[Serving]:
    service = Serving(lake, *options)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.process.kill()
            service.process.wait()


@pytest.fixture
def service(lake: Path) -> Iterator[Serving]:
    with serving(lake) as service:
        wait_for(lambda: service.ready() == 200, "the service to be ready")
        yield service


def jobs_of(lake: Path) -> list[dict]:
    with headwater.connect(lake) as connection:
        return connection.sql("SHOW JOBS").to_dicts()


def test_the_command_line_goes_through_the_service_of_its_lake(run, lake, service) -> None:
    assert find_service(lake).url == service.url
    made = run("sql", "--lake", lake, "-e", "CREATE SCHEMA served")
    assert made.exit_code == 0, made.stderr
    assert made.stdout == "schema served created\n"
    embedded = run("sql", "--lake", lake, "--embedded", "-e", "CREATE SCHEMA mine")
    assert embedded.exit_code == 1
    assert "LAKE_LOCKED" in embedded.stderr
    piped = run("shell", "--lake", lake, input="SHOW SCHEMAS;")
    assert "| served " in piped.stdout
    (lake.parent / "x.txt").write_text("x")
    put = f"PUT '{lake.parent}/x.txt' TO USER VOLUME"
    assert run("sql", "--lake", lake, "-e", put).exit_code == 0
    got = run("sql", "--lake", lake, "-e", f"GET USER VOLUME FILE 'x.txt' TO '{lake.parent}/got'")
    assert got.exit_code == 0, got.stderr
    assert (lake.parent / "got" / "x.txt").read_text() == "x"
    assert run("sql", "--lake", lake, "--embedded", "-e", put).exit_code == 0
    idle = run("run", "--lake", lake, "--until-idle")
    assert (idle.exit_code, idle.stderr) == (0, "")


def test_an_error_through_the_service_looks_as_one_without(run, lake, service) -> None:
    there = run("sql", "--lake", lake, "-e", "DESC nowhere")
    here = run("sql", "--lake", lake, "--embedded", "-e", "DESC nowhere")
    assert there.exit_code == here.exit_code == 1
    assert there.stderr == here.stderr


def test_the_address_of_a_service_may_be_given(run, lake, service, monkeypatch) -> None:
    token = re.search(r"shown this once: (\S+)", "".join(service.said))[1]
    monkeypatch.setenv("HEADWATER_TOKEN", token)
    shown = run("sql", "--lake", service.url, "-e", "SHOW SCHEMAS", "--format", "json")
    assert shown.stdout == '[{"schema_name": "public"}]\n'


def test_sigterm_stops_it_in_order_and_the_command_line_opens_the_lake_itself(
    run, lake, service
) -> None:
    assert service.end() == 0
    assert find_service(lake) is None
    with headwater.connect(lake) as connection:
        own = connection.session.lake
        assert own.store.lease.get().holder is None
        assert [instance.id for instance in own.store.instances.list()] == [own.instance.id]
    assert run("sql", "--lake", lake, "-e", "CREATE SCHEMA mine").exit_code == 0


def test_the_token_of_the_administrator_is_printed_at_the_first_start_only(lake, service) -> None:
    assert "shown this once" in "".join(service.said)
    service.end()
    with serving(lake) as again:
        assert "shown this once" not in "".join(again.said)


def test_a_standby_answers_and_takes_over_when_the_first_is_killed(run, lake, service) -> None:
    with serving(lake, "--no-loop") as standby:
        token = (lake / TOKEN_FILE).read_text()
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.get(standby.url + "/health", trust_env=False).status_code == 200
        assert standby.ready() == 503
        sent = httpx.post(
            standby.url + "/api/v1/statements",
            json={"sql": "SHOW SCHEMAS"},
            headers=headers,
            trust_env=False,
        )
        assert sent.status_code == 503
        assert sent.json()["error"]["condition"] == "SERVICE_STANDBY"
        assert service.url in sent.json()["error"]["message"]
        assert find_service(lake).url == service.url
        service.end(signal.SIGKILL)
        wait_for(lambda: standby.ready() == 200, "the standby to take over")
        assert find_service(lake).url == standby.url
        assert run("sql", "--lake", lake, "-e", "CREATE SCHEMA taken").exit_code == 0
        assert standby.end() == 0
    assert {job["status"] for job in jobs_of(lake)} <= {"SUCCEED", "RUNNING"}


def test_a_frozen_service_is_taken_over_from_and_cannot_write_when_it_wakes(
    run, lake, service
) -> None:
    token = (lake / TOKEN_FILE).read_text()
    with serving(lake) as standby:
        service.process.send_signal(signal.SIGSTOP)
        wait_for(lambda: standby.ready() == 200, "the lease to end and the standby to take over")
        service.process.send_signal(signal.SIGCONT)
        wait_for(lambda: service.ready() == 503, "the first to see that it lost the lake")
        with pytest.raises(headwater.OperationalError, match="SERVICE_STANDBY"):
            headwater.connect(service.url, token=token)
        assert run("sql", "--lake", lake, "-e", "CREATE SCHEMA taken").exit_code == 0


def test_listening_beyond_this_machine_without_tls_is_warned_of(lake) -> None:
    with serving(lake, "--host", "0.0.0.0", "--no-loop") as service:
        assert "without TLS" in service.said[0]
