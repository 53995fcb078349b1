"""Names in a query, each resolved to one column of one relation, as Spark would."""
