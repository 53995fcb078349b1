"""Files of an export: what OVERWRITE deletes before they get their names."""

from __future__ import annotations

from tests.unit.files.conftest import opened_volume

import headwater
from headwater.files.finishing import empty_folder, staging_folder


def test_overwriting_spares_what_exports_write_at_the_same_time(
    volume: headwater.Connection,
) -> None:
    opened = opened_volume(volume)
    staged = [f"{staging_folder(folder, 'j')}part-0" for folder in ("out/", "out/deep/")]
    for path in ("kept.csv", "out/a.csv", "out/deep/b.csv", "out/_temporary/c", *staged):
        opened.store.write(path, b"x")
    empty_folder(opened, "out/")
    left = [file.path for page in opened.store.list() for file in page]
    assert sorted(left) == sorted(["kept.csv", *staged])
