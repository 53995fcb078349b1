"""`headwater init`: a new lake, with the given settings and nothing else changed."""

from __future__ import annotations

import stat
import tomllib

import pytest

from headwater.cli.init import settings_text


def test_a_lake_is_made_and_the_next_step_named(run, tmp_path):
    done = run("init", tmp_path / "my lake")
    assert done.exit_code == 0
    assert {path.name for path in (tmp_path / "my lake").iterdir()} >= {
        "catalog.db",
        "headwater.toml",
    }
    assert done.stdout.splitlines()[0] == f"made a lake in {tmp_path / 'my lake'}"
    assert f"next: headwater shell --lake '{tmp_path / 'my lake'}'" in done.stdout
    shown = run("sql", "--lake", tmp_path / "my lake", "-o", "csv", "-e", "SHOW SCHEMAS")
    assert shown.stdout == "schema_name\npublic\n"


def test_settings_given_are_settings_set(run, tmp_path):
    url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    done = run("init", tmp_path / "lake", "--workspace", "sales", "--metadata-url", url)
    assert done.exit_code == 0
    file = tmp_path / "lake" / "headwater.toml"
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    assert content["lake"] == {"workspace": "sales"}
    assert content["metadata"] == {"url": url}
    assert content["spark"] == {"conf": {}}
    assert (tmp_path / "elsewhere.db").exists()
    assert not (tmp_path / "lake" / "catalog.db").exists()
    # an address may hold a password
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("value", ["plain", 'a"b', "back\\slash", r"\1", "ünder"])
def test_any_value_is_written_as_toml(value):
    content = tomllib.loads(settings_text({"workspace": value, "url": value}))
    assert (content["lake"]["workspace"], content["metadata"]["url"]) == (value, value)


def test_an_existing_lake_is_refused(run, lake):
    before = (lake / "headwater.toml").read_bytes()
    done = run("init", lake)
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "LAKE_ALREADY_EXISTS")
    assert (lake / "headwater.toml").read_bytes() == before


def test_a_folder_with_files_is_refused(run, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine", encoding="utf-8")
    done = run("init", tmp_path / "full")
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "FOLDER_NOT_EMPTY")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["note.txt"]


def test_a_file_is_refused(run, tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    done = run("init", tmp_path / "file")
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "NOT_A_LAKE")


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        (["--workspace", "a b"], "NAME_NOT_ALLOWED"),
        (["--metadata-url", "mysql://host/x"], "CATALOG_URL_UNSUPPORTED"),
        (["--metadata-url", "sqlite:////nonexistent/folder/x.db"], "CATALOG_"),
    ],
)
def test_a_failure_leaves_the_place_as_it_was(run, tmp_path, arguments, condition):
    done = run("init", tmp_path / "lake", *arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith(condition)
    assert not (tmp_path / "lake").exists()


def test_a_password_in_the_address_is_not_shown(run, tmp_path):
    url = "postgresql://ada:geheim123@127.0.0.1:1/lake?connect_timeout=1"
    done = run("init", tmp_path / "lake", "--metadata-url", url)
    assert done.exit_code == 1
    assert "geheim123" not in done.output
