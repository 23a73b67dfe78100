"""Arnosti and Danyluk (2012): theory, synthetic tables, and every claim put to the test."""
