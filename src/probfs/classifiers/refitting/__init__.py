"""What classifiers share that fit models anew in every round."""
