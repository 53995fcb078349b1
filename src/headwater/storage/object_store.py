"""A folder of a bucket in any store that speaks the protocol of S3, OSS and COS.

Law: `key = prefix + path`, and nothing else happens to a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from xml.sax.saxutils import escape

from headwater.errors import HeadwaterError, UserError, ValueRejected
from headwater.storage.addresses import StoreAddress, checked_folder, checked_path
from headwater.storage.answers import (
    Answer,
    is_copied,
    listed_files,
    next_token,
    to_the_second,
    undeleted,
)
from headwater.storage.content_of import content_of
from headwater.storage.exchange import Exchange, Pending
from headwater.storage.failures import NETWORK_ERRORS, Refusal, refusal_of, refused
from headwater.storage.multipart import PartSizes, Send, copy_parts, put_parts
from headwater.storage.replacing import replacing
from headwater.storage.requests import Content, Request, encoded_path
from headwater.storage.store import FileInfo, FoundFile, Page

_PAGE = 1000
_LONGEST_PRESIGNED = 7 * 24 * 3600
# XML cannot hold these, or not reliably: such names are deleted one by one.
_NOT_FOR_XML = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]|^\s|\s$")


class ObjectStore:
    """See `Store`; the rules of a kind of store are in its exchange."""

    def __init__(
        self, exchange: Exchange, address: StoreAddress, *, part_sizes: PartSizes | None = None
    ) -> None:
        self._exchange = exchange
        self._address = address
        self._part_sizes = part_sizes or PartSizes()
        self._bucket_seen = False

    def list(
        self, folder: str = "", *, recursive: bool = True, start_after: str | None = None
    ) -> Iterator[Page]:
        """Pages of up to 1000 files, the next one asked for before this one is handed out."""
        prefix = self._address.prefix + checked_folder(folder)
        query = {"encoding-type": "url", "list-type": "2", "max-keys": str(_PAGE)}
        if prefix:
            query["prefix"] = prefix
        if not recursive:
            query["delimiter"] = "/"
        if start_after is not None:
            query["start-after"] = self._address.prefix + start_after
        return self._pages(query)

    def _pages(self, query: dict[str, str]) -> Iterator[Page]:
        request: Request | None = self._request("GET", "", query=query)
        pending: Pending | None = None
        try:
            while request is not None:
                answer = self._finish(pending, request)
                with self._understanding():
                    token = next_token(answer.body)
                request = pending = None
                if token is not None:
                    following = {**query, "continuation-token": token}
                    following.pop("start-after", None)
                    request = self._request("GET", "", query=following)
                    # If this fails, asking again in the next round says why.
                    with suppress(*NETWORK_ERRORS):
                        pending = self._exchange.begin(request)
                with self._understanding():
                    page = listed_files(answer.body, self._address.prefix)
                yield page
        finally:
            if pending is not None:
                pending.abandon()

    def _finish(self, pending: Pending | None, request: Request) -> Answer:
        if pending is not None:
            with suppress(*NETWORK_ERRORS):
                answer = pending.finish()
                if answer.good:
                    return answer
        answer = self._good(request)
        self._bucket_seen = True
        return answer

    def head(self, path: str) -> FileInfo | None:
        """Size, time and etag from the headers of the object."""
        answer = self._exchange.send(self._request("HEAD", checked_path(path)))
        if answer.status == 404:
            self._require_bucket()
            return None
        if not answer.good:
            # An answer to HEAD has no body; the same question with one says why.
            self._require_bucket()
            raise self._refused(refusal_of(answer), path)
        return _file_info(path, answer)

    def _require_bucket(self) -> None:
        if not self._bucket_seen:
            query = {"list-type": "2", "max-keys": "1", "prefix": self._address.prefix}
            self._good(self._request("GET", "", query=query))
            self._bucket_seen = True

    def read(self, path: str) -> bytes:
        """The whole object in memory."""
        return self._good(self._request("GET", checked_path(path)), path=path).body

    def find(self, path: str) -> FoundFile | None:
        """One GET; that there is no such bucket is an error, and not the answer None."""
        answer = self._exchange.send(self._request("GET", checked_path(path)))
        if answer.good:
            return FoundFile(_file_info(path, answer), answer.body)
        error = self._refused(refusal_of(answer), path)
        if error.condition == "FILE_NOT_FOUND":
            return None
        raise error

    def get(self, path: str, local_path: Path) -> None:
        """Into a file beside `local_path` that takes its place when it is complete."""
        request = self._request("GET", checked_path(path))
        with replacing(local_path) as file:
            self._good(request, path=path, into=file)

    def write(self, path: str, content: bytes) -> None:
        """One PUT."""
        self._put(path, content_of(content))

    def put(self, local_path: Path, path: str) -> None:
        """One PUT, or parts of a large file; each is read twice, the first time to sign."""
        if self._is_large(local_path):
            with self._understanding():
                put_parts(self._sender(path), local_path, self._part_sizes)
        else:
            self._put(path, content_of(local_path))

    def _is_large(self, local_path: Path) -> bool:
        # What cannot be looked at is named by the one that reads it.
        with suppress(OSError):
            return local_path.stat().st_size > self._part_sizes.above
        return False

    def _sender(self, path: str) -> Send:
        """Sends requests about one object."""
        checked_path(path)

        def send(
            method: str, query: dict[str, str], content: Content | None, headers: dict[str, str]
        ) -> Answer:
            request = self._request(method, path, query=query, content=content)
            return self._good(replace(request, headers={**request.headers, **headers}))

        return send

    def _put(self, path: str, content: Content) -> None:
        self._good(self._request("PUT", checked_path(path), content=content))

    def move(self, path: str, target: str) -> None:
        """Copied by the server, in parts what is too large to be copied at once, then deleted."""
        source = self._request("GET", checked_path(path))
        request = self._request("PUT", checked_path(target))
        endpoint = self._exchange.endpoint
        # The bucket stands in the path of the request, or is the first part of the host.
        bucket = "" if endpoint.folder != "/" else "/" + endpoint.authority.partition(".")[0]
        name = self._exchange.signer.header_prefix + "copy-source"
        named = {name: encoded_path(bucket + source.path)}
        answer = self._exchange.send(replace(request, headers={**request.headers, **named}))
        if not answer.good:
            self._copy_large(path, target, named, refusal_of(answer))
        elif not is_copied(answer.body):
            # A store may say 200 before it knows, and in the body that it failed.
            raise self._refused(refusal_of(answer), path)
        for reason in self.delete_many([path]).values():
            raise self._refused(Refusal(403, reason, reason), path)

    def _copy_large(self, path: str, target: str, named: dict[str, str], refusal: Refusal) -> None:
        """What was refused because of its size, which stores say in different words."""
        found = None if refusal.status == 404 else self.head(path)
        if found is None or found.size <= self._part_sizes.most:
            raise self._refused(refusal, path)
        header = self._exchange.signer.header_prefix + "copy-source-range"
        with self._understanding():
            send = self._sender(target)
            copy_parts(send, named, found.size, self._part_sizes, range_header=header)

    def delete_many(self, paths: Iterable[str]) -> dict[str, str]:
        """A thousand per request; names that XML cannot hold one by one."""
        failed: dict[str, str] = {}
        plain: list[str] = []
        for path in dict.fromkeys(paths):
            checked_path(path)
            if _NOT_FOR_XML.search(self._address.prefix + path):
                failed.update(self._delete_one(path))
            else:
                plain.append(path)
        remaining = iter(plain)
        while batch := list(islice(remaining, _PAGE)):
            failed.update(self._delete_batch(batch))
        return failed

    def _delete_one(self, path: str) -> dict[str, str]:
        answer = self._exchange.send(self._request("DELETE", path))
        if answer.good or answer.status == 404:
            self._require_bucket()
            return {}
        refusal = refusal_of(answer)
        # As in a batch: one file may be protected, everything else is about all of them.
        if refusal.code == "AccessDenied":
            return {path: refusal.code}
        raise self._refused(refusal, path)

    def _delete_batch(self, paths: Sequence[str]) -> dict[str, str]:
        keys = (escape(self._address.prefix + path) for path in paths)
        objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
        body = f"<Delete><Quiet>true</Quiet>{objects}</Delete>".encode()
        request = self._request("POST", "", query={"delete": ""}, content=content_of(body))
        skipped = len(self._address.prefix)
        answer = self._good(request)
        with self._understanding():
            return {key[skipped:]: reason for key, reason in undeleted(answer.body)}

    def presign(self, path: str, *, seconds: int = 3600) -> str:
        """Signed here: no request is made, and nobody checks that the file exists."""
        if not 1 <= seconds <= _LONGEST_PRESIGNED:
            raise ValueRejected("PRESIGN_SECONDS", seconds=seconds, most=_LONGEST_PRESIGNED)
        request = self._request("GET", checked_path(path))
        signer, keys = self._exchange.signer, self._exchange.keys()
        at = datetime.now(UTC)
        return self._exchange.address(signer.presigned(request, keys, at, seconds=seconds))

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._exchange.close()

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        content: Content | None = None,
    ) -> Request:
        endpoint = self._exchange.endpoint
        # Without a path the request is about the bucket.
        key = self._address.prefix + path if path else ""
        where = endpoint.folder + key if key or endpoint.folder == "/" else endpoint.folder[:-1]
        headers = {"host": endpoint.authority}
        if content is not None:
            headers |= {"content-md5": content.md5, "content-type": "application/octet-stream"}
        return Request(method, where, query or {}, headers, content)

    def _good(
        self, request: Request, *, path: str | None = None, into: BinaryIO | None = None
    ) -> Answer:
        answer = self._exchange.send(request, into=into)
        if answer.good:
            return answer
        raise self._refused(refusal_of(answer), path)

    @contextmanager
    def _understanding(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, LookupError):
            reason = "its answer is not what a store says; is ENDPOINT right?"
            raise UserError("STORE_REFUSED", store=self._address.url, reason=reason) from None

    def _refused(self, refusal: Refusal, path: str | None) -> HeadwaterError:
        error = refused(refusal, store=self._address.url, path=path)
        error.replace_text(self._exchange.keys().masked)
        return error


def _file_info(path: str, answer: Answer) -> FileInfo:
    """What the headers of an object say."""
    return FileInfo(
        path,
        int(answer.headers.get("content-length", "0")),
        to_the_second(parsedate_to_datetime(answer.headers["last-modified"])),
        answer.headers.get("etag", "").strip('"'),
    )
