"""Small files as packs: the same lines in the same order, or no packs at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.files.packing import packed
from headwater.files.volumes import OpenVolume
from headwater.sql.cursor import Cursor
from headwater.sql.volume_relation import VolumeRelation, parse_volume_relation
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store

pytestmark = pytest.mark.large

MANY = 300


def relation(text: str) -> VolumeRelation:
    return parse_volume_relation(Cursor(f"VOLUME v (a STRING) USING {text}"))


class Place:
    """A folder of files and a folder for packs."""

    def __init__(self, folder: Path) -> None:
        self.files, self.packs = folder / "files", folder / "packs"
        self.files.mkdir()

    def write(self, contents: list[bytes], ending: str = ".csv") -> None:
        for number, content in enumerate(contents):
            (self.files / f"f{number:05}{ending}").write_bytes(content)

    def packed(self, text: str, *, changed: bool = False) -> list[bytes] | None:
        address = parse_location(f"file://{self.files}/")
        volume = OpenVolume("volume v", address, open_store(address))
        files = [file for page in volume.store.list() for file in page]
        if changed:
            (self.files / "f00007.csv").write_bytes(b"longer than it was\n")
        paths = packed(volume, files, relation(text), self.packs)
        if paths is None:
            return None
        return [Path(path.removeprefix("file:")).read_bytes() for path in paths]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_lines_are_kept_in_order_and_every_file_ends_with_a_line(place: Place) -> None:
    place.write([f"{n},a\r\n{n},b".encode() for n in range(MANY)])
    packs = place.packed("CSV")
    assert packs is not None
    assert 1 < len(packs) <= 6
    expected = [line for n in range(MANY) for line in (f"{n},a", f"{n},b")]
    assert b"".join(packs).decode().split() == expected


def test_headers_and_byte_order_marks_go(place: Place) -> None:
    place.write([b"\xef\xbb\xbfid,name\n" + f"{n},x\n".encode() for n in range(MANY)])
    packs = place.packed("CSV OPTIONS('header' = 'true')")
    assert packs is not None
    assert b"".join(packs).decode().split() == [f"{n},x" for n in range(MANY)]


def test_files_with_nothing_or_only_a_header_have_no_rows(place: Place) -> None:
    place.write([b"" if n % 2 else b"id,name" for n in range(MANY)])
    packs = place.packed("CSV OPTIONS('header' = 'true')")
    assert packs is not None
    assert b"".join(packs) == b""


def test_json_and_text_are_lines_too(place: Place) -> None:
    place.write([f'{{"a": {n}}}\n{{"a": 1}}'.encode() for n in range(MANY)], ".json")
    for kind in ("JSON", "TEXT"):
        packs = place.packed(kind)
        assert packs is not None
        assert b"".join(packs).count(b"\n") == 2 * MANY


@pytest.mark.parametrize(
    ("odd", "text"),
    [
        pytest.param(b"\xff\xfe,x\n", "CSV", id="not UTF-8"),
        pytest.param(b"\n\nid\n1\n", "CSV OPTIONS('header' = 'true')", id="header further down"),
        pytest.param(b'{\n"a": 1}\n', "JSON", id="document over lines"),
        pytest.param(b"[1, 2]\n", "JSON", id="no documents"),
        pytest.param(b"1\n", "CSV OPTIONS('multiLine' = 'true')", id="rows over lines"),
        pytest.param(b"1\n", "CSV OPTIONS('lineSep' = ';')", id="other line ends"),
        pytest.param(b"1\n", "CSV OPTIONS('compression' = 'gzip')", id="compressed"),
        pytest.param(b"1\n", "PARQUET", id="no lines"),
    ],
)
def test_what_cannot_be_put_behind_each_other_is_not(place: Place, odd: bytes, text: str) -> None:
    plain = b'{"a": 1}\n' if text == "JSON" else b"1\n"
    place.write([odd if n == MANY // 2 else plain for n in range(MANY)])
    assert place.packed(text) is None


def test_few_or_big_files_are_left_to_spark(place: Place) -> None:
    place.write([b"1\n"] * 20)
    assert place.packed("CSV") is None
    place.write([b"1" * 100_000 + b"\n"] * MANY)
    assert place.packed("CSV") is None


def test_compressed_names_are_left_to_spark(place: Place) -> None:
    place.write([b"1\n"] * MANY)
    (place.files / "x.csv.gz").write_bytes(b"1\n")
    assert place.packed("CSV") is None


def test_a_file_that_changed_since_it_was_listed_is_not_packed(place: Place) -> None:
    place.write([b"1\n"] * MANY)
    assert place.packed("CSV", changed=True) is None
