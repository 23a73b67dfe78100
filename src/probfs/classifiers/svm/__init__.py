"""Ranking with a support vector machine whose decision values become probabilities by Platt's sigmoid.

``classifier`` is the entry: every round it fits models (``fitted_svm``, ``platt_scaling``, ``binary_svm``; ``solver``
chooses between LIBSVM and ``linear_svc``) on the matrix of ``refitting.design_matrix`` and compares their probabilities
with those they give when a feature is permuted (``permuted_decisions``) or those of models retrained without it
(``tasks``). What is not about SVMs is in ``refitting``.
"""
