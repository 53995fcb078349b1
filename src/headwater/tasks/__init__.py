"""Tasks: scripts that run on a schedule and after each other."""
