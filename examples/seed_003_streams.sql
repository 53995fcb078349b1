-- Streams of row changes: what changed in a table since it was last consumed.

-- APPEND_ONLY: every row that was inserted, whatever became of it.
CREATE TABLE test_table (id INT, name VARCHAR, age INT);
ALTER TABLE test_table SET PROPERTIES ('change_tracking' = 'true');
CREATE TABLE STREAM test_stream ON TABLE test_table
    WITH PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY');

INSERT INTO test_table VALUES
    (1, 'Alice', 20), (2, 'Bob', 25), (3, 'Charlie', 30), (4, 'David', 35), (5, 'Eve', 40);
UPDATE test_table SET age = age + 5 WHERE id = 1 OR id = 3;
DELETE FROM test_table WHERE id = 2 OR id = 4;
SELECT * FROM test_stream ORDER BY id;

-- STANDARD: the smallest set of changes that leads from the offset to now.
CREATE TABLE test_table_offset (id INT, name VARCHAR, age INT);
ALTER TABLE test_table_offset SET PROPERTIES ('change_tracking' = 'true');
CREATE TABLE STREAM test_table_offset_stream ON TABLE test_table_offset
    WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
INSERT INTO test_table_offset VALUES
    (1, 'Alice', 20), (2, 'Bob', 25), (3, 'Charlie', 30), (4, 'David', 35), (5, 'Eve', 40);

-- A statement that writes consumes what it reads; a SELECT does not.
CREATE TABLE test_table_offset_consume (id INT, name VARCHAR, age INT);
INSERT INTO test_table_offset_consume SELECT id, name, age FROM test_table_offset_stream;
SELECT * FROM test_table_offset_stream;

UPDATE test_table_offset SET age = age + 5 WHERE id = 1 OR id = 3;
DELETE FROM test_table_offset WHERE id = 2 OR id = 4;
SELECT * FROM test_table_offset_stream ORDER BY id, __change_type;

-- Both images of an update are there; the row for which no clause holds does nothing.
MERGE INTO test_table_offset_consume target
USING test_table_offset_stream source_stream ON target.id = source_stream.id
WHEN MATCHED AND source_stream.__change_type = 'UPDATE_AFTER'
    THEN UPDATE SET target.age = source_stream.age
WHEN MATCHED AND source_stream.__change_type = 'DELETE' THEN DELETE
WHEN NOT MATCHED AND source_stream.__change_type = 'INSERT'
    THEN INSERT VALUES (source_stream.id, source_stream.name, source_stream.age);
SELECT * FROM test_table_offset_consume ORDER BY id;
