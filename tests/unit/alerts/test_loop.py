"""Alerts told to a real server on loopback, which may refuse them."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.pipes.fake_spark import Insert, table_of
from tests.unit.statements.test_dynamic_table_statements import dynamic_table

import headwater
from headwater.alerts.loop import AlertLoop
from headwater.alerts.sending import accepted, send
from headwater.catalog.alerts import AlertEvent
from headwater.catalog.dynamic_tables import Frontier, Schedule
from headwater.errors import InternalError
from headwater.runtime.clock import now
from headwater.streams import readable


@dataclass(slots=True)
class Hook:
    """A webhook: what it was told, and what it answers."""

    port: int = 0
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)

    def url(self, path: str) -> str:
        return f"json://127.0.0.1:{self.port}/{path}"

    def titles(self, path: str) -> list[str]:
        return [body["title"] for at, body in self.told if at == f"/{path}"]


@pytest.fixture
def hook() -> Iterator[Hook]:
    known = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            known.told.append((self.path.rstrip("/"), json.loads(body)))
            self.send_response(500 if self.path.strip("/") in known.refuses else 200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield known
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        yield connection
        assert not connection.session.lake.engine.started


def look(lake: headwater.Connection, at: datetime | None = None) -> None:
    moment = at or now()
    AlertLoop(lake.session.lake, clock=lambda: moment).step()


def fail_a_task(lake: headwater.Connection) -> str:
    lake.sql("CREATE TASK t SCHEDULE (DAILY) AS DROP SCHEMA nope; EXECUTE TASK t")
    lake.run_until_idle()
    [(id,)] = [row[:1] for row in lake.sql("SHOW TASK INSTANCES").rows]
    return str(id)


def test_a_failure_is_told_once_and_its_end_once(lake: headwater.Connection, hook: Hook) -> None:
    lake.sql(f"CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY '{hook.url('x')}'")
    id = fail_a_task(lake)
    look(lake)
    look(lake)
    assert hook.titles("x") == ["Firing: alert a"]
    assert "SCHEMA_NOT_FOUND" in hook.told[0][1]["message"]
    lake.sql(f"ALTER TASK INSTANCE '{id}' SET SUCCESS")
    look(lake)
    look(lake)
    assert hook.titles("x") == ["Firing: alert a", "Resolved: alert a"]
    [event] = lake.sql("SHOW ALERT EVENTS").rows
    assert event[1] == "RESOLVED"


def test_who_refuses_is_tried_again_and_who_took_it_is_not(
    lake: headwater.Connection, hook: Hook
) -> None:
    hook.refuses.add("bad")
    lake.sql(
        f"CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY '{hook.url('bad')}', '{hook.url('good')}'"
    )
    fail_a_task(lake)
    look(lake)
    look(lake)
    assert (len(hook.titles("bad")), len(hook.titles("good"))) == (1, 1)
    [event] = lake.sql("SHOW ALERT EVENTS").rows
    assert event[-1] == "not taken by json://****"
    hook.refuses.clear()
    look(lake, now() + timedelta(minutes=1))
    assert (len(hook.titles("bad")), len(hook.titles("good"))) == (2, 1)
    assert lake.sql("SHOW ALERT EVENTS WHERE told_fired_time IS NULL").rowcount == 0


def test_an_address_nobody_listens_at_disturbs_nothing(lake: headwater.Connection) -> None:
    lake.sql("CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY 'json://127.0.0.1:1/s3cret'")
    fail_a_task(lake)
    [event] = lake.sql("SHOW ALERT EVENTS").rows
    assert event[-1] == "not taken by json://****"


def test_the_lag_of_a_pipe_is_seen(lake: headwater.Connection, hook: Hook, tmp_path: Path) -> None:
    own = lake.session.lake
    table_of(own)
    (tmp_path / "in").mkdir()
    lake.sql(
        "CREATE STORAGE CONNECTION c TYPE FILE;"
        f"CREATE EXTERNAL VOLUME v LOCATION 'file://{tmp_path}/in/' USING CONNECTION c;"
        "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE'"
        " AS COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE;"
        f"CREATE ALERT a ON LAG OF PIPE p > 1 MINUTE NOTIFY '{hook.url('p')}'"
    )
    look(lake)
    assert hook.titles("p") == []
    pipe = own.store.pipes.get("headwater", "public", "p")
    assert pipe is not None
    own.store.pipes.set_pending(pipe.id, files=1, bytes=1, oldest_at=now() - timedelta(minutes=2))
    look(lake)
    assert hook.titles("p") == ["Firing: alert a"]
    own.store.pipes.set_pending(pipe.id, files=0, bytes=0, oldest_at=None)
    look(lake)
    assert hook.titles("p") == ["Firing: alert a", "Resolved: alert a"]


def test_the_lag_of_a_dynamic_table_is_seen(lake: headwater.Connection, hook: Hook) -> None:
    store = lake.session.lake.store
    table_of(lake.session.lake)
    made = dynamic_table(lake, schedule=Schedule(start=now(), interval_seconds=60))
    lake.sql(f"CREATE ALERT a ON LAG OF DYNAMIC TABLE d > 5 MINUTES NOTIFY '{hook.url('d')}'")
    look(lake)
    assert hook.titles("d") == [], "it was made just now"
    early = now() - timedelta(minutes=6)
    store.dynamic_tables.set_frontier(made.id, Frontier({}, early), number=1)
    look(lake)
    assert hook.titles("d") == ["Firing: alert a"]
    store.dynamic_tables.set_frontier(made.id, Frontier({}, now()), number=2)
    look(lake)
    assert hook.titles("d") == ["Firing: alert a", "Resolved: alert a"]


def test_addresses_are_nowhere_to_be_seen(lake: headwater.Connection) -> None:
    secret = "s3cretpath"
    lake.sql(f"CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY 'json://127.0.0.1:1/{secret}'")
    with pytest.raises(headwater.Error) as caught:
        lake.sql(f"CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY 'json://127.0.0.1:1/{secret}'")
    assert secret not in str(caught.value)
    lake.sql(
        "CREATE TASK t SCHEDULE (DAILY) AS $$CREATE ALERT b ON FAILURE OF ANY TASK"
        f" NOTIFY 'json://127.0.0.1:1/{secret}'$$; EXECUTE TASK t"
    )
    lake.run_until_idle()
    assert lake.sql("SHOW ALERTS").rowcount == 2
    store = lake.session.lake.store
    instance = store.task_instances.list()[0]
    shown = [
        *lake.sql("SHOW ALERTS").rows,
        *lake.sql("SHOW CREATE TASK t").rows,
        *lake.sql(f"DESC TASK INSTANCE '{instance.id}'").rows,
        *[job.text for job in store.jobs.list()],
    ]
    assert secret not in str(shown)
    catalog = lake.session.lake.folder.path / "catalog.db"
    content = catalog.read_bytes() + catalog.with_name("catalog.db-wal").read_bytes()
    assert secret.encode() not in content


def test_an_alert_that_is_dropped_during_a_look_is_left_out(
    lake: headwater.Connection, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gone", "kept"):
        lake.sql(f"CREATE ALERT {name} ON FAILURE OF ANY TASK NOTIFY '{hook.url(name)}'")
    store = lake.session.lake.store.alerts
    fire = store.fire

    def dropped_meanwhile(events: Sequence[AlertEvent]) -> None:
        lake.sql("DROP ALERT gone")
        fire(events)

    monkeypatch.setattr(store, "fire", dropped_meanwhile)
    fail_a_task(lake)
    assert (hook.titles("gone"), hook.titles("kept")) == ([], ["Firing: alert kept"])


def test_a_look_that_fails_is_not_the_end_of_the_loop(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lake.sql("CREATE SCHEMA s")
    stop, looks = threading.Event(), list[int]()

    def fail(self: AlertLoop) -> None:
        looks.append(1)
        if len(looks) == 3:
            stop.set()
        raise RuntimeError("a bug") if len(looks) == 1 else InternalError("BUG", problem="one more")

    monkeypatch.setattr(AlertLoop, "step", fail)
    monkeypatch.setattr("headwater.alerts.loop._LOOK", 0.01)
    AlertLoop(lake.session.lake).run_forever(stop)
    assert len(looks) == 3
    assert "a bug" in caplog.text
    assert "one more" in caplog.text


def test_a_task_that_takes_too_long_is_told_of_and_one_that_fails_is_not(
    lake: headwater.Connection, hook: Hook
) -> None:
    lake.sql(f"CREATE ALERT slow ON TIMEOUT OF ANY TASK NOTIFY '{hook.url('slow')}'")
    lake.sql(
        "CREATE TASK p SCHEDULE (DAILY) TIMEOUT 1 SECOND LANGUAGE PYTHON AS"
        " $$import time\ntime.sleep(600)$$; EXECUTE TASK p;"
        "CREATE TASK t SCHEDULE (DAILY) AS DROP SCHEMA nope; EXECUTE TASK t"
    )
    lake.run_until_idle()
    assert hook.titles("slow") == ["Firing: alert slow"]
    assert "task default.p" in hook.told[0][1]["message"]
    assert "TASK_TIMEOUT" in hook.told[0][1]["message"]


def test_a_stream_that_is_nearly_stale_is_told_of_until_it_is_made_anew(
    lake: headwater.Connection, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = lake.session.lake
    tracked = {
        "delta.enableRowTracking": "true",
        "delta.deletedFileRetentionDuration": "interval 14 days",
    }
    table = table_of(own, properties=tracked)
    made = "TABLE STREAM s ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    lake.sql(f"CREATE {made};CREATE ALERT old ON STREAM s NEAR STALE NOTIFY '{hook.url('old')}'")
    Insert(Path(own.location(table)), ("a",), "", None).commit()
    lake.sql("DESC HISTORY t")
    look(lake)
    assert hook.titles("old") == []
    monkeypatch.setattr(readable, "now", lambda: now() + timedelta(days=12))
    look(lake)
    look(lake)
    assert hook.titles("old") == ["Firing: alert old"]
    assert "it is stale in 1 day 23 hours" in hook.told[0][1]["message"]
    lake.sql(f"CREATE OR REPLACE {made}")
    look(lake)
    assert hook.titles("old") == ["Firing: alert old", "Resolved: alert old"]


def test_a_mail_is_sent(lake: headwater.Connection) -> None:
    with mailbox() as (port, mails):
        address = f"mailto://127.0.0.1:{port}/?from=lake@example.com&to=ada@example.com"
        lake.sql(f"CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY '{address}'")
        fail_a_task(lake)
    [mail] = mails
    assert mail["Subject"] == "Firing: alert a"
    assert "ada@example.com" in mail["To"]
    assert "SCHEMA_NOT_FOUND" in mail.as_bytes().decode()


@contextmanager
def mailbox() -> Iterator[tuple[int, list[EmailMessage]]]:
    """A mail server on loopback: its port, and what it was sent."""
    mails = list[EmailMessage]()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                command = line.split()[0].upper()
                if command == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    content = b"".join(iter(self.rfile.readline, b".\r\n"))
                    mails.append(message_from_bytes(content, policy=policy.default))
                self.wfile.write(b"221 bye\r\n" if command == b"QUIT" else b"250 done\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1], mails
        server.shutdown()
        thread.join()


def test_a_chat_is_sent_what_fired(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = list[tuple[str, str]]()

    def request(method: str, url: str, **asked: Any) -> Any:
        sent.append((url, str(asked.get("data"))))
        return SimpleNamespace(status_code=200, text="ok", content=b"ok")

    monkeypatch.setattr("requests.request", request)
    slack = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
    assert accepted(slack)
    assert not accepted("slack://nope")
    assert send([slack], "Firing: alert a", "it failed", resolved=False) == []
    [(url, body)] = sent
    assert url.startswith("https://hooks.slack.com/services/T1JJ3T3L2/")
    assert "Firing: alert a" in body
    assert "it failed" in body
