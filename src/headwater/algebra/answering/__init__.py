"""Queries answered by the stored rows of others: which tree says what another says, and how."""
