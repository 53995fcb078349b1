"""The life of a table: finding it, committing to it, counting its versions, repairing after a crash."""
