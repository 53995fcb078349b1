"""Keeping dynamic tables: what a refresh is to do, doing it, and saying why."""
