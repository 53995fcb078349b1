"""Where a stream on a Kafka table begins: the brokers are asked once, when it is made."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.catalog.streams import StreamOffset
from headwater.pipes.kafka_positions import EARLIEST, LATEST, offsets_at
from headwater.pipes.kafka_tables import relation_of
from headwater.pipes.messages import client_of, texts
from headwater.runtime.open_lake import OpenLake


def first_offset(lake: OpenLake, table: Table, *, show_initial_rows: bool) -> StreamOffset:
    """The end of the topics, or with `show_initial_rows` the table's own starting offset."""
    relation = relation_of(lake, table)
    client = client_of(relation)
    try:
        earliest = client.earliest(relation.topics)
        latest = client.latest(relation.topics)
    finally:
        client.close()
    if not show_initial_rows:
        return StreamOffset(partitions=texts(latest))
    known = {EARLIEST: earliest, LATEST: latest}
    wanted = offsets_at(relation.starting_offsets or EARLIEST, known, relation, EARLIEST)
    first = {
        topic: {p: max(offset, earliest[topic].get(p, offset)) for p, offset in of_topic.items()}
        for topic, of_topic in wanted.items()
    }
    return StreamOffset(partitions=texts(first))
