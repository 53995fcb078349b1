-- Step 1, preparation: a log of what visitors of a shop do, and an INSERT that is run each minute.
-- The events come from the sample data: headwater sample start

CREATE TABLE IF NOT EXISTS behavior_log (
    event_time TIMESTAMP, event_type STRING, product_id BIGINT, category_code STRING,
    brand STRING, price DECIMAL(10, 2), user_id BIGINT, user_session STRING
);

-- What has come since this was run last.
INSERT INTO behavior_log
SELECT event_time, event_type, product_id, category_code, brand, price, user_id, user_session
FROM headwater_sample_data.ecommerce_events_history.ecommerce_events_multicategorystore_live
WHERE event_time > (
    SELECT COALESCE(MAX(event_time), TIMESTAMP '1970-01-02 00:00:00') FROM behavior_log
);
