"""Ranking with a support vector machine whose decision values become probabilities by Platt's sigmoid.

``classifier`` is the entry: every round it fits models (``model``, ``platt``) on the matrix of
``refitting.design_matrix`` and compares their probabilities with those they give when a feature is permuted (``rbf``,
and ``LinearValues`` for the linear kernel), or those of models retrained without it. What is not about SVMs is in
``refitting``.
"""
