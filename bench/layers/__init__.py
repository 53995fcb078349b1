"""The tables and queries of a lake in three layers, for a benchmark of dynamic tables."""
