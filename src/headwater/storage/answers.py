"""What stores answer: pages of a listing, results of deleting many; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from headwater.storage.quick_listing import quick_entries
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

    ValueError if the body is no listing: the page of a proxy must not look like an empty folder.
    Keys are asked for in URL encoding, because XML cannot hold every character.
    """
    found = quick_entries(body)
    files, skipped = [], len(prefix)
    # Thousands of files are often written in the same second.
    moments: dict[str, datetime] = {}
    for key, size, modified, etag in found if found is not None else _entries(body):
        name = unquote_plus(key)
        # A server that sorts differently may also show keys beside the prefix.
        if not name.startswith(prefix) or name.endswith("/"):
            continue
        moment = moments.get(modified) or moments.setdefault(modified, _moment(modified))
        files.append(FileInfo(name[skipped:], int(size), moment, etag))
    return files


def _entries(body: bytes) -> Iterator[tuple[str, str, str, str]]:
    """Key, size, time and etag of each entry, as a parser finds them."""
    root = parsed_xml(body)
    space = root.tag[: root.tag.find("}") + 1]
    if root.tag != space + "ListBucketResult":
        raise ValueError("not a listing")
    wanted = [space + name for name in ("Key", "Size", "LastModified", "ETag")]
    # Entries of a page look alike.
    layout: list[str] | None = None
    for entry in root.findall(space + "Contents"):
        tags = [fact.tag for fact in entry]
        if tags != layout:
            layout = tags
            places = [tags.index(name) for name in wanted]
        key, size, modified, etag = (entry[place].text or "" for place in places)
        yield key, size, modified, etag.replace('"', "")


def _moment(text: str) -> datetime:
    return to_the_second(datetime.fromisoformat(text))


def parsed_xml(body: bytes) -> ElementTree.Element:
    """An answer as XML; ValueError if it is something else, such as the page of a proxy."""
    try:
        return ElementTree.fromstring(body)  # noqa: S314 - expat limits what entities cost
    except (ElementTree.ParseError, LookupError) as error:
        # LookupError: an encoding that does not exist.
        raise ValueError(str(error)) from None


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
    return parsed_xml(element).text


def undeleted(body: bytes) -> Iterator[tuple[str, str]]:
    """The keys a store could not delete, with its reason; nothing said is nothing left.

    ValueError if the body is no such list: who believes that files are gone forgets them.
    """
    if not body.strip():
        return
    root = parsed_xml(body)
    space = root.tag[: root.tag.find("}") + 1]
    if root.tag != space + "DeleteResult":
        raise ValueError("not what was deleted")
    for entry in root.iterfind(space + "Error"):
        reason = entry.findtext(space + "Code") or "refused"
        yield entry.findtext(space + "Key", ""), reason


def is_copied(body: bytes) -> bool:
    """Whether the answer to a copy says that there is one: it names the etag of it."""
    try:
        elements = parsed_xml(body).iter()
    except ValueError:
        return False
    return any(element.tag.rpartition("}")[2] == "ETag" for element in elements)
