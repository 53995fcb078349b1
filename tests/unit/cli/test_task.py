"""`headwater task`: commands that are statements, and tasks as files."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run

LOAD = """-- ---
-- SCHEDULE (EVERY 5 MINUTES)
-- COMMENT 'first'
-- ---
CREATE SCHEMA IF NOT EXISTS made;
SHOW TABLES;
"""
SUMS = """-- ---
-- SCHEDULE (DAILY AT '02:30' TIME ZONE 'UTC')
-- AFTER etl.load
-- RETRY 2 TIMES EVERY 1 MINUTE
-- ---
SHOW SCHEMAS
"""
SCRIPT = """# ---
# SCHEDULE (EVERY 1 HOUR AT ':10')
# PARAMETERS ('x' = '1')
# ---
print("${x}")
"""


def files(folder: Path) -> Path:
    (folder / "etl").mkdir(parents=True)
    (folder / "etl" / "load.sql").write_text(LOAD)
    (folder / "etl" / "a_sums.sql").write_text(SUMS)
    (folder / "script.py").write_text(SCRIPT)
    return folder


def test_apply_shows_the_difference_and_then_does_it_once(
    run: Run, lake: Path, tmp_path: Path
) -> None:
    folder = files(tmp_path / "tasks")
    shown = run("task", "apply", folder, "--lake", lake, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert "create task etl.load" in shown.output
    assert "+ SHOW TABLES" in shown.output
    assert run("task", "list", "--lake", lake, "-o", "csv").output.count("\n") == 1
    done = run("task", "apply", folder, "--lake", lake)
    assert done.exit_code == 0, done.output
    assert "task etl.a_sums submitted as version 1" in done.output
    assert run("task", "apply", folder, "--lake", lake).output == "nothing to change\n"


def test_a_changed_file_is_a_new_version_and_a_lost_one_goes_only_with_prune(
    run: Run, lake: Path, tmp_path: Path
) -> None:
    folder = files(tmp_path / "tasks")
    run("task", "apply", folder, "--lake", lake)
    (folder / "etl" / "load.sql").write_text(LOAD.replace("first", "second"))
    (folder / "etl" / "a_sums.sql").unlink()
    changed = run("task", "apply", folder, "--lake", lake)
    assert "  - COMMENT 'first'\n  + COMMENT 'second'" in changed.output
    assert "no file for etl.a_sums; --prune drops them" in changed.output
    assert "submitted as version 2" in changed.output
    pruned = run("task", "apply", folder, "--lake", lake, "--prune")
    assert pruned.exit_code == 0, pruned.output
    assert "task etl.a_sums dropped" in pruned.output


def test_what_is_exported_is_what_was_applied(run: Run, lake: Path, tmp_path: Path) -> None:
    run("task", "apply", files(tmp_path / "tasks"), "--lake", lake)
    out = tmp_path / "out"
    assert run("task", "export", out, "--lake", lake).output == f"3 tasks written to {out}\n"
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*.*")) == [
        "default/script.py",
        "etl/a_sums.sql",
        "etl/load.sql",
    ]
    assert run("task", "apply", out, "--lake", lake).output == "nothing to change\n"


def test_a_file_that_cannot_be_read_is_named(run: Run, lake: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "bad.sql").write_text("SHOW TABLES")
    failed = run("task", "apply", folder, "--lake", lake)
    assert failed.exit_code == 1
    assert "TASK_FILE: bad.sql: there are no clauses" in failed.stderr
    (folder / "bad.sql").write_text("-- ---\n-- SCHEDULE (EVERY 99 MINUTES)\n-- ---\nSHOW TABLES")
    assert "TASK_CYCLE" in run("task", "apply", folder, "--lake", lake).stderr
    assert "TASK_FOLDER_NOT_FOUND" in run("task", "apply", tmp_path / "x", "--lake", lake).stderr


def test_the_commands_of_a_task(run: Run, lake: Path, tmp_path: Path) -> None:
    run("task", "apply", files(tmp_path / "tasks"), "--lake", lake)
    ran = run("task", "run", "etl.load", "--wait", "--lake", lake)
    assert ran.exit_code == 0, ran.output
    assert "schema made created" in ran.output
    assert "SUCCEEDED" in run("task", "instances", "etl.load", "--lake", lake).output
    assert "COMMENT" not in run("task", "show", "etl.load", "--lake", lake, "-o", "csv").stderr
    filled = run("task", "backfill", "etl.a_sums", "2026-01-01", "2026-01-02", "--lake", lake)
    assert "2 instances to run" in filled.output
    refused = run("task", "offline", "etl.load", "--lake", lake)
    assert "TASK_HAS_DOWNSTREAM" in refused.stderr
    for change in ("pause", "resume", "offline"):
        done = run("task", change, "etl.load", "--with-downstream", "--lake", lake)
        assert "and 1 task after it" in done.output
    listed = run("task", "instances", "script", "--lake", lake, "-o", "csv")
    assert listed.exit_code == 0


def test_a_run_that_fails_is_an_exit_code(run: Run, lake: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "bad.py").write_text(SCRIPT.replace('print("${x}")', "raise SystemExit(4)"))
    run("task", "apply", folder, "--lake", lake)
    failed = run("task", "run", "bad", "--wait", "--lake", lake)
    assert failed.exit_code == 1
    assert "TASK_SCRIPT_FAILED: the script ended with exit code 4" in failed.stderr
