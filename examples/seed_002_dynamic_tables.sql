-- Dynamic tables: the rows of a query, kept current by working out what changed.

-- First: how many events of each type there are, in a data set that grows.
-- $ headwater sample start
CREATE DYNAMIC TABLE event_type_count REFRESH interval 1 minute vcluster default
as SELECT event_type, COUNT(*) AS events_count
FROM clickzetta_sample_data.ecommerce_events_history.ecommerce_events_multicategorystore_live
GROUP BY event_type;

-- Initialize DYNAMIC TABLE data
REFRESH DYNAMIC TABLE event_type_count;
SELECT * FROM event_type_count ORDER BY event_type;

-- The data set goes on. While `headwater run` is at work it does so by itself.
-- $ headwater sample step --events 20
-- What the next refresh will do: 20 rows are read, and a few rows of the table change.
EXPLAIN REFRESH DYNAMIC TABLE event_type_count;
REFRESH DYNAMIC TABLE event_type_count;

-- View data after incremental refresh completes
SELECT * FROM event_type_count ORDER BY event_type;
SELECT state, refresh_mode, stats
FROM (SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='event_type_count') ORDER BY start_time;
VERIFY DYNAMIC TABLE event_type_count;

-- Second: a dynamic table over a dynamic table.
CREATE TABLE event_tb (event STRING, process DOUBLE, event_time TIMESTAMP);
INSERT INTO event_tb VALUES
    ('event-0', 20.0, TIMESTAMP '2023-09-20 14:43:13'),
    ('event-0', 20.0, TIMESTAMP '2023-09-19 11:40:13'),
    ('event-1', 21.0, TIMESTAMP '2023-09-19 14:30:14'),
    ('event-1', 22.0, TIMESTAMP '2023-09-20 14:20:15');

CREATE dynamic TABLE IF NOT EXISTS event_gettime AS
SELECT event, process,
    YEAR(event_time) event_year, MONTH(event_time) event_month, DAY(event_time) event_day,
    hour(event_time) event_hour, minute(event_time) event_minute
FROM event_tb;
REFRESH dynamic TABLE event_gettime;

CREATE dynamic TABLE IF NOT EXISTS event_group_minute AS
SELECT event, event_hour, event_minute, SUM(process) process_sum
FROM event_gettime GROUP BY event, event_hour, event_minute;
refresh dynamic table event_group_minute;

-- Manually insert data
INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13');

-- What comes first in the flow is refreshed first.
REFRESH DYNAMIC TABLE event_gettime;
REFRESH DYNAMIC TABLE event_group_minute;

-- Check whether event_gettime is incrementally refreshed and how many rows were refreshed
SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='event_gettime';
SELECT name, refresh_mode, stats
FROM (SHOW DYNAMIC TABLE REFRESH HISTORY event_group_minute) ORDER BY start_time;
SELECT * FROM event_group_minute ORDER BY event, event_hour, event_minute;

-- The proof: the query worked out anew at the versions of the last refresh, and compared.
VERIFY DYNAMIC TABLE event_gettime;
VERIFY DYNAMIC TABLE event_group_minute;
