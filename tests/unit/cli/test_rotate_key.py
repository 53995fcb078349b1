"""`headwater rotate-key`: every secret is sealed anew and still opens, the old key is gone."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

import headwater
from headwater.files.connections import store_connection

KEYS = "ACCESS_KEY = 'an-id' SECRET_KEY = 'a-secret' REGION = 'us-east-1'"


@pytest.fixture
def sealed(lake: Path) -> Path:
    """A lake with two connections that have secrets and one that has none."""
    with headwater.connect(lake) as connection:
        connection.sql(f"CREATE STORAGE CONNECTION one TYPE S3 {KEYS}")
        connection.sql(f"CREATE STORAGE CONNECTION two TYPE S3 {KEYS}")
        connection.sql("CREATE STORAGE CONNECTION here TYPE FILE")
    return lake


def kept(lake: Path) -> dict[str, str]:
    """The sealed secrets, by connection; each of them opens."""
    with headwater.connect(lake) as connection:
        opened = connection.session.lake
        found = opened.store.connections.list("headwater")
        for each in found:
            keys = store_connection(opened, each).keys
            assert (keys.secret_key if keys else None) == ("a-secret" if each.sealed else None)
        return {each.name: each.sealed["secret_key"] for each in found if each.sealed}


def new_key() -> str:
    import os

    return base64.b64encode(os.urandom(32)).decode()


def test_the_secrets_are_sealed_with_a_new_key(run, sealed):
    before, old = kept(sealed), (sealed / "secret.key").read_text()
    done = run("rotate-key", "--lake", sealed)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("secrets of 2 connections sealed with a new key\n")
    assert f"{sealed}/secret.key; the old keys are gone" in done.stdout
    after, new = kept(sealed), (sealed / "secret.key").read_text()
    assert before.keys() == after.keys() == {"one", "two"}
    assert not set(before.values()) & set(after.values())
    assert len(new.split()) == 1
    assert new != old
    assert (sealed / "secret.key").stat().st_mode & 0o777 == 0o600


def test_it_can_be_done_again_after_it_was_cut_off(run, sealed, monkeypatch):
    from headwater.sealing.keys import KeySource

    def killed(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(KeySource, "keep_newest", killed)
        assert run("rotate-key", "--lake", sealed).exit_code == 130
    assert len((sealed / "secret.key").read_text().split()) == 2
    assert kept(sealed).keys() == {"one", "two"}
    assert run("rotate-key", "--lake", sealed).exit_code == 0
    assert len((sealed / "secret.key").read_text().split()) == 1
    assert kept(sealed).keys() == {"one", "two"}


def test_a_key_from_the_environment_is_changed_there(run, lake, monkeypatch):
    old, new = new_key(), new_key()
    monkeypatch.setenv("HEADWATER_SECRET_KEY", old)
    with headwater.connect(lake) as connection:
        connection.sql(f"CREATE STORAGE CONNECTION one TYPE S3 {KEYS}")
    refused = run("rotate-key", "--lake", lake)
    assert refused.stderr.startswith("SECRET_KEY_NOT_OURS")
    assert refused.exit_code == 1
    monkeypatch.setenv("HEADWATER_SECRET_KEY", f"{new} {old}")
    done = run("rotate-key", "--lake", lake)
    assert "of HEADWATER_SECRET_KEY; remove the old keys there" in done.stdout
    monkeypatch.setenv("HEADWATER_SECRET_KEY", new)
    assert kept(lake).keys() == {"one"}
    assert not (lake / "secret.key").exists()


def test_a_folder_that_is_no_lake_is_left_alone(run, tmp_path):
    done = run("rotate-key", "--lake", tmp_path / "nothing")
    assert done.stderr.startswith("LAKE_NOT_FOUND")
    assert not (tmp_path / "nothing").exists()


def test_the_statements_of_pipes_are_sealed_anew_too(run, sealed):
    from tests.unit.pipes.fake_spark import table_of

    from headwater.pipes.open_pipe import body_text

    def body():
        with headwater.connect(sealed) as connection:
            lake = connection.session.lake
            pipe = lake.store.pipes.get("headwater", "public", "k")
            assert "map('kafka.sasl.password', 'a-secret')" in body_text(lake, pipe)
            return pipe

    with headwater.connect(sealed) as connection:
        table_of(connection.session.lake)
        connection.sql(
            "CREATE PIPE k VIRTUAL_CLUSTER = 'default' AS COPY INTO t FROM (SELECT CAST(value AS"
            " STRING) AS line FROM READ_KAFKA('here:9092', 'orders', '', 'g', '', '', '', '',"
            " 'raw', 'raw', 0, map('kafka.sasl.password', 'a-secret')))"
        )
    before = body()
    done = run("rotate-key", "--lake", sealed)
    assert done.stdout.startswith("secrets of 2 connections and 1 pipe sealed with a new key\n")
    after = body()
    assert after.sealed_body != before.sealed_body
    assert after.modified_at == before.modified_at
    assert kept(sealed).keys() == {"one", "two"}
