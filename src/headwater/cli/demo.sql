-- A volume holds files: this one in the lake's folder, others in S3, OSS, COS or any folder.
CREATE VOLUME inbox DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE) RECURSIVE = TRUE;

-- A table is a folder of Delta files with a name; its columns carry comments.
CREATE TABLE sales (
    id       BIGINT         COMMENT 'Order ID',
    product  STRING         COMMENT 'Product name',
    category STRING         COMMENT 'Category',
    amount   DECIMAL(10, 2) COMMENT 'Amount',
    dt       STRING         COMMENT 'Date'
) COMMENT 'Sales, one row per order';

-- A pipe is one statement that runs for every new file of a volume, once.
CREATE PIPE sales_pipe
    VIRTUAL_CLUSTER = 'DEFAULT'
    INGEST_MODE = 'LIST_PURGE'
AS COPY INTO sales FROM VOLUME inbox USING CSV OPTIONS('header' = 'true')
    PURGE = TRUE ON_ERROR = CONTINUE;

-- A dynamic table holds the answer of a query: here the orders that count.
CREATE DYNAMIC TABLE sales_clean
    REFRESH INTERVAL 1 MINUTE VCLUSTER DEFAULT
AS SELECT id, product, category, amount, CAST(dt AS DATE) AS day FROM sales WHERE amount > 0;

-- And a second layer, over the first.
CREATE DYNAMIC TABLE sales_summary
    REFRESH INTERVAL 1 MINUTE VCLUSTER DEFAULT
AS SELECT category, count(*) AS orders, sum(amount) AS total FROM sales_clean GROUP BY category;

-- A stream shows what changes in a table from now on.
CREATE TABLE STREAM sales_changes ON TABLE sales
    WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');

-- A file is dropped in.
COPY INTO VOLUME inbox SUBDIRECTORY 'monday/' FROM (SELECT * FROM VALUES
    (1, 'iPhone 15', 'Electronics', 8999.00, '2026-06-01'),
    (2, 'MacBook Pro', 'Electronics', 14999.00, '2026-06-01'),
    (3, 'AirPods', 'Electronics', 1299.00, '2026-06-01'),
    (4, 'Nike Air Max', 'Sports', 899.00, '2026-06-01'),
    (5, 'Yoga Mat', 'Sports', 199.00, '2026-06-01') AS (id, product, category, amount, dt))
    FILE_FORMAT = (TYPE = CSV header = true);

-- A process runs pipes and schedules: for ever, or until nothing is left. The first refresh is a full one.
-- $ headwater run --until-idle

-- The file has become rows, and the rows have become the answer.
-- rows: 2
SELECT * FROM sales_summary ORDER BY category;

-- Two more files; one of them is no good: its rows have two values too few.
COPY INTO VOLUME inbox SUBDIRECTORY 'tuesday/'
    FROM (SELECT id + 5 AS id, product, category, amount, '2026-06-02' AS dt FROM sales WHERE id > 3)
    FILE_FORMAT = (TYPE = CSV header = true);

-- This is the bad one.
COPY INTO VOLUME inbox SUBDIRECTORY 'wednesday/' FROM (SELECT id, product, category FROM sales)
    FILE_FORMAT = (TYPE = CSV header = true);

-- The good one is loaded, and the bad one is in nobody's way.
-- $ headwater run --until-idle

-- The load history says what became of each file.
-- rows: 3
SELECT regexp_extract(file_path, '[^/]+/[^/]+$', 0) AS file, status,
    substr(first_error_message, 1, 60) AS first_error
FROM load_history('sales') ORDER BY file_path;

-- The schedule would come within the minute; by hand it is now, and only what changed is computed.
REFRESH DYNAMIC TABLE sales_clean;

-- One group goes as it was and comes as it is.
REFRESH DYNAMIC TABLE sales_summary;

-- Two more orders in sports.
-- rows: 2
SELECT * FROM sales_summary ORDER BY category;

-- The proof: all of it worked out anew, and compared row for row.
-- rows: 1
VERIFY DYNAMIC TABLE sales_summary;

-- An order is corrected.
UPDATE sales SET amount = amount - 100 WHERE id = 1;

-- The stream has seen every order come; only what it is now counts.
-- rows: 7
SELECT __change_type, id, product, amount FROM sales_changes ORDER BY id;

-- A statement that writes consumes what it reads.
CREATE TABLE sales_feed AS SELECT * FROM sales_changes;

-- So nothing is left.
-- rows: 0
SELECT * FROM sales_changes;

-- Somebody deletes too much.
DELETE FROM sales WHERE amount < 5000;

-- Every statement that wrote made a version of the table, with its time, its size and its job.
DESC HISTORY sales;

-- So the version before can be brought back, as one more version.
RESTORE TABLE sales TO TIMESTAMP AS OF '{{version_5_time}}';

-- What the next refresh will do: the log says what changed, and each operator has a rule for it.
EXPLAIN REFRESH DYNAMIC TABLE sales_clean;

-- One order went as it was and came as it is; those that were deleted and restored count for nothing.
REFRESH DYNAMIC TABLE sales_clean;

-- And the second layer.
REFRESH DYNAMIC TABLE sales_summary;

-- A volume for what goes out.
CREATE VOLUME outbox DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE;

-- The answer leaves as files.
COPY INTO VOLUME outbox SUBDIRECTORY 'today/' FROM TABLE sales_summary
    FILE_FORMAT = (TYPE = CSV header = true);

-- Files are asked like tables, where they are.
-- rows: 2
SELECT * FROM VOLUME outbox USING CSV OPTIONS('header' = 'true') ORDER BY category;

-- What the refreshes did, and when.
-- rows: 6
SELECT name, state, refresh_trigger, refresh_mode, stats, duration
FROM (SHOW DYNAMIC TABLE REFRESH HISTORY) ORDER BY start_time;

-- And how the second layer is kept current.
EXPLAIN REFRESH DYNAMIC TABLE sales_summary;

-- Everything that ran here is a job.
-- rows: 5
SHOW JOBS LIMIT 5;
