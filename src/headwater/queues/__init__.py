"""Queues in which a cloud tells about new objects: Amazon's SQS and Alibaba's MNS."""
