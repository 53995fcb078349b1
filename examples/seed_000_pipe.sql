-- Files loaded as they arrive. The parameter is :location, such as 's3://my-bucket/data/incoming/'.
-- A line that starts with $ is for a terminal; examples/run.py runs the pipes there.

-- Step 3: rows to make files of.
CREATE TABLE IF NOT EXISTS sales_source (
    id       BIGINT         COMMENT 'Order ID',
    product  STRING         COMMENT 'Product name',
    category STRING         COMMENT 'Category',
    amount   DECIMAL(10, 2) COMMENT 'Amount',
    dt       STRING         COMMENT 'Date'
) COMMENT 'Data lake acceleration test source table';

INSERT INTO sales_source VALUES
    (1, 'iPhone 15', 'Electronics', 8999.00, '2026-06-01'),
    (2, 'MacBook Pro', 'Electronics', 14999.00, '2026-06-01'),
    (3, 'AirPods', 'Electronics', 1299.00, '2026-06-01'),
    (4, 'Nike Air Max', 'Sports', 899.00, '2026-06-01'),
    (5, 'Yoga Mat', 'Sports', 199.00, '2026-06-01');

-- Step 5: a volume of its own for the pipe, in a folder below the bucket.
CREATE EXTERNAL VOLUME IF NOT EXISTS pipe_vol
    LOCATION :location
    USING CONNECTION my_conn
    DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE)
    RECURSIVE = TRUE
    COMMENT 'Dedicated Volume for Pipe continuous ingestion';

CREATE TABLE IF NOT EXISTS sales_ods (
    id       BIGINT         COMMENT 'Order ID',
    product  STRING         COMMENT 'Product name',
    category STRING         COMMENT 'Category',
    amount   DECIMAL(10, 2) COMMENT 'Amount',
    dt       STRING         COMMENT 'Date'
) COMMENT 'ODS layer: Pipe ingestion target table';

CREATE PIPE IF NOT EXISTS sales_pipe
    INGEST_MODE = 'LIST_PURGE'
    VIRTUAL_CLUSTER = 'DEFAULT'
    COMMENT 'Sales data continuous ingestion pipeline'
AS COPY INTO sales_ods FROM VOLUME pipe_vol USING CSV PURGE = TRUE;

DESC PIPE EXTENDED sales_pipe;

-- A new file arrives.
COPY INTO VOLUME pipe_vol SUBDIRECTORY '/'
    FROM (SELECT * FROM sales_source WHERE dt = '2026-06-01')
    FILE_FORMAT = (TYPE = CSV);

-- $ headwater run --until-idle

SELECT COUNT(*) FROM sales_ods;

-- The file is in the table, and therefore gone.
SELECT relative_path FROM DIRECTORY(VOLUME pipe_vol);

SELECT * FROM load_history('sales_ods');

-- Step 6: a dynamic table over what the pipe loads.
-- Enable change tracking on source table; here a refresh is incremental without it too.
ALTER TABLE sales_ods SET PROPERTIES ('change_tracking' = 'true');

-- Create Dynamic Table, aggregate by category
CREATE OR REPLACE DYNAMIC TABLE sales_summary
    REFRESH INTERVAL 1 HOUR vcluster DEFAULT
    COMMENT 'Category summary — incremental refresh'
AS SELECT category, COUNT(*) AS order_cnt, SUM(amount) AS total_amount,
    AVG(amount) AS avg_amount, MIN(dt) AS min_date, MAX(dt) AS max_date
FROM sales_ods GROUP BY category;

-- Immediately trigger first refresh
REFRESH DYNAMIC TABLE sales_summary;

-- Query results
SELECT * FROM sales_summary ORDER BY category;

-- Validate data consistency across all stages: the rows above are of two categories.
SELECT 'Source' AS stage, COUNT(*) AS rows FROM sales_source
UNION ALL SELECT 'ODS' AS stage, COUNT(*) AS rows FROM sales_ods
UNION ALL SELECT 'Summary' AS stage, COUNT(*) AS rows FROM sales_summary;

-- While a pipe is paused, files wait.
ALTER PIPE sales_pipe SET PIPE_EXECUTION_PAUSED = TRUE;

COPY INTO VOLUME pipe_vol SUBDIRECTORY 'june/'
    FROM (SELECT id + 5 AS id, product, category, amount, '2026-06-02' AS dt FROM sales_source)
    FILE_FORMAT = (TYPE = CSV);

-- $ headwater run --until-idle

SELECT COUNT(*) FROM sales_ods;

ALTER PIPE sales_pipe SET PIPE_EXECUTION_PAUSED = FALSE;

-- $ headwater run --until-idle

SELECT COUNT(*) FROM sales_ods;

-- The same name again, within seven days: the file is not loaded, stays, and shows as SKIPPED.
COPY INTO VOLUME pipe_vol SUBDIRECTORY '/'
    FROM (SELECT * FROM sales_source WHERE category = 'Sports')
    FILE_FORMAT = (TYPE = CSV);

-- $ headwater run --until-idle

SELECT COUNT(*) FROM sales_ods;

SELECT file_path, status, first_error_message FROM load_history('sales_ods') ORDER BY file_path;

-- The pipe loaded five more rows; the dynamic table works out what they change.
REFRESH DYNAMIC TABLE sales_summary;
SELECT * FROM sales_summary ORDER BY category;
SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'sales_summary';
