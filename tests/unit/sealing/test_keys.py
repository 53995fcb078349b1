"""Where the keys come from, who may read them, and how they are changed."""

from __future__ import annotations

import base64
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headwater.errors import UserError
from headwater.sealing.keys import KeySource

ONE, TWO = b"1" * 32, b"2" * 32
IN_BASE64 = base64.b64encode(ONE).decode()


def key_file(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_lake_gets_a_key_when_it_first_needs_one(tmp_path: Path) -> None:
    source = KeySource(tmp_path, {})
    with pytest.raises(UserError, match="SECRET_KEY_FILE_MISSING"):
        source.load()
    assert list(tmp_path.iterdir()) == []
    ring = source.load_or_create()
    assert source.load_or_create() == source.load() == ring
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_the_umask_does_not_expose_the_key(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        KeySource(tmp_path, {}).load_or_create()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_many_at_once_make_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: KeySource(tmp_path, {}).load_or_create(), range(40)))
    assert len(set(rings)) == 1


@pytest.mark.parametrize("text", [IN_BASE64, ONE.hex(), ONE.hex().upper(), f"  {IN_BASE64}\n"])
def test_a_variable_comes_first_in_base64_or_hexadecimal(tmp_path: Path, text: str) -> None:
    KeySource(tmp_path, {}).load_or_create()
    other = key_file(tmp_path / "other", TWO.hex())
    environment = {"HEADWATER_SECRET_KEY": text, "HEADWATER_SECRET_KEY_FILE": str(other)}
    assert KeySource(tmp_path, environment).load().newest.content == ONE
    del environment["HEADWATER_SECRET_KEY"]
    assert KeySource(tmp_path, environment).load().newest.content == TWO


def test_a_supplied_key_means_no_file_in_the_lake(tmp_path: Path) -> None:
    KeySource(tmp_path, {"HEADWATER_SECRET_KEY": IN_BASE64}).load_or_create()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "   ", "x", IN_BASE64[:-4], ONE.hex() + "00", "ünï", "=" * 44]
)
def test_what_is_no_key_is_refused_and_not_shown(tmp_path: Path, text: str) -> None:
    source = KeySource(tmp_path, {})
    key_file(tmp_path / "secret.key", text)
    with pytest.raises(UserError, match="SECRET_KEY_MALFORMED") as caught:
        source.load()
    assert len(text.strip()) < 2 or text not in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_file_others_can_use_is_refused_with_the_command(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path / "secret.key", IN_BASE64, mode)
    with pytest.raises(UserError, match=f"chmod 600 {path}") as caught:
        KeySource(tmp_path, {}).load()
    assert caught.value.condition == "SECRET_KEY_FILE_EXPOSED"


def test_a_named_file_that_is_missing_is_not_made(tmp_path: Path) -> None:
    source = KeySource(tmp_path, {"HEADWATER_SECRET_KEY_FILE": str(tmp_path / "mine")})
    with pytest.raises(UserError, match="mine"):
        source.load_or_create()
    assert list(tmp_path.iterdir()) == []


def test_a_new_key_goes_in_front_and_old_ones_stay(tmp_path: Path) -> None:
    source = KeySource(tmp_path, {})
    first = source.load_or_create()
    second = source.add_key()
    assert second.keys[1:] == first.keys
    assert second.newest != first.newest
    assert source.load() == second
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert source.keep_newest().keys == (second.newest,)


def test_a_lake_without_a_key_gets_one_by_adding(tmp_path: Path) -> None:
    assert len(KeySource(tmp_path, {}).add_key().keys) == 1


def test_keys_that_are_supplied_are_changed_where_they_are(tmp_path: Path) -> None:
    source = KeySource(tmp_path, {"HEADWATER_SECRET_KEY": f"{TWO.hex()} {IN_BASE64}"})
    assert [key.content for key in source.load().keys] == [TWO, ONE]
    for change in (source.add_key, source.keep_newest):
        with pytest.raises(UserError, match="HEADWATER_SECRET_KEY"):
            change()


def test_keys_are_not_shown(tmp_path: Path) -> None:
    environment = {"HEADWATER_SECRET_KEY": IN_BASE64}
    source = KeySource(tmp_path, environment)
    shown = repr(source) + repr(source.load()) + source.load().newest.id
    assert IN_BASE64 not in shown
    assert "111111" not in shown
    assert ONE.hex() not in shown
