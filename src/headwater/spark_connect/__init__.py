"""Spark Connect over sessions: SQL, and the rows it gives; no data frames."""
