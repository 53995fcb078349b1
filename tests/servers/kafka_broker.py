"""A private Kafka broker for tests and benchmarks: one node, on loopback, from locked jars.

Invariant: it never outlives its tests: it is stopped at the end, and if the test process is killed
the kernel stops the broker too (on Linux). Its folder belongs to whoever gave it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from headwater.kafka.settings import jaas_text
from headwater.lake.jars import jar_paths
from headwater.lake.java import find_java

Value = str | bytes | None
_CLUSTER = "aGVhZHdhdGVyLXRlc3RzLQ"  # any 16 bytes in base64
_STOP_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_PATIENCE_SECONDS = 60
_ANSWER_SECONDS = 30
# Short-lived and small: a quick start is worth more than fast code.
_JAVA = ("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_FROM_PYSPARK = ("scala-library-*.jar", "slf4j-api-*.jar", "log4j-slf4j2-impl-*.jar")
_LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": (
        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT"
    ),
    "sasl.enabled.mechanisms": "PLAIN",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "auto.create.topics.enable": "false",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "log.cleaner.dedupe.buffer.size": str(8 << 20),
}


class KafkaBroker:
    """A broker as a context manager; with `users` (name: password) it also listens for SASL PLAIN.

    Topics exist only once created. Ports and data stay the same over `stop` and `start`.
    """

    def __init__(self, folder: Path, *, users: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._users = users or {}
        self._ports = _free_ports(["PLAINTEXT", "CONTROLLER", "SASL_PLAINTEXT"])
        self._process: subprocess.Popen[bytes] | None = None
        self._clients: dict[str, Any] = {}

    @property
    def bootstrap(self) -> str:
        """Where anybody may connect."""
        return f"127.0.0.1:{self._ports['PLAINTEXT']}"

    @property
    def sasl_bootstrap(self) -> str:
        """Where only `users` may connect."""
        assert self._users, "the broker was made without users"
        return f"127.0.0.1:{self._ports['SASL_PLAINTEXT']}"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        _write_settings(self._properties, self._settings())
        self._java("kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", self._properties)
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clients.clear()
        self.kill()

    def start(self) -> None:
        """Starts the broker where it was, and waits until it answers."""
        assert self._process is None, "the broker runs"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command(), "kafka.Kafka", str(self._properties)],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=_stop_with_parent,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Lets the broker end in good order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the broker at once, as a crash would; nothing to do if it does not run."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """From now on the broker does not answer, but its connections stay open."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Ends a pause."""
        self._signal(signal.SIGCONT)

    def create_topic(self, name: str, partitions: int = 1, **settings: str) -> str:
        """Makes an empty topic and returns its name; `cleanup_policy=..` sets cleanup.policy."""
        config = {key.replace("_", "."): value for key, value in settings.items()}
        topic = NewTopic(name, partitions, replication_factor=1, config=config)
        _done(self._admin().create_topics([topic], operation_timeout=_ANSWER_SECONDS))
        self._until(lambda: len(self._topic(name)) == partitions)
        return name

    def delete_topic(self, name: str) -> None:
        """Deletes a topic with its messages."""
        _done(self._admin().delete_topics([name], operation_timeout=_ANSWER_SECONDS))
        self._until(lambda: not self._topic(name))

    def add_partitions(self, topic: str, total: int) -> None:
        """Makes a topic have `total` partitions, which is more than it has."""
        _done(self._admin().create_partitions([NewPartitions(topic, total)]))
        self._until(lambda: len(self._topic(topic)) == total)
        # It would not look again for minutes.
        self._clients.pop("producer", None)

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        """Deletes the messages in front of offset `before`, as retention does."""
        _done(self._admin().delete_records([TopicPartition(topic, partition, before)]))

    def produce(
        self,
        topic: str,
        messages: Iterable[Value | tuple[Value, Value]],
        *,
        partition: int | None = None,
        headers: list[tuple[str, bytes]] | None = None,
        timestamp: int | None = None,
    ) -> None:
        """Sends values, or pairs of key and value, and waits until the broker has them all."""
        producer = self._producer()
        problems: list[object] = []
        options: dict[str, Any] = {
            "on_delivery": lambda error, _: problems.append(error) if error else None,
            **({} if partition is None else {"partition": partition}),
            **({} if headers is None else {"headers": headers}),
            **({} if timestamp is None else {"timestamp": timestamp}),
        }
        for message in messages:
            key, value = message if isinstance(message, tuple) else (None, message)
            _send(producer, topic, value, key, options)
        left = producer.flush(_PATIENCE_SECONDS)
        assert not left, f"{left} messages were not sent"
        assert not problems, problems[0]

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"

    @property
    def _log(self) -> Path:
        return self.folder / "broker.log"

    def _settings(self) -> dict[str, str]:
        names = ["PLAINTEXT", *(["SASL_PLAINTEXT"] if self._users else [])]
        outside = [f"{name}://127.0.0.1:{self._ports[name]}" for name in names]
        controller = f"127.0.0.1:{self._ports['CONTROLLER']}"
        users = [f"user_{name}={jaas_text(password)}" for name, password in self._users.items()]
        login = " ".join([_LOGIN, *users]) + ";"
        return {
            **_SETTINGS,
            "listeners": ",".join([*outside, f"CONTROLLER://{controller}"]),
            "advertised.listeners": ",".join(outside),
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.quorum.voters": f"1@{controller}",
            "log.dirs": str(self.folder / "data"),
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": login,
        }

    def _command(self) -> list[str]:
        pyspark = find_spec("pyspark")
        assert pyspark is not None
        assert pyspark.origin is not None
        shipped = Path(pyspark.origin).parent / "jars"
        first = [path for pattern in _FROM_PYSPARK for path in shipped.glob(pattern)]
        jars = os.pathsep.join(str(path) for path in [*first, *jar_paths(["kafka-broker"])])
        return [str(find_java().path), *_JAVA, "-cp", jars]

    def _java(self, *arguments: str | Path) -> None:
        with self._log.open("ab") as log:
            command = [*self._command(), *map(str, arguments)]
            done = subprocess.run(command, stdout=log, stderr=log, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{arguments[0]} failed: {self._said()}")

    def _said(self) -> str:
        return self._log.read_text(errors="replace")[-4000:]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        assert self._process is not None
        while time.monotonic() < deadline and self._process.poll() is None:
            if _listens(self._ports["PLAINTEXT"]) and self._answers():
                return
            time.sleep(0.05)
        raise RuntimeError(f"Kafka did not start: {self._said()}")

    def _answers(self) -> bool:
        try:
            return bool(self._admin().list_topics(timeout=5).brokers)
        except KafkaException:
            return False

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "the broker does not run"
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGCONT)
        self._process.send_signal(number)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=20)
        self._process = None

    def _admin(self) -> AdminClient:
        if "admin" not in self._clients:
            self._clients["admin"] = AdminClient(self._quiet())
        return self._clients["admin"]

    def _producer(self) -> Producer:
        if "producer" not in self._clients:
            self._clients["producer"] = Producer({**self._quiet(), "linger.ms": 2})
        return self._clients["producer"]

    def _quiet(self) -> dict[str, Any]:
        return {
            "bootstrap.servers": self.bootstrap,
            "log_level": 0,
            "reconnect.backoff.max.ms": 200,
        }

    def _topic(self, name: str) -> Mapping[int, object]:
        found = self._admin().list_topics(timeout=_ANSWER_SECONDS).topics.get(name)
        return found.partitions if found is not None else {}

    def _until(self, reached: Callable[[], bool]) -> None:
        """Waits until the broker says of itself what the controller has been told."""
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not reached():
            assert time.monotonic() < deadline, "the broker does not know of the change"
            time.sleep(0.02)


def _send(
    producer: Producer, topic: str, value: Value, key: Value, options: dict[str, Any]
) -> None:
    try:
        producer.produce(topic, value, key, **options)
    except BufferError:
        producer.poll(1)
        _send(producer, topic, value, key, options)


def _done(futures: Mapping[Any, Any]) -> None:
    for future in futures.values():
        future.result(_ANSWER_SECONDS)


def _write_settings(path: Path, settings: Mapping[str, str]) -> None:
    # In a properties file a backslash starts an escape.
    lines = [f"{name}={value}\n".replace("\\", "\\\\") for name, value in settings.items()]
    path.write_text("".join(lines), encoding="utf-8")


def _stop_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_STOP_WITH_PARENT, signal.SIGKILL)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_ports(names: list[str]) -> dict[str, int]:
    with ExitStack() as stack:
        # All held at the same time, so that none is given twice.
        probes = [stack.enter_context(socket.socket()) for _ in names]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return {name: p.getsockname()[1] for name, p in zip(names, probes, strict=True)}
