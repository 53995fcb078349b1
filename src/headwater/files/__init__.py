"""Volumes and their files: directory tables, files as relations, COPY in and out."""
