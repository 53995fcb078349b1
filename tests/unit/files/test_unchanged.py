"""Whether files are what they were: few questions, however many files lie beside them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from headwater.files.unchanged import etags
from headwater.storage.store import FileInfo, Page

MOMENT = datetime(2026, 11, 18, tzinfo=UTC)


class CountingStore:
    """A folder of files; counts what it is asked."""

    def __init__(self, paths: list[str], *, page: int = 1000) -> None:
        self.files = {path: FileInfo(path, 1, MOMENT, f"etag of {path}") for path in paths}
        self.page = page
        self.pages = 0
        self.heads = 0

    def list(
        self, folder: str = "", *, recursive: bool = True, start_after: str | None = None
    ) -> Iterator[Page]:
        behind = [path for path in sorted(self.files) if path > (start_after or "")]
        for start in range(0, len(behind), self.page):
            self.pages += 1
            yield [self.files[path] for path in behind[start : start + self.page]]

    def head(self, path: str) -> FileInfo | None:
        self.heads += 1
        return self.files.get(path)


def expected(paths: list[str]) -> dict[str, str]:
    return {path: f"etag of {path}" for path in paths}


def test_few_files_are_asked_for_one_by_one() -> None:
    store = CountingStore([f"in/{number:06}" for number in range(5000)])
    wanted = ["in/000007", "in/004000"]
    assert etags(store, wanted) == expected(wanted)  # type: ignore[arg-type]
    assert (store.pages, store.heads) == (0, 2)


def test_many_neighbours_are_listed_from_the_first_to_the_last_of_them() -> None:
    store = CountingStore([f"in/{number:06}" for number in range(50_000)])
    wanted = [f"in/{number:06}" for number in range(30_000, 32_000)]
    assert etags(store, wanted) == expected(wanted)  # type: ignore[arg-type]
    assert (store.pages, store.heads) == (2, 1)


def test_files_scattered_over_very_many_do_not_list_them_all() -> None:
    store = CountingStore([f"in/{number:06}" for number in range(200_000)])
    wanted = [f"in/{number:06}" for number in range(0, 200_000, 200)]
    assert etags(store, wanted) == expected(wanted)  # type: ignore[arg-type]
    assert store.pages <= 21
    assert store.heads <= 1000


@pytest.mark.parametrize("gone", ["in/000000", "in/000150", "in/000299"])
def test_what_a_listing_does_not_show_is_asked_for(gone: str) -> None:
    paths = [f"in/{number:06}" for number in range(300)]
    store = CountingStore([path for path in paths if path != gone])
    assert etags(store, paths) == expected([p for p in paths if p != gone])  # type: ignore[arg-type]
