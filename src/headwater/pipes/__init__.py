"""Pipes: a statement that runs for ever, each file and message in it exactly once."""
