"""Pairs of columns that tell more together than one by one."""
