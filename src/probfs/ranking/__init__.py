"""Recursive elimination and its result."""
