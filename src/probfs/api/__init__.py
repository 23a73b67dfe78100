"""The functions of the library: rank, select and read. The scikit-learn selector is imported when it is asked for."""

from probfs.api.calls import rank, read, select

__all__ = ["rank", "read", "select"]
