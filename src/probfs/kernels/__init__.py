"""Loops in machine code, for what is too much for numpy: ``loops`` says what they do, ``loader`` makes them callable.

What both sides must agree on is here, where it can be had without loading anything.
"""

BLOCK = 4096
"""Rows that are gone through at a time, so that what they need stays in the cache."""
TOGETHER = 512
"""Rows that are gone through at a time where there is something to keep for each class."""
SIFTED = 128
"""Rows after which it is looked which features may still be lowest."""
SIFT_UNDERFLOW = 1e-25
"""By how much sums may be off for weights too small for single precision, in units of the largest; far more than they
are.
"""
EQUAL_ODDS = 1e-12
"""Log-odds this close to 0 come from equal probabilities, computed in another order."""
MOST_DISTINCT = 255
"""Of a column of cells that are split by ``split_cells``, in one block."""
SLOTS = 512
"""Where these are looked up."""
LONGEST_CELL = 7
"""In bytes; the eighth of a word says how long it is."""
