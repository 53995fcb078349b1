"""One file for each operator: what its delta is, with the law on top."""
