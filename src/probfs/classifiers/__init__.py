"""Classifiers that say what each feature does to their probabilities."""
