"""Categorical Naive Bayes in closed form."""
