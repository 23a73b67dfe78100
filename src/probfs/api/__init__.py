"""The library's front door: one call from a table to its ranking, one to the selection of its columns, and reading."""

from probfs.api.ranking import rank
from probfs.api.reading import read
from probfs.api.selecting import select

__all__ = ["rank", "read", "select"]
