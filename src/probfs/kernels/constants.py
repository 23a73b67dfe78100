"""Numbers that compiled loops and their equivalents in numpy must agree on."""

ROWS_PER_BLOCK = 4096
"""Rows that a loop goes through at a time, so that what it needs of them stays in the cache."""
EVEN_ODDS_TOLERANCE = 1e-12
"""Log-odds this close to 0 come from equal probabilities, computed in another order."""
