"""What exists in a lake: objects and their states (pure), and the store that keeps them."""
