"""Limits and defaults of how columns are cut. Nothing heavy is imported here: help needs them."""

DEFAULT_BINS = 5
MOST_BINS = 10_000
CUT_ABOVE = 20
"""A numeric column with more distinct values than this is cut before a classifier that counts categories sees it."""
