"""Studio: the lake in a browser. Every page asks and acts by SQL, with the rights of its user."""
