-- A pipe over files from its making to its end. The parameter is :location, such as
-- 's3://my-bucket/orders_incoming/'. A line that starts with $ is for a terminal;
-- examples/run.py runs the pipes there.

-- Step 2: a volume, in a folder below the bucket.
CREATE EXTERNAL VOLUME orders_pipe_vol
    LOCATION :location
    USING CONNECTION my_conn
    DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE)
    RECURSIVE = TRUE;

-- Step 3: the table.
CREATE TABLE IF NOT EXISTS orders (
    order_id INT,
    amount   DECIMAL(10, 2),
    status   STRING
);

-- Step 4: the pipe. It looks for new files every 30 seconds while `headwater run` is at work.
CREATE PIPE orders_oss_pipe
    VIRTUAL_CLUSTER = 'default'
    INGEST_MODE = 'LIST_PURGE'
AS COPY INTO orders FROM VOLUME orders_pipe_vol
    (order_id INT, amount DECIMAL(10, 2), status STRING)
    USING CSV OPTIONS('header' = 'true') PURGE = TRUE;

-- Two files arrive.
COPY INTO VOLUME orders_pipe_vol SUBDIRECTORY 'monday/'
    FROM (SELECT * FROM VALUES (1, 40.00, 'paid'), (2, 250.00, 'open') AS t(order_id, amount, status))
    FILE_FORMAT = (TYPE = CSV header = true);

COPY INTO VOLUME orders_pipe_vol SUBDIRECTORY 'tuesday/'
    FROM (SELECT * FROM VALUES (3, 19.90, 'paid') AS t(order_id, amount, status))
    FILE_FORMAT = (TYPE = CSV header = true);

-- $ headwater run --until-idle

SELECT * FROM orders ORDER BY order_id;

-- Which files came in, each once.
SELECT * FROM load_history('orders');

-- Monitoring.
SHOW PIPES;

DESC PIPE orders_oss_pipe;

SELECT status, query_tag, rows_inserted
FROM information_schema.job_history
WHERE query_tag LIKE 'pipe.%.public.orders_oss_pipe';

-- Management: look at once, stop, go on, end. What was loaded stays.
ALTER PIPE orders_oss_pipe REFRESH;

ALTER PIPE orders_oss_pipe SET PIPE_EXECUTION_PAUSED = TRUE;

ALTER PIPE orders_oss_pipe SET PIPE_EXECUTION_PAUSED = FALSE;

DROP PIPE orders_oss_pipe;

SELECT COUNT(*) FROM orders;
