"""Only files that no commit names are removed."""

from __future__ import annotations

import os
import time

from headwater.lake.commits.leftovers import remove_files, remove_leftovers, vector_path
from headwater.lake.table_folders import LocalFolder

ID = "ab^-aqEH.-t@S}K{vb[*k^"
VECTOR_FILE = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"


def put(log, *names: str, age: float = 0) -> None:
    for name in names:
        path = log.folder / name
        path.parent.mkdir(exist_ok=True)
        for made in (path, path.with_name(f".{path.name}.crc")):
            made.touch()
            os.utime(made, (time.time() - age,) * 2)


def there(log) -> set[str]:
    return {
        str(path.relative_to(log.folder))
        for path in log.folder.rglob("*")
        if "_delta_log" not in path.parts
    }


def test_a_refused_write_takes_its_files_with_it(log):
    log.create()
    put(log, "part-1", "p=a b/part-2", VECTOR_FILE, "part-3")
    remove_files(LocalFolder(log.folder), ["part-1", "p=a%20b/part-2", VECTOR_FILE], after=0)
    assert there(log) == {"part-3", ".part-3.crc"}


def test_a_write_that_fails_behind_its_commit_keeps_them(log):
    log.create()
    vector = {**log.vector(ID, 1), "storageType": "u"}
    log.commit(log.add("part-1"), log.add("part-0", 3, vector=vector))
    put(log, "part-1", VECTOR_FILE)
    before = there(log)
    remove_files(LocalFolder(log.folder), ["part-1", VECTOR_FILE], after=0)
    assert there(log) == before


def test_what_a_failed_job_began_goes(log):
    log.create(log.add("part-0"))
    put(log, "part-0", "_change_data/cdc-0", age=60)
    before = there(log)
    since = time.time() - 1
    put(log, "part-1", "p=1/part-2", VECTOR_FILE, "_change_data/cdc-1")
    put(log, "notes.txt")
    remove_leftovers(LocalFolder(log.folder), since=since, after=0)
    assert there(log) == before | {"notes.txt", ".notes.txt.crc"}


def test_files_that_may_be_another_writer_s_stay(log):
    log.create()
    log.commit(log.add("part-1"))
    put(log, "part-1", "part-2")
    remove_leftovers(LocalFolder(log.folder), since=0, after=0)
    assert {"part-1", "part-2"} < there(log)


def test_a_vector_in_the_log_has_no_file():
    assert vector_path({"storageType": "i", "pathOrInlineDv": "abc"}) is None
    assert vector_path({"storageType": "u", "pathOrInlineDv": ID}) == VECTOR_FILE
    assert vector_path({"storageType": "u", "pathOrInlineDv": ID[2:]}) == VECTOR_FILE[3:]
