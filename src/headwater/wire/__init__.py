"""What travels between a service and its clients: errors and results, written and read."""
