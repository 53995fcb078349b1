"""Changing a Delta table in one commit, through Delta's own transaction."""
