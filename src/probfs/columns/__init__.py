"""What each column is for, and its cells as codes: from a Table to a Dataset."""
