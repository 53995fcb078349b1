"""Java classes of ours that Spark's tasks need too, wherever they run."""
