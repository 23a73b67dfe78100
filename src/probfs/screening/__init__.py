"""Which columns are related to the class at all: a test of each column, and what other columns say of it."""
