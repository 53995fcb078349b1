"""Many random lives of a pipe: crashes, late commits, two processes, a bad store, a jumping clock.

After every step: no row is twice in the table and no file in part (I2), no file was deleted that is
not loaded (I3), the pipe has one intent at most, and its batches are numbered without a gap. At the
end a quiet process finds all that is left. Repeat one with HEADWATER_PIPE_SEED=<seed>.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert, rows_of, table_of
from tests.unit.pipes.processes import Killed, Process, World

import headwater
from headwater.catalog.load_history import LoadStatus
from headwater.catalog.objects import Table
from headwater.catalog.pipes import Pipe, PipeStatus
from headwater.errors import HeadwaterError, TransientError
from headwater.files import unchanged
from headwater.lake.delta_log.actions import parse_commit
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.pipes import events, listing
from headwater.pipes.steps import Outcome
from headwater.queues.object_events import MalformedMessage, ObjectEvent
from headwater.queues.queue import QueueMessage
from headwater.runtime.clock import now
from headwater.storage.addresses import Scheme, StoreAddress
from headwater.storage.local_files import LocalFiles
from headwater.storage.store import FileInfo, Page

pytestmark = pytest.mark.large

SEEDS = 100
STEPS = 25
JUNK = "no event at all"
_FAULTS_OF_A_STORE = ("list", "head", "delete_many")


@dataclass(slots=True)
class MemoryQueue:
    """A queue that loses nothing, and gives what it likes in the order it likes."""

    random: random.Random
    waiting: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    number: int = 0

    def send(self, body: str) -> None:
        self.number += 1
        self.waiting[str(self.number)] = body

    def show_again(self) -> None:
        """What was received and not deleted comes again."""
        self.hidden.clear()

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        seen = [id for id in self.waiting if id not in self.hidden]
        given = self.random.sample(seen, min(most, len(seen)))
        # Now and then a message is given twice at once.
        self.hidden.update(id for id in given if self.random.random() < 0.9)
        return [QueueMessage(id, "", self.waiting[id]) for id in given]

    def delete(self, messages: list[QueueMessage]) -> None:
        for message in messages:
            self.waiting.pop(message.id, None)

    def close(self) -> None:
        pass


@dataclass(slots=True)
class Simulation:
    """One life of a pipe, by one seed."""

    random: random.Random
    world: World
    folder: Path
    table: Table
    queue: MemoryQueue | None
    content: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """The rows of every version of every file there ever was."""
    taken_away: set[tuple[str, int]] = field(default_factory=set)
    """The versions that the user removed or replaced."""
    late: list[Insert] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    store_fails: bool = False
    stale: list[FileInfo] | None = None
    calm: bool = False
    frozen: bool = False

    # What the user does.

    def add(self, name: str) -> None:
        if (self.folder / name).exists():
            self.taken_away.add((name, self._newest(name)))
        version = self._newest(name) + 1
        rows = [f"{name} {version} {row}" for row in range(self.random.randint(1, 3))]
        self.content[name, version] = rows
        temporary = self.folder / ".hidden"
        temporary.write_text("".join(f"{row}\n" for row in rows))
        temporary.replace(self.folder / name)
        if self.queue is not None:
            for _ in range(self.random.choice([1, 1, 2])):
                self.queue.send(name)
            if self.random.random() < 0.1:
                self.queue.send(JUNK)

    def remove(self) -> None:
        names = sorted(path.name for path in self.folder.iterdir())
        if names:
            name = self.random.choice(names)
            self.taken_away.add((name, self._newest(name)))
            (self.folder / name).unlink()

    def _newest(self, name: str) -> int:
        return max((version for path, version in self.content if path == name), default=0)

    # What goes wrong.

    def commit(self, insert: Insert) -> None:
        """Spark commits: now, never, later than its process dies, or after a long sleep."""
        dice = 1.0 if self.calm else self.random.random()
        if dice < 0.08:
            self.log.append("fails before its commit")
            raise TransientError("STORE_BUSY", store="the lake", reason="a test says so")
        if dice < 0.18:
            self.log.append("dies, its commit comes later")
            self.late.append(insert)
            self._die()
        if dice < 0.25 and not self.frozen:
            self.log.append("sleeps before its commit")
            self._sleep()
        insert.commit()
        if 0.25 <= dice < 0.33:
            self.log.append("fails behind its commit")
            raise TransientError("STORE_BUSY", store="the lake", reason="a test says so")

    def _die(self) -> None:
        assert self.world.current is not None
        self.world.current.kill()
        raise Killed

    def _sleep(self) -> None:
        """The process stands still until its lease is over, and others work meanwhile."""
        self.frozen = True
        sleeper = self.world.current
        self.world.fall_asleep()
        other = self._start()
        try:
            for _ in range(self.random.randint(1, 3)):
                self._work(other)
        finally:
            self.frozen = False
            assert sleeper is not None
            self.world.silent.discard(sleeper.lake.instance.id)

    def dies_at(self, name: str) -> bool:
        dies = not self.calm and self.random.random() < 0.02
        if dies:
            self.log.append(f"dies at {name}")
        return dies

    def store_fault(self) -> None:
        if self.store_fails and not self.calm and self.random.random() < 0.5:
            raise TransientError("STORE_BUSY", store="v", reason="500 by a test")

    def listed(self, pages: Iterator[Page]) -> Iterator[Page]:
        """A listing; now and then one of a while ago."""
        found = [file for page in pages for file in page]
        if self.stale is not None and not self.calm and self.random.random() < 0.5:
            found, self.stale = self.stale, None
        elif self.random.random() < 0.2:
            self.stale = found
        yield found

    # What happens.

    def run(self) -> None:
        for _ in range(STEPS):
            self._happens()
            self.check()
        self.end()

    def _happens(self) -> None:
        dice = self.random.random()
        if dice < 0.25:
            self.add(f"f{self.random.randint(0, 9)}.csv")
        elif dice < 0.30:
            self.remove()
        elif dice < 0.35:
            self.store_fails = not self.store_fails
        elif dice < 0.40:
            self.world.offset += timedelta(seconds=self.random.choice([-4000, -40, 40, 4000]))
        elif dice < 0.48 and self.late:
            self.log.append("a late commit comes")
            self.late.pop(self.random.randrange(len(self.late))).commit()
        elif dice < 0.52 and len(self.world.living) < 3:
            self._start()
        else:
            living = list(self.world.living.values()) or [self._start()]
            self._work(self.random.choice(living))

    def _start(self) -> Process:
        process = self.world.start()
        process.spark.commit = self.commit
        return process

    def _work(self, process: Process) -> Outcome | None:
        if self.queue is not None and (self.calm or self.random.random() < 0.7):
            self.queue.show_again()
        try:
            process.recover()
            pipe = self.pipe(process)
            if pipe.status is not PipeStatus.RUNNING:
                with process.turn():
                    process.lake.store.pipes.resume(pipe.id, now())
            outcome = process.step(self.pipe(process))
            self.log.append(f"{process.lake.instance.id[:4]} {outcome.name}")
            return outcome
        except Killed:
            self.log.append(f"{process.lake.instance.id[:4]} was killed")
        except HeadwaterError as error:
            self.log.append(f"{process.lake.instance.id[:4]} {error.condition}")
        return None

    def pipe(self, process: Process) -> Pipe:
        found = process.lake.store.pipes.get("headwater", "public", "p")
        assert found is not None
        return found

    # What must hold.

    def check(self) -> None:
        process = next(iter(self.world.living.values()), None) or self._start()
        lake, pipe = process.lake, self.pipe(process)
        rows = Counter(rows_of(lake, self.table))
        assert max(rows.values(), default=1) == 1, f"rows twice: {rows - Counter(set(rows))}"
        loaded = {key for key, content in self.content.items() if content[0] in rows}
        for key in loaded:
            assert set(self.content[key]) <= set(rows), f"{key} is in the table in part"
        here = {(path.name, self._newest(path.name)) for path in self.folder.iterdir()}
        lost = set(self.content) - loaded - here - self.taken_away
        assert not lost, f"deleted and not loaded: {sorted(lost)}"
        batches = lake.store.pipe_batches.of(pipe.id)
        assert len([b for b in batches if b.state.value == "INTENT"]) <= 1
        numbers = self._numbers(lake.location(self.table))
        assert numbers == list(range(1, len(numbers) + 1)), numbers
        assert pipe.batch <= len(numbers) <= pipe.batch + 1, (pipe.batch, numbers)

    def _numbers(self, location: str) -> list[int]:
        """The batches that the Delta log holds."""
        files = LocalLogFiles(location)
        commits = [
            parse_commit(files.read_commit(version) or "", version, table="t")
            for version in files.list_commits()
        ]
        return [txn.version for commit in commits for txn in commit.transactions]

    def end(self) -> None:
        """Nothing goes wrong any more: all that can be loaded is loaded, each file once."""
        self.calm, self.store_fails = True, False
        for process in list(self.world.living.values()):
            process.kill()
        process = self._start()
        for _ in range(40):
            # Not before its time, or a failure of before would make it wait.
            self.world.offset += timedelta(seconds=80)
            outcome = self._work(process)
            done = self.queue is None or not self.queue.waiting
            if outcome is Outcome.IDLE and done:
                break
        else:
            raise AssertionError(f"it does not come to rest: {self.log[-10:]}")
        self.check()
        assert self.pipe(process).failures == 0
        rows = rows_of(process.lake, self.table)
        left = {path.name: (path.name, self._newest(path.name)) for path in self.folder.iterdir()}
        if self.queue is not None:
            # Its files stay: those that are loaded need no excuse.
            left = {name: key for name, key in left.items() if self.content[key][0] not in rows}
            aside = process.lake.store.pipe_batches.aside(self.pipe(process).id)
            assert {message.body for message in aside} <= {JUNK}
        unsaid = [name for name in left if not self._skipped(process, name)]
        assert unsaid == []
        for late in self.late:
            late.commit()
        self.check()

    def _skipped(self, process: Process, name: str) -> bool:
        """Whether the pipe says that it leaves this file alone, having loaded one of its name."""
        url = f"file://{self.folder}/{name}"
        known = process.lake.store.load_history.known(
            self.table.id, [url], now() - timedelta(days=8), statuses=[LoadStatus.SKIPPED]
        )
        file = LocalFiles(_address(self.folder)).head(name)
        return any(entry.file.etag == file.etag for entry in known.get(url, ()) if file)


def _address(folder: Path) -> StoreAddress:
    return StoreAddress(Scheme.FILE, "", str(folder).lstrip("/") + "/")


def seeds() -> list[int]:
    given = os.environ.get("HEADWATER_PIPE_SEED")
    return [int(given)] if given else list(range(SEEDS))


@pytest.fixture(scope="module")
def lakes(new_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a table, a volume and a pipe over it, and the volume's folder beside it."""
    place = tmp_path_factory.mktemp("simulation")
    lake = shutil.copytree(new_lake, place / "lake")
    (place / "in").mkdir()
    with headwater.connect(lake, user="tester", time_zone="UTC") as connection:
        table_of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{place}/in/' USING CONNECTION c;"
            "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS COPY INTO t"
            " FROM VOLUME v (line STRING) USING CSV PURGE = TRUE"
        )
    return place


