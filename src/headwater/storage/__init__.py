"""Where files are kept: local folders, S3, OSS and COS behind one small interface."""
