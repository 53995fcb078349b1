-- Step 4: how fresh the data is, layer by layer, and what the last refreshes did.

SELECT 'behavior_log' AS layer, MAX(event_time) AS newest FROM behavior_log
UNION ALL
SELECT 'behavior_clean', MAX(event_time) FROM behavior_clean
UNION ALL
SELECT 'behavior_by_category', MAX(last_event_time) FROM behavior_by_category;

SELECT * FROM behavior_by_category ORDER BY category;

SELECT name, state, refresh_mode, stats, duration
FROM (SHOW DYNAMIC TABLE REFRESH HISTORY)
WHERE name LIKE 'behavior%' ORDER BY start_time;
