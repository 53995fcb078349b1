"""Spark and Delta: the only package that imports pyspark."""
