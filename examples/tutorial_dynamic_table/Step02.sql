-- Step 2, transformation: the log, cleaned. `headwater run` refreshes it each minute.

CREATE DYNAMIC TABLE IF NOT EXISTS behavior_clean
REFRESH INTERVAL 1 MINUTE VCLUSTER DEFAULT
AS SELECT
    event_time,
    date_trunc('MINUTE', event_time) AS event_minute,
    event_type,
    product_id,
    COALESCE(split_part(category_code, '.', 1), 'other') AS category,
    COALESCE(brand, 'unknown') AS brand,
    price,
    user_id,
    user_session
FROM behavior_log
WHERE event_type IN ('view', 'add_to_cart', 'purchase') AND price > 0;
