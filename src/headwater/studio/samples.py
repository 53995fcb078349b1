"""The sample scripts: a tutorial of dynamic tables that runs on a lake with nothing in it.

They are texts of Studio's own; opening one makes nothing. Step 02 and 03 are dynamic tables with a
task that refreshes them, the others are scripts.
"""

from __future__ import annotations

from dataclasses import dataclass

FOLDER = "Tutorial_Working_With_Dynamic_Table"


@dataclass(frozen=True, slots=True)
class Sample:
    """One of them; `table` is the dynamic table that the text is the query of."""

    name: str
    text: str
    table: str | None = None
    minutes: int = 0
    """How often it is to run; 0 if it is run by hand."""


SAMPLES = (
    Sample(
        "Step01.Preparation",
        """-- The raw table, and some events of the last minute. Give it a schedule of 1 minute.
CREATE TABLE IF NOT EXISTS user_behavior_raw (
  user_id BIGINT, action STRING, page STRING, amount DOUBLE, event_time TIMESTAMP
);
INSERT INTO user_behavior_raw
SELECT
  id % 7 AS user_id,
  element_at(array('View', ' CLICK', 'purchase '), CAST(id % 3 + 1 AS INT)) AS action,
  concat('/page/', id % 4) AS page,
  CASE WHEN id % 3 = 2 THEN 10.5 * id END AS amount,
  current_timestamp() AS event_time
FROM range(12);
""",
        minutes=1,
    ),
    Sample(
        "Step02.Transformation_With_Dynamic_Table",
        """SELECT
  user_id,
  lower(trim(action)) AS action,
  page,
  coalesce(amount, 0) AS amount,
  event_time
FROM user_behavior_raw
WHERE user_id IS NOT NULL
""",
        table="user_behavior_clean",
        minutes=1,
    ),
    Sample(
        "Step03.Aggregation_With_Dynamic_Table",
        """SELECT
  action,
  page,
  count(*) AS events,
  sum(amount) AS amount,
  max(event_time) AS last_event_time
FROM user_behavior_clean
GROUP BY action, page
""",
        table="user_behavior_totals",
        minutes=1,
    ),
    Sample(
        "Step04.Check_Data_Freshness",
        """SELECT
  max(last_event_time) AS last_event_time,
  current_timestamp() AS checked_at,
  timestampdiff(SECOND, max(last_event_time), current_timestamp()) AS behind_seconds,
  sum(events) AS events
FROM user_behavior_totals;
SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'user_behavior_totals' LIMIT 5;
""",
    ),
)


def sample(name: str) -> Sample | None:
    """The one of that name."""
    return next((one for one in SAMPLES if one.name == name), None)
