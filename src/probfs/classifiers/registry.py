"""All classifiers. Importing this module registers those that come with probfs."""

from probfs.classifiers.naive_bayes.specification import NAIVE_BAYES
from probfs.classifiers.specification import CLASSIFIERS
from probfs.classifiers.svm.specification import SVM

__all__ = ["CLASSIFIERS", "NAIVE_BAYES", "SVM"]
