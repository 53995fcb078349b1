"""Totals kept commit by commit equal those of the live files, whatever the commits leave unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.catalog.objects import TableShape, Totals
from headwater.lake.delta_log.actions import Commit, FileId, parse_commit
from headwater.lake.delta_log.fold import fold
from headwater.lake.delta_log.snapshot import FileSize, Snapshot
from headwater.lake.delta_log.totals import RunningTotals


@dataclass
class Model:
    """A table as the test knows it: what is live, and the texts of the commits that made it so."""

    live: dict[tuple[str, str | None], tuple[int | None, int, int]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    totals: list[Totals] = field(default_factory=list)
    states: list[dict[FileId, FileSize]] = field(default_factory=list)
    names: int = 0

    def close(self, text: str) -> None:
        """One more commit is complete."""
        rows = [None if n is None else n - gone for n, gone, _ in self.live.values()]
        total = None if None in rows else sum(n for n in rows if n is not None)
        self.texts.append(text)
        self.totals.append(Totals(total, sum(size for _, _, size in self.live.values())))
        sizes = zip(rows, (size for _, _, size in self.live.values()), strict=True)
        ids = [FileId(path, f"u{v}@1" if v else None) for path, v in self.live]
        self.states.append({i: FileSize(*s) for i, s in zip(ids, sizes, strict=True)})


def grow(draw, actions, model: Model) -> None:
    """Draws one commit of a kind that Delta writes, and what is live after it."""
    kind = draw(st.sampled_from(["insert", "delete", "vector", "again", "compact"]))
    lines, operation, job = [], "WRITE", draw(st.sampled_from([None, "j1", "j2"]))
    chosen = (
        draw(st.lists(st.sampled_from(sorted(model.live, key=str)), unique=True, max_size=3))
        if model.live
        else []
    )

    def options(key):
        vector = actions.vector(key[1], model.live[key][1]) if key[1] else None
        return {"size": model.live[key][2], "vector": vector}

    def add_new(rows, size, *, data_change=True):
        model.names += 1
        path = f"f{model.names}"
        model.live[path, None] = (rows, 0, size)
        lines.append(actions.add(path, rows, size=size, data_change=data_change))

    def remove(key):
        says = options(key)
        says["size"] = says["size"] if draw(st.booleans()) else None
        lines.append(
            actions.remove(key[0], draw(st.sampled_from([model.live[key][0], None])), **says)
        )
        return model.live.pop(key)

    if kind == "insert":
        for _ in range(draw(st.integers(0, 3))):
            rows = draw(st.one_of(st.integers(0, 50), st.none()))
            add_new(rows, draw(st.integers(1, 900)))
    elif kind == "delete":
        for key in chosen:
            remove(key)
    elif kind == "vector":
        for key in chosen:
            records, gone, size = remove(key)
            model.names += 1
            name = f"v{model.names}"
            gone += draw(st.integers(0, max(0, (records or 0) - gone)))
            model.live[key[0], name] = (records, gone, size)
            vector = actions.vector(name, gone)
            lines.append(actions.add(key[0], records, size=size, vector=vector))
    elif kind == "again":
        operation = "ROW TRACKING BACKFILL"
        for key in chosen:
            lines.append(actions.add(key[0], model.live[key][0], data_change=False, **options(key)))
    else:
        operation = "OPTIMIZE"
        gone_files = [remove(key) for key in chosen]
        if gone_files:
            rows = [None if n is None else n - gone for n, gone, _ in gone_files]
            add_new(None if None in rows else sum(rows), 7, data_change=False)
    model.close(actions.text(actions.info(operation, mode="Append", job=job), *lines))


@st.composite
def histories(draw, actions) -> Model:
    model = Model()
    model.close(actions.text(actions.info("CREATE TABLE"), actions.metadata()))
    for _ in range(draw(st.integers(1, 8))):
        grow(draw, actions, model)
    return model


def parsed(model: Model) -> list[Commit]:
    return [parse_commit(text, n, table="t") for n, text in enumerate(model.texts)]


def pieces(commits: list[Commit], cuts: set[int]) -> Iterator[list[Commit]]:
    edges = sorted({0, len(commits), *(c for c in cuts if c < len(commits))})
    for start, end in pairwise(edges):
        yield commits[start:end]


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_totals_equal_those_of_the_live_files(actions, data):
    model = data.draw(histories(actions))
    shape, last, by_number = TableShape(), None, {}
    for piece in pieces(parsed(model), data.draw(st.sets(st.integers(1, 8)))):
        at = shape.delta_version
        files = model.states[at] if at >= 0 else {}
        shape, versions = fold(
            shape,
            last,
            piece,
            before=lambda at=at, files=files: Snapshot(at, files=files),
            default_user="me",
        )
        assert shape.totals in (model.totals[shape.delta_version], Totals(None, shape.totals.bytes))
        assert shape.totals.bytes == model.totals[shape.delta_version].bytes
        for version in versions:
            known = model.totals[version.delta_version]
            assert version.totals.bytes == known.bytes
            if version.totals.rows is not None or all_rows_known(model):
                assert version.totals.rows == known.rows
        by_number |= {version.version: version for version in versions}
        last = versions[-1]
    if all_rows_known(model):
        whole, versions = fold(
            TableShape(), None, parsed(model), before=lambda: Snapshot(-1), default_user="me"
        )
        assert whole == shape
        assert versions == tuple(by_number.values())


def all_rows_known(model: Model) -> bool:
    return all(totals.rows is not None for totals in model.totals)


def refuse() -> dict[FileId, FileSize]:
    raise AssertionError("the live files are not needed")


@pytest.fixture
def commit_of(actions):
    def make(*lines, **info):
        return parse_commit(actions.text(actions.info(**info), *lines), 1, table="t")

    return make


def test_commits_that_say_enough_do_not_load_the_live_files(actions, commit_of):
    totals = RunningTotals(Totals(100, 1000), refuse)
    vector = actions.vector("v", 3)
    assert totals.after(commit_of(actions.add("a", 10))) == Totals(110, 1100)
    assert totals.after(commit_of(actions.remove("x", 7, size=50))) == Totals(103, 1050)
    deleted = commit_of(actions.remove("b", None), actions.add("b", 20, vector=vector))
    assert totals.after(deleted) == Totals(100, 1050)
    compacted = [actions.remove("y", 5), actions.add("z", 5, data_change=False)]
    assert totals.after(commit_of(*compacted, operation="OPTIMIZE")) == Totals(100, 1050)
    assert totals.after(commit_of(actions.remove("a", None, size=None))) == Totals(90, 950)


def test_a_remove_that_says_nothing_is_looked_up(actions, commit_of):
    live = {FileId("x"): FileSize(7, 50), FileId("y"): FileSize(93, 950)}
    totals = RunningTotals(Totals(100, 1000), lambda: live)
    assert totals.after(commit_of(actions.add("a", 1, size=10))) == Totals(101, 1010)
    assert totals.after(commit_of(actions.remove("x", None))) == Totals(94, 960)


def test_a_file_that_is_added_again_counts_once(actions, commit_of):
    totals = RunningTotals(Totals(7, 50), lambda: {FileId("x"): FileSize(7, 50)})
    again = actions.add("x", 7, size=50, data_change=False)
    assert totals.after(commit_of(again, operation="ROW TRACKING BACKFILL")) == Totals(7, 50)


def test_unknown_rows_are_known_again_when_their_file_goes(actions, commit_of):
    live = {FileId("x"): FileSize(None, 50), FileId("y"): FileSize(5, 50)}
    totals = RunningTotals(Totals(None, 100), lambda: live)
    assert totals.after(commit_of(actions.add("a", 1))) == Totals(None, 200)
    assert totals.after(commit_of(actions.remove("x", 3))) == Totals(6, 150)
