"""The client of a service: sessions whose statements run elsewhere."""
