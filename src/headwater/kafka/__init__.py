"""Kafka without Spark: which offsets a batch reads, and asking the brokers about offsets."""
