"""The library's front door: one call from a table to its ranking, and one to the selection of its columns."""

from probfs.api.ranking import rank
from probfs.api.selecting import select

__all__ = ["rank", "select"]
