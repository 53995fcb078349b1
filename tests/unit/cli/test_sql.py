"""`headwater sql`: where statements come from, where results go, how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def test_rows_are_printed_as_a_table(run, lake):
    done = run("sql", "--lake", lake, "-e", "SHOW SCHEMAS")
    assert done.stdout.splitlines() == [
        "+-------------+",
        "| schema_name |",
        "+-------------+",
        "| public      |",
        "+-------------+",
    ]
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_statement_without_rows_prints_its_message_in_a_table_only(run, lake):
    assert run("sql", "--lake", lake, "-e", "CREATE SCHEMA a").stdout == "schema a created\n"
    for name in ("json", "csv"):
        done = run("sql", "--lake", lake, "--format", name, "-e", f"CREATE SCHEMA {name}")
        assert (done.exit_code, done.output) == (0, "")


def test_json_is_one_array_per_statement_that_returns_rows(run, lake):
    script = "CREATE SCHEMA a; SHOW SCHEMAS; SHOW TABLES; SHOW SCHEMAS LIKE 'a'"
    done = run("sql", "--lake", lake, "--format", "json", "-e", script)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [{"schema_name": "a"}, {"schema_name": "public"}],
        [],
        [{"schema_name": "a"}],
    ]


def test_csv_has_a_header_and_a_blank_line_between_results(run, lake):
    done = run("sql", "--lake", lake, "-o", "csv", "-e", "SHOW SCHEMAS; SHOW SCHEMAS LIKE 'x'")
    assert done.stdout == "schema_name\npublic\n\nschema_name\n"


def test_expressions_run_in_order_in_one_session(run, lake):
    done = run(
        "sql", "--lake", lake, "-o", "csv", "-e", "CREATE SCHEMA a", "-e", "USE a", "-e", "SET"
    )
    assert done.exit_code == 0, done.stderr
    done = run("sql", "--lake", lake, "-e", "SHOW SCHEMAS; USE a; DROP SCHEMA a")
    assert "SCHEMA_IN_USE" in done.stderr


def test_a_file_is_run(run, lake, tmp_path):
    file = tmp_path / "script.sql"
    file.write_text("-- two\nCREATE SCHEMA ünder;\n", encoding="utf-8-sig")
    failed = run("sql", "--lake", lake, "-f", file)
    assert failed.exit_code == 1
    assert "NAME_NOT_ALLOWED" in failed.stderr
    file.write_text("CREATE SCHEMA one;\nSHOW SCHEMAS;", encoding="utf-8")
    assert "| one " in run("sql", "--lake", lake, "-f", file).stdout


@pytest.mark.parametrize("arguments", [(), ("-f", "-")])
def test_standard_input_is_run(run, lake, arguments):
    done = run("sql", "--lake", lake, *arguments, input="SHOW SCHEMAS;")
    assert "| public " in done.stdout


def test_nothing_to_run_is_no_error(run, lake):
    done = run("sql", "--lake", lake, input=" -- nothing\n;;")
    assert (done.exit_code, done.output) == (0, "")


def test_the_place_of_a_mistake_is_shown(run, lake):
    done = run("sql", "--lake", lake, "-e", "SHOW TABELS")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[1:3] == ["line 1: SHOW TABELS", "             ^^^^^^"]


def test_the_first_error_ends_the_run_and_says_which_statement_it_was(run, lake, tmp_path):
    file = tmp_path / "script.sql"
    file.write_text("CREATE SCHEMA a;\n\nSELEC 1;\nCREATE SCHEMA b;\n", encoding="utf-8")
    done = run("sql", "--lake", lake, "-f", file)
    assert done.exit_code == 1
    assert done.stdout == "schema a created\n"
    assert f"{file}: statement 2, at line 3, failed\n" in done.stderr
    assert "did you mean" in done.stderr
    schemas = run("sql", "--lake", lake, "-o", "csv", "-e", "SHOW SCHEMAS").stdout.split()
    assert schemas == ["schema_name", "a", "public"]


def test_an_open_quote_is_shown_before_anything_ran(run, lake):
    done = run("sql", "--lake", lake, "-e", "CREATE SCHEMA a;\nSELECT 'x")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[:3] == [
        "UNCLOSED_QUOTE: ' is opened here and never closed",
        "line 2: SELECT 'x",
        "               ^",
    ]
    assert "a" not in run("sql", "--lake", lake, "-o", "csv", "-e", "SHOW SCHEMAS").stdout.split()


def test_credentials_are_not_repeated_in_errors(run, lake):
    done = run("sql", "--lake", lake, "-e", "CREATE THING c ACCESS_KEY = 'geheim123'")
    assert done.exit_code == 1
    assert "geheim123" not in done.output


def test_timing_goes_to_standard_error(run, lake):
    done = run("sql", "--lake", lake, "--timing", "-e", "SHOW SCHEMAS; CREATE SCHEMA a")
    rows, message = done.stderr.splitlines()
    assert re.fullmatch(r"1 row in \d+\.\d{3} s", rows)
    assert re.fullmatch(r"done in \d+\.\d{3} s", message)


def test_a_missing_or_empty_folder_becomes_a_lake(run, tmp_path):
    done = run("sql", "--lake", tmp_path / "new", "-e", "SHOW SCHEMAS")
    assert done.exit_code == 0
    assert (tmp_path / "new" / "headwater.toml").exists()


def test_a_folder_with_other_files_is_refused(run, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine", encoding="utf-8")
    done = run("sql", "--lake", tmp_path / "full", "-e", "SHOW SCHEMAS")
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "NOT_A_LAKE")


def test_the_lake_may_come_from_the_environment_or_be_the_current_folder(run, lake, monkeypatch):
    lost = run("sql", "-e", "SHOW SCHEMAS")
    assert (lost.exit_code, lost.stderr.split(":")[0]) == (1, "LAKE_NOT_GIVEN")
    assert "hint: add --lake" in lost.stderr
    monkeypatch.setenv("HEADWATER_LAKE", str(lake))
    assert run("sql", "-e", "SHOW SCHEMAS").exit_code == 0
    monkeypatch.delenv("HEADWATER_LAKE")
    monkeypatch.chdir(lake)
    assert run("sql", "-e", "SHOW SCHEMAS").exit_code == 0


def test_files_that_cannot_be_read_make_clear_errors_and_no_lake(run, tmp_path):
    def error(file: Path) -> str:
        done = run("sql", "--lake", tmp_path / "new", "-f", file)
        assert done.exit_code == 1
        assert not (tmp_path / "new").exists()
        return done.stderr

    assert error(tmp_path / "none.sql").startswith("SCRIPT_NOT_FOUND: there is no file")
    assert error(tmp_path).startswith("SCRIPT_UNREADABLE")
    latin = tmp_path / "latin.sql"
    latin.write_bytes("SHOW SCHEMAS;\nSELECT 'é'".encode("latin-1"))
    assert "line 2 has the byte 0xe9" in error(latin)


def test_bytes_that_are_no_text_are_refused_in_arguments_too(run, lake):
    done = run("sql", "--lake", lake, "-e", "SELECT '\udce9'")
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "SCRIPT_NOT_UTF8")


@pytest.mark.parametrize(
    ("word", "said"),
    [("sqll", "No such command 'sqll'. Did you mean sql?"), ("xyz", "No such command 'xyz'.")],
)
def test_the_nearest_command_is_suggested(run, word, said):
    done = run(word)
    assert done.exit_code == 2
    assert done.stderr.strip().endswith(said)


def test_wrong_usage_has_its_own_exit_code(run, lake):
    assert run("sql", "--lake", lake, "--nonsense").exit_code == 2
    assert run("sql", "--lake", lake, "-e", "SET", "-f", "x.sql").exit_code == 2
    assert run("sql", "--lake", lake, "--format", "xml", "-e", "SET").exit_code == 2
    assert run("nonsense").exit_code == 2


@pytest.mark.servers
def test_a_terminal_without_statements_is_sent_to_the_shell(lake):
    controller, terminal = os.openpty()
    try:
        command = [sys.executable, "-m", "headwater.cli.main", "sql", "--lake", str(lake)]
        done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, timeout=60)
    finally:
        os.close(controller)
        os.close(terminal)
    assert done.returncode == 2
    assert "headwater shell" in done.stderr
