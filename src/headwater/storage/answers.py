"""What stores answer: pages of a listing, results of deleting many; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from headwater.storage.store import FileInfo


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read to its end; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        """Whether the store did what it was asked."""
        return 200 <= self.status < 300


def listed_files(body: bytes, prefix: str) -> list[FileInfo]:
    """The files of a page whose keys start with `prefix`; markers of folders are left out.

    Keys are asked for in URL encoding, because XML cannot hold every character.
    """
    root = ElementTree.fromstring(body)  # noqa: S314 - expat limits what entities cost
    space = root.tag[: root.tag.find("}") + 1]
    key, size, modified, etag = (space + name for name in ("Key", "Size", "LastModified", "ETag"))
    files = []
    # Thousands of files are often written in the same second.
    moments: dict[str, datetime] = {}
    for entry in root.iterfind(space + "Contents"):
        facts = {fact.tag: fact.text or "" for fact in entry}
        name = unquote_plus(facts[key])
        # A server that sorts differently may also show keys beside the prefix.
        if not name.startswith(prefix) or name.endswith("/"):
            continue
        text = facts[modified]
        moment = moments.get(text) or moments.setdefault(text, _moment(text))
        path = name[len(prefix) :]
        files.append(FileInfo(path, int(facts[size]), moment, facts[etag].strip('"')))
    return files


def _moment(text: str) -> datetime:
    return to_the_second(datetime.fromisoformat(text))


def to_the_second(moment: datetime) -> datetime:
    """What HEAD and a listing agree on: HTTP dates know no fractions."""
    return moment.astimezone(UTC).replace(microsecond=0)


def next_token(body: bytes) -> str | None:
    """Where the next page starts, or None after the last one.

    Found without parsing the page, so that the next one can be asked for first: the answer is on
    its way while this page is taken apart.
    """
    start = body.find(b"<NextContinuationToken>")
    if start < 0:
        return None
    element = body[start : body.index(b"</NextContinuationToken>", start) + 24]
    return ElementTree.fromstring(element).text  # noqa: S314 - a single element


def undeleted(body: bytes) -> Iterator[tuple[str, str]]:
    """The keys a store could not delete, with its reason."""
    if not body.strip():
        return
    root = ElementTree.fromstring(body)  # noqa: S314 - expat limits what entities cost
    space = root.tag[: root.tag.find("}") + 1]
    for entry in root.iterfind(space + "Error"):
        reason = entry.findtext(space + "Code") or "refused"
        yield entry.findtext(space + "Key", ""), reason
