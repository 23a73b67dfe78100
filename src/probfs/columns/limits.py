"""Limits, defaults and words of how columns are encoded. Nothing heavy is imported here: help needs them."""

DEFAULT_BINS = 5
MOST_BINS = 10_000
CUT_ABOVE = 20
"""A numeric column with more distinct values than this is cut before a classifier that counts categories sees it."""
MOST_TARGET_CLASSES = 100
"""Classes that a target of numbers is cut into at most."""
DEFAULT_MIN_CLASS = 2
"""Rows of a class with fewer rows than this are dropped: leaving one out must leave something to learn from."""
MISSING_IN_A_COLUMN = ("skip", "value")
"""What a missing cell may be for a classifier: nothing, or a value of its own."""
MISSING_CHOICES = (*MISSING_IN_A_COLUMN, "auto")
