"""TPC-H as a benchmark: its 22 queries, with the default parameters of the specification."""
