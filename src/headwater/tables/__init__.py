"""The life of a table: finding it, committing to it, its versions, repair after a crash."""
