"""A page of a listing read quickly is the page as a parser reads it."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.storage.quick_listing import quick_entries

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
NAMES = ("Key", "Size", "LastModified", "ETag")
TEXTS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20
)


def page(entries: list[str], *, head: str = HEAD, space: str = SPACE) -> bytes:
    inside = "".join(f"<Contents>{entry}</Contents>" for entry in entries)
    return f"{head}<ListBucketResult{space}><Name>b</Name>{inside}</ListBucketResult>".encode()


def entry(key: str = "a/b.csv", etag: str = "&quot;5b3c&quot;", more: str = "") -> str:
    return (
        f"<Key>{key}</Key><LastModified>2026-11-15T10:00:00Z</LastModified>"
        f"<ETag>{etag}</ETag><Size>4</Size>{more}"
    )


def parsed(body: bytes) -> list[tuple[str, ...]]:
    """What a parser finds; quotes around an etag are no part of it."""
    root = ElementTree.fromstring(body)
    space = root.tag[: root.tag.find("}") + 1]
    return [
        tuple((found.findtext(space + name) or "").replace('"', "") for name in NAMES)
        for found in root.findall(space + "Contents")
    ]


@st.composite
def entries(draw: st.DrawFn) -> str:
    """An entry as servers write them: facts in any order, with others between them."""
    facts = {name: escape(draw(TEXTS).replace('"', "")) for name in NAMES}
    facts["ETag"] = draw(st.sampled_from(("&quot;{}&quot;", '"{}"', "{}"))).format(facts["ETag"])
    facts |= draw(st.dictionaries(st.sampled_from(["StorageClass", "Type"]), TEXTS.map(escape)))
    order = draw(st.permutations(sorted(facts)))
    gap = draw(st.sampled_from(["", "\n  "]))
    return gap.join(f"<{name}>{facts[name]}</{name}>" for name in order)


@given(st.lists(entries(), max_size=5), st.sampled_from(["", HEAD]), st.sampled_from(["", SPACE]))
def test_it_finds_what_a_parser_finds_or_leaves_it_to_one(
    found: list[str], head: str, space: str
) -> None:
    body = page(found, head=head, space=space)
    quick = quick_entries(body)
    if quick is not None:
        assert list(quick) == parsed(body)
    else:
        assert b"&" in body.replace(b"&quot;", b"")


def test_a_page_of_a_common_server_needs_no_parser() -> None:
    body = page([entry(), entry("d/c%20e.csv", more="<StorageClass>STANDARD</StorageClass>")])
    quick = quick_entries(body)
    assert quick is not None
    assert [key for key, *_ in quick] == ["a/b.csv", "d/c%20e.csv"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Log in</body></html>",
        page([entry()])[:-5],
        page([entry()]).replace(b"UTF-8", b"UTF-16"),
        page([f"<!-- <Key>no</Key> -->{entry()}"]),
        page([entry("a&amp;b")]),
        page([entry("a&#10;b")]),
        page([entry("a\nb")]),
        page(["<Key>a</Key><Key>b</Key>", entry(), entry(more="<Size>1</Size>")]),
        page([entry(), "<Size>1</Size><LastModified>x</LastModified><ETag>y</ETag>"]),
        page([entry()]).replace(b"<Contents>", b"<Contents a='b'>"),
        page([entry("\xff")]).replace("\xff".encode(), b"\xff"),
    ],
)
def test_what_is_not_plain_is_left_to_a_parser(body: bytes) -> None:
    assert quick_entries(body) is None
