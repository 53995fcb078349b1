"""Upkeep: compaction, removal of old files and rows, and forgetting of old metadata."""
