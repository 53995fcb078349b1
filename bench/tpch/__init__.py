"""The tables and queries of TPC-H, for benchmarks of dynamic tables."""
