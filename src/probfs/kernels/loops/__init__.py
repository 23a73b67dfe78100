"""The loops over cells, as numba compiles them: ``loader`` has that done once and keeps the machine code.

Each does what a method of some rows does in numpy, and is tested against it. Arrays come as addresses, rows in blocks
that stay in the cache; every block leaves its own sums, which are added in one order however many threads there are.
"""
