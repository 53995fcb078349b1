"""The story of `headwater demo`, without running it."""

from __future__ import annotations

import re
from datetime import datetime

from headwater.cli.demo import RUN_PIPES, Step, _filled, _version_times, story
from headwater.result import Column, Result
from headwater.sql.parse import parse


def test_every_statement_is_ours_and_has_a_heading():
    for step in story():
        if step.text != RUN_PIPES:
            parse(step.text)
        assert step.heading.endswith("."), step
        assert "rows:" not in step.heading


def test_the_story_shows_what_it_promises():
    text = "\n".join(step.text for step in story())
    words = "CREATE UPDATE DELETE HISTORY TIMESTAMP RESTORE JOBS EXPLAIN VERIFY INTERVAL".split()
    words += "COPY DIRECTORY USING PURGE LOAD_HISTORY PIPE STREAM DYNAMIC".split()
    assert [word for word in words if word.lower() not in text.lower()] == []
    assert set(re.findall(r"\{\{.*?\}\}", text)) == {"{{version_5_time}}"}


def test_pipes_run_after_files_were_dropped_in():
    texts = [step.text.partition(" SUBDIRECTORY")[0] for step in story()]
    drop = "COPY INTO VOLUME inbox"
    story_of_files = [text for text in texts if text in (RUN_PIPES, drop)]
    assert story_of_files == [drop, RUN_PIPES, drop, drop, RUN_PIPES]


def test_expected_rows_stand_above_a_statement():
    steps = {step.text: step for step in story()}
    text = "SELECT * FROM sales_changes"
    assert steps[text] == Step("So nothing is left.", text, 0)


def test_times_of_versions_are_filled_in():
    columns = [Column("version", "bigint"), Column("time", "timestamp")]
    history = Result.from_rows(columns, [(3, datetime(2026, 6, 1, 12, 0, 0, 500_000))])
    times = _version_times(history)
    assert _filled("AS OF '{{version_3_time}}'", times) == "AS OF '2026-06-01 12:00:00.500'"
    assert _version_times(Result(message="done")) == {}


def test_a_folder_in_use_is_not_touched(run, lake):
    done = run("demo", "--lake", lake)
    assert (done.exit_code, done.stderr.split(":")[0]) == (1, "FOLDER_NOT_EMPTY")
