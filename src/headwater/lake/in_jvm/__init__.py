"""Java classes of ours, compiled inside the JVM when they are first needed."""
