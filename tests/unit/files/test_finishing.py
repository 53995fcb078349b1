"""Files of an export: what OVERWRITE deletes before they get their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.seaweedfs import SeaweedServer
from tests.unit.files.conftest import opened_volume, s3_place

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


def test_an_export_through_a_link_out_of_the_folder_is_refused_before_anything_is_written(
    lake: headwater.Connection, tmp_path: Path
) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    lake.sql(
        "CREATE STORAGE CONNECTION c TYPE FILE;"
        f"CREATE EXTERNAL VOLUME v LOCATION 'file://{inside}/' USING CONNECTION c"
    )
    for folder in ("link", "link/deep"):
        with pytest.raises(headwater.UserError, match=r"NOT_A_FILE.*a symbolic link"):
            lake.sql(f"COPY INTO VOLUME v SUBDIRECTORY '{folder}' FROM TABLE nowhere")
    assert list(outside.iterdir()) == []


def test_an_export_to_a_bucket_that_is_not_there_ends_before_its_query_runs(
    lake: headwater.Connection, seaweedfs: SeaweedServer
) -> None:
    place = s3_place(seaweedfs, bucket="nobody-made-this")
    lake.sql(
        f"CREATE STORAGE CONNECTION c {place.connection};"
        f"CREATE EXTERNAL VOLUME v LOCATION '{place.location}' USING CONNECTION c"
    )
    with pytest.raises(headwater.UserError, match="BUCKET_NOT_FOUND"):
        lake.sql("COPY INTO VOLUME v SUBDIRECTORY '/' FROM TABLE nowhere")
