-- A table is a folder of Delta files with a name; its columns carry comments.
CREATE TABLE sales_source (
    id       BIGINT         COMMENT 'Order ID',
    product  STRING         COMMENT 'Product name',
    category STRING         COMMENT 'Category',
    amount   DECIMAL(10, 2) COMMENT 'Amount',
    dt       STRING         COMMENT 'Date'
) COMMENT 'Sales, one row per order';

-- Rows go in with INSERT; every statement commits by itself.
INSERT INTO sales_source VALUES
    (1, 'iPhone 15', 'Electronics', 8999.00, '2026-06-01'),
    (2, 'MacBook Pro', 'Electronics', 14999.00, '2026-06-01'),
    (3, 'AirPods', 'Electronics', 1299.00, '2026-06-01'),
    (4, 'Nike Air Max', 'Sports', 899.00, '2026-06-01'),
    (5, 'Yoga Mat', 'Sports', 199.00, '2026-06-01');

-- A view is a query with a name.
CREATE VIEW sales_by_category AS
    SELECT category, count(*) AS orders, sum(amount) AS total
    FROM sales_source
    GROUP BY category;

-- Ask it like a table.
-- rows: 2
SELECT * FROM sales_by_category ORDER BY category;

-- Prices change.
UPDATE sales_source SET amount = amount * 0.9 WHERE category = 'Sports';

-- And somebody deletes too much.
DELETE FROM sales_source WHERE amount < 5000;

-- Three orders are gone.
-- rows: 2
SELECT * FROM sales_source ORDER BY id;

-- Every statement that wrote made a version of the table, with its time, its size and its job.
DESC HISTORY sales_source;

-- Look at the table as it was before the delete, by the time of that version.
-- rows: 5
SELECT id, product, amount
FROM sales_source TIMESTAMP AS OF '{{version_3_time}}'
ORDER BY id;

-- Bring that version back; restoring is one more version, so nothing is lost.
RESTORE TABLE sales_source TO TIMESTAMP AS OF '{{version_3_time}}';

-- All five orders are there again, and the view sees them.
-- rows: 2
SELECT * FROM sales_by_category ORDER BY category;

-- A dropped table can be brought back too.
DROP TABLE sales_source;

-- It is gone from the list, which still shows the view.
-- rows: 1
SHOW TABLES;

-- And back, with all its versions.
UNDROP TABLE sales_source;

-- Five orders.
-- rows: 1
SELECT count(*) AS orders FROM sales_source;

-- A volume holds files: this one in the lake's folder, others in S3, OSS, COS or any folder.
CREATE VOLUME exchange DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE) RECURSIVE = TRUE;

-- Rows become files there.
COPY INTO VOLUME exchange SUBDIRECTORY 'export/' FROM TABLE sales_source
    FILE_FORMAT = (TYPE = CSV header = true);

-- The directory of the volume is a table.
-- rows: 1
SELECT relative_path, size FROM DIRECTORY(VOLUME exchange);

-- Files are asked like tables, where they are.
-- rows: 2
SELECT category, count(*) AS orders
FROM VOLUME exchange USING CSV OPTIONS('header' = 'true') SUBDIRECTORY 'export/'
GROUP BY category ORDER BY category;

-- Another table to load them into.
CREATE TABLE sales_copy (id BIGINT, product STRING, category STRING, amount DECIMAL(10, 2), dt STRING);

-- All files are one commit, and none is deleted before its rows are in the table.
-- rows: 1
COPY INTO sales_copy FROM VOLUME exchange USING CSV OPTIONS('header' = 'true')
    SUBDIRECTORY 'export/' PURGE = TRUE ON_ERROR = CONTINUE;

-- The table knows which files it came from.
-- rows: 1
SELECT file_path, status FROM load_history('sales_copy');

-- A pipe loads files by itself; it gets a volume of its own, where files are dropped in.
CREATE VOLUME inbox DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE) RECURSIVE = TRUE;

