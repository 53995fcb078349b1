"""The service: one process that runs a lake and answers many clients over HTTP."""
