"""The example of two tasks over dynamic tables, the second after the first, on Spark."""

from __future__ import annotations

from datetime import timedelta

import pytest

import headwater
from headwater.run_tasks import TaskRunner
from headwater.runtime.clock import now
from headwater.tasks.loop import TaskLoop

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

EXAMPLE = """
CREATE TABLE event_tb (event STRING, process DOUBLE, event_time TIMESTAMP);
INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13');
CREATE DYNAMIC TABLE event_gettime AS
SELECT event, process, date_trunc('HOUR', event_time) AS event_hour FROM event_tb;
CREATE DYNAMIC TABLE event_group AS
SELECT event, event_hour, sum(process) AS process FROM event_gettime GROUP BY event, event_hour;
CREATE TASK dy.`1. time processing dy` SCHEDULE (EVERY 1 MINUTE)
AS REFRESH DYNAMIC TABLE event_gettime;
CREATE TASK dy.`2. aggregate dy` SCHEDULE (EVERY 1 MINUTE)
AFTER dy.`1. time processing dy` AS REFRESH DYNAMIC TABLE event_group;
SUBMIT TASK dy.`1. time processing dy`, dy.`2. aggregate dy`;
INSERT INTO event_tb VALUES ('event-0', 22.0, TIMESTAMP '2024-01-20 14:50:00')
"""


def test_the_second_task_sees_what_the_first_one_refreshed(lake: headwater.Connection) -> None:
    lake.sql(EXAMPLE)
    at = now() + timedelta(minutes=1)
    loop = TaskLoop(lake.session.lake, TaskRunner(lake.session.lake).run, clock=lambda: at)
    assert loop.run_until_idle() == 2
    assert lake.sql("SELECT event, process FROM event_group").rows == [("event-0", 42.0)]
    ended = lake.sql("SHOW TASK INSTANCES").rows
    assert {row[4] for row in ended} == {"SUCCEEDED"}
    assert len({row[3] for row in ended}) == 1
    jobs = lake.sql("SHOW JOBS WHERE query_tag LIKE 'task.%.dy.2. aggregate dy'")
    assert jobs.rowcount == 1
