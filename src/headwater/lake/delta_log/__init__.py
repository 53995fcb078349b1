"""Delta's transaction log read without Spark: what a table looks like and which versions it has."""
