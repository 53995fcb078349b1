-- Files in a store, out and in. The parameter is :location, such as 's3://my-bucket/data/'.

-- Step 2: a volume is a folder with a name.
CREATE EXTERNAL VOLUME IF NOT EXISTS my_data_vol
    LOCATION :location
    USING CONNECTION my_conn
    DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = FALSE)
    RECURSIVE = TRUE
    COMMENT 'Dedicated Volume for data lake acceleration';

-- Step 3: a table, and its rows as files.
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

COPY INTO VOLUME my_data_vol SUBDIRECTORY 'export/'
    FROM TABLE sales_source
    FILE_FORMAT = (TYPE = CSV);

COPY INTO VOLUME my_data_vol SUBDIRECTORY 'export/'
    FROM TABLE sales_source
    FILE_FORMAT = (TYPE = PARQUET);

-- Step 4: the directory shows what its last refresh found.
ALTER VOLUME my_data_vol REFRESH;

SELECT relative_path, size, last_modified_time
FROM DIRECTORY(VOLUME my_data_vol)
WHERE relative_path LIKE 'export/%';

-- Files are read where they are. CSV without a header has columns f0, f1, ..
SELECT * FROM VOLUME my_data_vol USING CSV FILES('export/part00001.csv');

-- Parquet keeps names and types.
SELECT id, product, category, amount, dt
FROM VOLUME my_data_vol USING PARQUET FILES('export/part00001.parquet');

-- And back into a table: one commit, whatever the number of files.
CREATE TABLE IF NOT EXISTS sales_copy (
    id BIGINT, product STRING, category STRING, amount DECIMAL(10, 2), dt STRING
);

COPY INTO sales_copy FROM VOLUME my_data_vol USING CSV FILES('export/part00001.csv');

-- With ON_ERROR a row per file comes back; PURGE deletes what is in the table.
COPY INTO sales_copy FROM VOLUME my_data_vol USING PARQUET REGEXP '.*[.]parquet'
    PURGE = TRUE ON_ERROR = CONTINUE;

-- Which files came in.
SELECT * FROM load_history('sales_copy');