def simulation(
    seed: int, lakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, queue: bool
) -> Simulation:
    """A fresh one. The volume's folder is the same for all, and empty at the start."""
    dice = random.Random(seed)
    folder = lakes / "in"
    for path in folder.iterdir():
        path.unlink()
    lake = shutil.copytree(lakes / "lake", tmp_path / "lake")
    world = World(lake, {"pipe_files_per_batch": dice.choice([1, 2, 3, 1000])}).patch(monkeypatch)
    process = world.start()
    table = process.lake.store.tables.get("headwater", "public", "t")
    assert table is not None
    made = Simulation(dice, world, folder, table, MemoryQueue(dice) if queue else None)
    if made.queue is not None:
        _listen(made.queue, process, monkeypatch)
    process.spark.commit = made.commit
    world.dies_at = made.dies_at
    for module in (events, listing, unchanged):
        # Threads would throw the dice in another order each time.
        monkeypatch.setattr(module, "_AT_ONCE", 1)
    for name in _FAULTS_OF_A_STORE:
        monkeypatch.setattr(LocalFiles, name, _faulty(getattr(LocalFiles, name), made))
    return made


def _listen(queue: MemoryQueue, process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pipe be told by a queue; a folder of this machine stands for a bucket."""

    def read(body: str, *, source: Scheme) -> list[ObjectEvent]:
        if body == JUNK:
            raise MalformedMessage("a test says so")
        return [ObjectEvent("bucket", body, None, None, True)]

    monkeypatch.setattr(events, "open_queue", lambda *about, **options: queue)
    monkeypatch.setattr(events, "objects_in", read)
    monkeypatch.setattr(events, "path_below", lambda event, address: event.key)
    store = process.lake.store.pipes
    pipe = store.get("headwater", "public", "p")
    assert pipe is not None
    store.drop(pipe)
    told = [("VIRTUAL_CLUSTER", "default"), ("INGEST_MODE", "EVENT_NOTIFICATION")]
    store.create(
        replace(
            pipe,
            body=pipe.body.replace(" PURGE = TRUE", ""),
            properties=(*told, ("AWS_SQS_QUEUE", "q")),
        )
    )


def _faulty(real: Callable[..., object], made: Simulation) -> Callable[..., object]:
    def answer(self: LocalFiles, *arguments: object, **options: object) -> object:
        made.store_fault()
        found = real(self, *arguments, **options)
        if real.__name__ == "list" and options.get("start_after") is None:
            return made.listed(found)  # type: ignore[arg-type]
        return found

    answer.__name__ = real.__name__
    return answer


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("queue", [False, True], ids=["listed", "told"])
def test_every_file_is_loaded_once(
    seed: int, queue: bool, lakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = simulation(seed, lakes, tmp_path, monkeypatch, queue=queue)
    try:
        made.run()
    except BaseException:
        print(f"repeat with HEADWATER_PIPE_SEED={seed}", *made.log, sep="\n")
        raise
    finally:
        made.world.close()
