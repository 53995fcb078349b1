"""Benchmarks with their targets; `make bench` runs them all."""
