"""Streams: what changed in a table or a volume since it was last consumed."""
