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
