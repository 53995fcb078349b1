"""What is read out of traces about Kafka."""

from __future__ import annotations

import pytest

from headwater.lake.kafka_errors import kafka_trouble

GONE = """\
org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/t.
org.apache.spark.sql.kafka010.KafkaIllegalStateException: Some data may have been lost because \
they are not available in Kafka any more;
either the data was aged out by Kafka or the topic may have been deleted before all the data in the
topic was processed.
If you don't want your streaming query to fail on such cases, set the source option failOnDataLoss \
to false.
Reason: Could not read records in offset [0, 3) for topic partition orders-0
with consumer group spark-kafka-relation-1-executor.
org.apache.kafka.clients.consumer.OffsetOutOfRangeException: Fetch position is out of range"""
AWAY = (
    "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException:"
    " Timed out waiting for a node assignment. Call: listNodes\n\tat java.base/java.util"
)
SILENT = (
    "java.util.concurrent.TimeoutException: Cannot fetch record for offset 7 in 60000 milliseconds"
)


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (
            GONE,
            "before they were read: Could not read records in offset [0, 3) for topic partition",
        ),
        (AWAY, "are read: Timed out waiting for a node assignment. Call: listNodes"),
        (SILENT, "are read: Cannot fetch record for offset 7 in 60000 milliseconds"),
    ],
)
def test_trouble_with_brokers_passes_and_says_what_it_is(trace: str, said: str) -> None:
    found = kafka_trouble(trace, detail=trace)
    assert found is not None
    assert said in found.message
    assert "failOnDataLoss" not in str(found)
    assert found.hint
    assert found.detail == trace


@pytest.mark.parametrize(
    "trace",
    [
        "java.lang.NullPointerException",
        "java.util.concurrent.TimeoutException: Futures timed out after [300 seconds]",
        "org.apache.kafka.common.errors.SerializationException: Error deserializing",
    ],
)
def test_other_trouble_is_none_of_kafkas_brokers(trace: str) -> None:
    assert kafka_trouble(trace, detail=trace) is None
