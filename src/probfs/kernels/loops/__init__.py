"""The compiled loops, in modules of one kind each.

Loops and their helpers are plain Python functions that numba can compile: importing them imports no numba. Arrays are
flat to them, whatever their shape is outside. Each loop computes what a method of the row groups computes in numpy, and
is tested against it. Rows are gone through in blocks that stay in the cache; every block leaves sums of its own, which
are added in one order however many threads there are.
"""
