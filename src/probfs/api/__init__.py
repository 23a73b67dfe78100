"""The functions of the library: rank, select, pairs and read. The scikit-learn selector is imported on demand."""

from probfs.api.calls import pairs, rank, read, select

__all__ = ["pairs", "rank", "read", "select"]
