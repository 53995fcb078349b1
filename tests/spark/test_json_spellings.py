"""JSON whose documents spell a key in several ways: every value is read, or the file is refused."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

COLUMNS = (
    "id INT, userName STRING, place STRUCT<city: STRING, spots: ARRAY<STRUCT<lat: INT>>>,"
    " tags MAP<STRING, STRUCT<size: INT>>, other STRING"
)
NAMED = f"VOLUME v ({COLUMNS})"
Document = dict[str, Any]


def lines(documents: list[Document]) -> bytes:
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def array(documents: list[Document]) -> bytes:
    return json.dumps(documents, indent=1).encode()


LAYOUTS: dict[str, tuple[str, Callable[[list[Document]], bytes]]] = {
    "lines": ("json", lines),
    "an array over lines": ("json", array),
    "lines in gzip": ("json.gz", lambda documents: gzip.compress(lines(documents))),
    "arrays of a line": (
        "json",
        lambda documents: b"\n".join(json.dumps([each]).encode() for each in documents),
    ),
}


class Folder:
    """A lake with the volume `v` over a folder."""

    def __init__(self, lake: headwater.Connection, path: Path) -> None:
        self.lake, self.path = lake, path

    def write(self, name: str, content: bytes) -> None:
        file = self.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.lake.sql(text).rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    path = tmp_path_factory.mktemp("files")
    with headwater.connect(tmp_path_factory.mktemp("lake") / "lake") as lake:
        lake.sql("CREATE STORAGE CONNECTION c TYPE FILE")
        lake.sql(f"CREATE EXTERNAL VOLUME v LOCATION 'file://{path}/' USING CONNECTION c")
        yield Folder(lake, path)


def any_spelling(seed: random.Random, name: str) -> str:
    return "".join(seed.choice((sign.lower(), sign.upper())) for sign in name)


def respelled(seed: random.Random, document: Document) -> Document:
    """The document with other keys that mean the same, in another order."""
    place, tags = document.get("place"), document.get("tags")
    if place is not None:
        spots = [{any_spelling(seed, key): spot[key] for key in spot} for spot in place["spots"]]
        document = {
            **document,
            "place": {"City": place["city"], any_spelling(seed, "spots"): spots},
        }
    if tags is not None:
        inner = {tag: {any_spelling(seed, "size"): tags[tag]["size"]} for tag in tags}
        document = {**document, "tags": inner}
    keys = seed.sample(sorted(document), len(document))
    return {any_spelling(seed, key): document[key] for key in keys}


def made_up(seed: random.Random, number: int) -> Document:
    document: Document = {"id": number}
    if seed.random() < 0.7:
        document["userName"] = seed.choice(["Ann", "Zoë", "", None])
    if seed.random() < 0.5:
        spots = [{"lat": seed.randrange(9)} for _ in range(seed.randrange(3))]
        document["place"] = {"city": seed.choice(["Bonn", "Ulm"]), "spots": spots}
    if seed.random() < 0.3:
        # The keys of a map are values: none of them is another one.
        document["tags"] = {key: {"size": seed.randrange(9)} for key in ("a", "A", "id", "ID")}
    if seed.random() < 0.3:
        # So are those of what is kept as a text, and of what nobody reads.
        document["other"] = {"id": number, "ID": [{"Lat": 1, "lat": 2}]}
    if seed.random() < 0.3:
        document["unread"] = {"id": -1, "ID": [{"id": -2}], "userName": [[], {}]}
    return document


def read(document: Document) -> tuple[Any, ...]:
    """The row that a document becomes; what is kept as a text, compared by what it says."""
    return tuple(document.get(name) for name in ("id", "userName", "place", "tags", "other"))


def said(row: tuple[Any, ...]) -> tuple[Any, ...]:
    tags = None if row[3] is None else dict(row[3])
    return (*row[:3], tags, None if row[4] is None else json.loads(row[4]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_spelling_is_read_from_every_place_of_every_file(folder: Folder, layout: str) -> None:
    seed, (ending, written) = random.Random(layout), LAYOUTS[layout]
    name = layout.replace(" ", "_")
    documents = [made_up(seed, number) for number in range(300)]
    for part in range(3):
        # The first one is as the columns are: a look at it tells nothing.
        first = [document for document in documents[:100] if part == 0]
        others = [respelled(seed, each) for each in documents[100 * part : 100 * part + 100]]
        folder.write(f"{name}/{part}.{ending}", written(first or others))
    query = f"SELECT * FROM {NAMED} USING JSON SUBDIRECTORY '{name}' ORDER BY id"
    assert [said(row) for row in folder.rows(query)] == [read(each) for each in documents]
    folder.lake.sql(f"CREATE OR REPLACE TABLE t ({COLUMNS})")
    loaded = folder.lake.sql(f"COPY INTO t FROM VOLUME v USING JSON SUBDIRECTORY '{name}'")
    assert loaded.rowcount == 300
    rows = folder.rows("SELECT * FROM t ORDER BY id")
    assert [said(row) for row in rows] == [read(each) for each in documents]


def test_documents_that_are_kept_whole_become_structs_of_any_spelling(folder: Folder) -> None:
    folder.write("whole/a.json", b'{"id": 1, "tags": {"a": 1, "A": 2}, "more": [{"ID": 9}]}\n')
    folder.write("whole/b.json", b'{"ID": 2, "Place": {"CITY": "Ulm", "more": 1}}\n')
    whole = "USING JSON OPTIONS('explodeArray' = 'false')"
    kind = "STRUCT<id: INT, place: STRUCT<city: STRING>, tags: MAP<STRING, INT>>"
    source = f"{whole} SUBDIRECTORY 'whole' ORDER BY d.id"
    assert folder.rows(f"SELECT d.* FROM VOLUME v (d {kind}) {source}") == [
        (1, None, {"a": 1, "A": 2}),
        (2, {"city": "Ulm"}, None),
    ]
    folder.write("all/a.json", b'[{"id": 1}, {"ID": 2}]')
    source = f"(d ARRAY<STRUCT<id: INT>>) {whole} SUBDIRECTORY 'all'"
    assert folder.rows(f"SELECT d.id FROM VOLUME v {source}") == [([1, 2],)]
    folder.write("texts/a.json", b'{"id":1,"ID":2}')
    source = f"(d STRING) {whole} SUBDIRECTORY 'texts'"
    # A variant has its keys in order.
    assert folder.rows(f"SELECT d FROM VOLUME v {source}") == [('{"ID":2,"id":1}',)]
    folder.write("both/a.json", b'[{"id": 1}, {"id": 1, "ID": 2}]')
    source = f"(d ARRAY<STRUCT<id: INT>>) {whole} SUBDIRECTORY 'both'"
    with pytest.raises(headwater.Error, match=r"'both/a\.json' .* both as 'id' and as 'ID'"):
        folder.rows(f"SELECT d FROM VOLUME v {source}")


def test_what_a_query_does_not_read_does_not_move_what_it_reads(folder: Folder) -> None:
    folder.write("few/a.json", lines([{"id": 1, "userName": "Ann"}]))
    folder.write("few/b.json", lines([{"USERNAME": "Bob", "ID": 2, "Place": {"CITY": "Ulm"}}]))
    source = f"FROM {NAMED} USING JSON SUBDIRECTORY 'few'"
    assert folder.rows(f"SELECT userName {source} WHERE id = 2") == [("Bob",)]
    assert folder.rows(f"SELECT id {source} WHERE place.city = 'Ulm'") == [(2,)]
    assert folder.rows(f"SELECT count(*) {source}") == [(2,)]


@pytest.mark.parametrize(
    ("document", "one", "other"),
    [
        ({"id": 1, "ID": 2}, "id", "ID"),
        ({"ID": None, "id": 2}, "ID", "id"),
        ({"Id": 1, "iD": 1}, "Id", "iD"),
        ({"id": 1, "place": {"city": "Ulm", "CITY": "Bonn"}}, "city", "CITY"),
        ({"id": 1, "tags": {"a": {"size": 1, "Size": 2}}}, "size", "Size"),
    ],
)
def test_a_document_with_two_spellings_of_a_key_is_refused_by_its_file(
    folder: Folder, document: Document, one: str, other: str
) -> None:
    good = [{"id": number} for number in range(500)]
    folder.write("two/a.json", lines(good))
    folder.write("two/b.json", lines([*good, document]))
    folder.lake.sql(f"CREATE OR REPLACE TABLE t ({COLUMNS})")
    copy = "COPY INTO t FROM VOLUME v USING JSON SUBDIRECTORY 'two'"
    reason = f"one of its JSON documents spells a key both as '{one}' and as '{other}'"
    with pytest.raises(headwater.Error, match="FILE_UNREADABLE") as caught:
        folder.lake.sql(copy)
    assert caught.value.message == f"cannot read file 'two/b.json' of volume public.v: {reason}"
    assert folder.rows("SELECT count(*) FROM t") == [(0,)]
    found = folder.lake.sql(f"{copy} ON_ERROR = CONTINUE").rows
    assert [tuple(row[1:]) for row in found] == [
        ("SUCCESS", 500, None),
        ("LOADED_FAILED", 0, reason),
    ]
    assert folder.rows("SELECT count(*) FROM t") == [(500,)]


def test_where_case_counts_the_columns_own_spelling_counts(folder: Folder) -> None:
    folder.write("exact/a.json", lines([{"id": 1, "ID": 2}, {"ID": 3, "id": 4}, {"ID": 5}]))
    folder.lake.sql("SET spark.sql.caseSensitive = true")
    try:
        one = "SELECT id FROM VOLUME v (id INT) USING JSON FILES('exact/a.json') ORDER BY id"
        assert folder.rows(one) == [(1,), (4,), (5,)]
    finally:
        folder.lake.sql("RESET spark.sql.caseSensitive")


def test_broken_files_are_looked_for_as_the_columns_were_found(folder: Folder) -> None:
    for name in "abc":
        folder.write(f"found/{name}.json", b'{"id": 1, "words": {"Apple": 1}')
    # Columns that are looked for take one of the spellings inside, so this file is none of them.
    folder.write("found/d.json", b'{"id": 2, "words": {"Apple": 1, "apple": 2}}\n')
    folder.lake.sql("CREATE OR REPLACE TABLE t (id INT)")
    query = "SELECT id FROM VOLUME v USING JSON SUBDIRECTORY 'found' WHERE words IS NOT NULL"
    found = folder.lake.sql(f"COPY INTO t FROM ({query}) ON_ERROR = CONTINUE").rows
    assert [row[1] for row in found] == [*["LOADED_FAILED"] * 3, "SUCCESS"]
    assert folder.rows("SELECT id FROM t") == [(2,)]


def test_many_small_files_read_as_one_are_no_exception(folder: Folder) -> None:
    for number in range(60):
        key = ("id", "ID", "Id")[number % 3]
        folder.write(f"many/{number:02}.json", lines([{key: number}]))
    folder.lake.sql("CREATE OR REPLACE TABLE t (id INT)")
    folder.lake.sql("COPY INTO t FROM VOLUME v USING JSON SUBDIRECTORY 'many'")
    assert folder.rows("SELECT id FROM t ORDER BY id") == [(number,) for number in range(60)]
    folder.write("many/33.json", lines([{"id": 1, "Id": 2}]))
    with pytest.raises(headwater.Error, match=r"'many/33\.json' .* both as 'id' and as 'Id'"):
        folder.lake.sql("COPY INTO t FROM VOLUME v USING JSON SUBDIRECTORY 'many'")
