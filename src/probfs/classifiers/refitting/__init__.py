"""What classifiers share that fit models anew in every round: which rows train and which are scored (``splits``,
``training_rows``), shuffled columns (``donors``), the sums of a round (``score_shares``), how many models there are and
how long they take (``fit_plan``, ``time_forecast``), and the round itself (``classifier``).

``design_matrix`` makes standardised numbers and one-hot categories of features, for models that measure distances.
"""
