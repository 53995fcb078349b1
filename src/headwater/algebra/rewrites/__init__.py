"""Trees that mean the same and are cheaper to keep current."""
