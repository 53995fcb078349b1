"""From a qualified SELECT to the tree."""

from headwater.algebra.binding.query import bind
from headwater.algebra.refusal import NotIncremental, Reason

__all__ = ["NotIncremental", "Reason", "bind"]
