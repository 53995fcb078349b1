"""Text to statement, and back: tokens, one frozen dataclass per statement, rendering. Pure."""
