"""scikit-learn's classifiers, and in Python any estimator that has ``predict_proba``."""
