-- Step 3, aggregation: what was looked at and sold, by category. It reads the table of step 2.

CREATE DYNAMIC TABLE IF NOT EXISTS behavior_by_category
REFRESH INTERVAL 1 MINUTE VCLUSTER DEFAULT
AS SELECT
    category,
    COUNT(*) AS events,
    COUNT(DISTINCT user_id) AS visitors,
    SUM(CASE WHEN event_type = 'purchase' THEN 1 ELSE 0 END) AS purchases,
    SUM(CASE WHEN event_type = 'purchase' THEN price ELSE 0 END) AS revenue,
    MAX(event_time) AS last_event_time
FROM behavior_clean
GROUP BY category;
