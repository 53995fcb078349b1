"""Finding Java, against fake runtimes in a temporary folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.errors import UserError
from headwater.lake import java
from headwater.lake.java import find_java, major_version


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nothing is found unless the test puts it there."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "USUAL_HOMES", (str(tmp_path / "usual" / "*"),))


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def home_with_release(home: Path, version: str) -> Path:
    # Exits with an error, so that a test passes only if the release file was enough.
    script(home / "bin" / "java", "exit 1")
    (home / "release").write_text(
        f'IMPLEMENTOR="Debian"\nJAVA_VERSION="{version}"\nLIBC="gnu"\n', encoding="utf-8"
    )
    return home


def home_without_release(home: Path, version: str) -> Path:
    script(home / "bin" / "java", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")
    return home


@pytest.mark.parametrize(
    ("text", "major"),
    [("17.0.15", 17), ("1.8.0_392", 8), ("21-ea", 21), ("25", 25), ("9", 9), ("x", None)],
)
def test_major_version_of_a_version_text(text: str, major: int | None) -> None:
    assert major_version(text) == major


def test_java_home_is_read_from_its_release_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = home_with_release(tmp_path / "jdk", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(home))
    found = find_java()
    assert (found.path, found.major, found.home) == (home / "bin" / "java", 17, home)


def test_a_runtime_without_release_file_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = home_without_release(tmp_path / "jdk", "21.0.2")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java().major == 21


def test_java_home_comes_before_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = home_with_release(tmp_path / "a", "21.0.2")
    other = home_with_release(tmp_path / "b", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(other / "bin"))
    assert find_java().home == home


def test_a_link_on_the_path_is_followed_to_its_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = home_with_release(tmp_path / "jvm" / "java-17", "17.0.15")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_java().home == home


def test_the_binary_behind_a_version_managers_script_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = home_without_release(tmp_path / "jdk", "17.0.15")
    lines = [f"echo '    java.home = {home}' >&2", "echo 'openjdk version \"17.0.15\"' >&2"]
    shim = script(tmp_path / "shims" / "java", "\n".join(lines))
    monkeypatch.setenv("PATH", str(shim.parent))
    assert find_java().home == home


def test_the_usual_places_are_searched_last(tmp_path: Path) -> None:
    home = home_with_release(tmp_path / "usual" / "java-17-openjdk-amd64", "17.0.15")
    assert find_java().home == home


def test_an_unsuitable_runtime_is_passed_over_for_a_suitable_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(home_with_release(tmp_path / "old", "11.0.20")))
    home = home_with_release(tmp_path / "usual" / "java-21", "21.0.2")
    assert find_java().home == home


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.20", "19.0.1"])
def test_only_an_unsuitable_runtime_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    home = home_with_release(tmp_path / "old", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    with pytest.raises(UserError) as caught:
        find_java()
    assert caught.value.condition == "JAVA_TOO_OLD"
    assert str(home / "bin" / "java") in caught.value.message


def test_no_runtime_is_an_error_that_says_how_to_install_one() -> None:
    with pytest.raises(UserError) as caught:
        find_java()
    assert caught.value.condition == "JAVA_NOT_FOUND"
    assert "openjdk-17-jre-headless" in str(caught.value.hint)


@pytest.mark.parametrize("body", ["exit 1", "echo nonsense", "echo 'version \"17\"'; exit 3"])
def test_a_java_that_does_not_work_does_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str
) -> None:
    monkeypatch.setenv("PATH", str(script(tmp_path / "bin" / "java", body).parent))
    with pytest.raises(UserError, match="JAVA_NOT_FOUND"):
        find_java()
