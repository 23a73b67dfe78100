"""The texts that tables write where nothing is known, which readers of numbers must expect among these."""

from __future__ import annotations

UNMISTAKABLE = ("NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "#N/A", "#NA", "<NA>", "?")
"""Texts that seldom mean anything but missing, in whatever column."""
AMONG_NUMBERS = ("", "na", "n.a.", "none", "NONE", "nil", "-", "--", ".", "..")
"""Texts that mean missing only where all others are numbers; the first is a cell of blanks."""
