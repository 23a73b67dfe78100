"""Which columns to keep, why the others may go, and how well a model of the kept ones does on rows it never saw."""
