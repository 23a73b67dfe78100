"""Pairs of columns that tell together what neither tells beside the other."""
