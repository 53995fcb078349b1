"""When dynamic tables are refreshed of themselves, which ones together, and doing it."""
