"""What changed in a Delta table between two of its versions."""
