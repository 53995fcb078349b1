"""One file per statement: the handler that carries it out."""
