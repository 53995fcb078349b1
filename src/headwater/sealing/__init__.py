"""Keeping the secrets of connections: sealed in the catalog, opened only where they are used."""
