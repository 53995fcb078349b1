"""A SELECT as a tree of small relational nodes, and the tree as SQL again."""
