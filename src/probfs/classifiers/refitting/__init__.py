"""What classifiers share that fit models anew in every round: the round itself (``classifier``), which rows train, are
scored and lend their values (``rows``), the sums over rows (``sums``), and standardised numbers and one-hot categories
for models that measure distances or weigh columns (``design_matrix``).
"""
