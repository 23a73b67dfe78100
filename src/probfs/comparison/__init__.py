"""Two rankings or selections side by side: what rose, fell, appeared and vanished, and what is beyond chance."""

from probfs.comparison.comparing import compare

__all__ = ["compare"]