-- And a table to fill.
CREATE TABLE sales_ods (id BIGINT, product STRING, category STRING, amount DECIMAL(10, 2), dt STRING);

-- It is one statement that runs for every new file, once.
CREATE PIPE sales_pipe
    VIRTUAL_CLUSTER = 'DEFAULT'
    INGEST_MODE = 'LIST_PURGE'
AS COPY INTO sales_ods FROM VOLUME inbox USING CSV OPTIONS('header' = 'true')
    PURGE = TRUE ON_ERROR = CONTINUE;

-- A file is dropped in.
COPY INTO VOLUME inbox SUBDIRECTORY 'monday/' FROM TABLE sales_source
    FILE_FORMAT = (TYPE = CSV header = true);

-- A process runs the pipes: for ever, or until nothing is left.
-- $ headwater run --until-idle

-- The rows are there.
-- rows: 1
SELECT count(*) AS orders FROM sales_ods;

-- Two more files; one of them is no good: its rows have two values too few.
COPY INTO VOLUME inbox SUBDIRECTORY 'tuesday/'
    FROM (SELECT id + 5 AS id, product, category, amount, '2026-06-02' AS dt FROM sales_source)
    FILE_FORMAT = (TYPE = CSV header = true);

-- This is the bad one.
COPY INTO VOLUME inbox SUBDIRECTORY 'wednesday/' FROM (SELECT id, product, category FROM sales_source)
    FILE_FORMAT = (TYPE = CSV header = true);

-- The good one is loaded, and the bad one is in nobody's way.
-- $ headwater run --until-idle

-- The load history says what became of each file.
-- rows: 3
SELECT regexp_extract(file_path, '[^/]+/[^/]+$', 0) AS file, status,
    substr(first_error_message, 1, 60) AS first_error
FROM load_history('sales_ods') ORDER BY file_path;

-- What was loaded is deleted, after the commit; what was not is still there.
-- rows: 1
SELECT relative_path, size FROM DIRECTORY(VOLUME inbox);

-- The pipe itself: what it reads and writes, and how it is.
-- rows: 14
DESC PIPE sales_pipe;

-- A stream: what changes in a table from now on.
CREATE TABLE STREAM sales_changes ON TABLE sales_ods
    WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');

-- One order is corrected, one is cancelled.
UPDATE sales_ods SET amount = amount - 100 WHERE id = 1;

-- This is the cancelled one.
DELETE FROM sales_ods WHERE id = 2;

-- The stream shows both images of the update, and the row that went.
-- rows: 3
SELECT __change_type, __commit_version, id, product, amount FROM sales_changes ORDER BY id, 1;

-- A statement that writes consumes what it reads.
CREATE TABLE corrections AS SELECT * FROM sales_changes;

-- So nothing is left.
-- rows: 0
SELECT * FROM sales_changes;

-- A dynamic table holds the answer of a query.
CREATE DYNAMIC TABLE sales_summary
AS SELECT category, count(*) AS orders, sum(amount) AS total FROM sales_ods GROUP BY category;

-- The first refresh works out all of it.
REFRESH DYNAMIC TABLE sales_summary;

-- One more order comes.
INSERT INTO sales_ods VALUES (11, 'Tennis Racket', 'Sports', 250.00, '2026-06-03');

-- What will the next refresh do? It reads the new order and adds it to its group.
EXPLAIN REFRESH DYNAMIC TABLE sales_summary;

-- One group goes as it was and comes as it is.
REFRESH DYNAMIC TABLE sales_summary;

-- The table is up to date.
-- rows: 2
SELECT * FROM sales_summary ORDER BY category;

-- The proof: all of it worked out anew, and compared row for row.
-- rows: 1
VERIFY DYNAMIC TABLE sales_summary;

-- And what was done, and when.
-- rows: 2
SELECT name, state, refresh_mode, stats FROM (SHOW DYNAMIC TABLE REFRESH HISTORY sales_summary)
ORDER BY start_time;

-- Everything that ran here is a job.
-- rows: 5
SHOW JOBS LIMIT 5;
