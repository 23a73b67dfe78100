"""Ranking with scikit-learn's classifiers, and in Python with any estimator that has ``predict_proba``.

``built_in`` makes logistic regression, the forest and boosting; ``own_estimator`` makes a classifier of a user's
object. ``classifier`` is the entry: every round it fits clones of an estimator (``fitted_model``) on the columns
as the estimator likes them (``column_encoders``, ``cells``), and compares their probabilities with those they give when
a feature is permuted or those of models retrained without it (``tasks``). Permuted rows are predicted in large batches
(``permuted_batches``); of a forest only the trees that a change can reach are asked (``forest_votes``), and of a
logistic regression only the terms that change (``linear_terms``).
"""
