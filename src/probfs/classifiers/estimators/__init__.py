"""Ranking with scikit-learn's classifiers, and in Python with any estimator that has ``predict_proba``.

``own_estimator`` wraps a user's object. ``classifier`` is the entry: every round it fits clones of an estimator
(``recipes``) on the columns as the estimator likes them (``encoders``), and compares their probabilities with those
they give when a feature is permuted or those of models retrained without it (``model``).
"""
