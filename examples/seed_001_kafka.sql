-- A pipe over the topic orders_topic of Kafka. The parameter is :broker, such as 'kafka-host:9092'.
-- A line that starts with $ is for a terminal; examples/run.py runs the pipes there.

CREATE TABLE IF NOT EXISTS orders_raw (raw_msg STRING);

-- Without RESET_KAFKA_GROUP_OFFSETS a new group starts behind what is in the topic already.
CREATE PIPE kafka_orders_pipe
    VIRTUAL_CLUSTER = 'default'
    BATCH_INTERVAL_IN_SECONDS = '60'
    RESET_KAFKA_GROUP_OFFSETS = 'earliest'
AS COPY INTO orders_raw FROM (
    SELECT CAST(value AS STRING) AS raw_msg
    FROM TABLE(READ_KAFKA(
        :broker,                    -- bootstrap.servers
        'orders_topic',             -- topic
        '',                         -- topic pattern: not supported
        'pipe_orders_group',        -- group id: of this pipe alone
        '', '', '', '',             -- offsets and timestamps: the pipe keeps them
        'raw', 'raw',               -- format of key and value
        0, map()
    ))
);

-- $ headwater run --until-idle

SELECT raw_msg FROM orders_raw;

-- pipe_latency says how far the pipe is behind.
DESC PIPE kafka_orders_pipe;
