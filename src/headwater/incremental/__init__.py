"""From a tree and what changed in its sources to the change of its rows: the delta."""
