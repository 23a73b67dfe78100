"""Showing that a version does what another did: inputs, commands and comparisons of recorded results."""
