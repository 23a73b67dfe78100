"""Options of the SVM, and those that do not go together."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

import probfs


def test_options_are_imported_without_numpy_or_scikit_learn() -> None:
    script = (
        "import sys, probfs.classifiers.svm.options; "
        "print([name for name in ('numpy', 'sklearn', 'scipy', 'joblib') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only'),
        ({"C": 2}, 'C= goes with classifier="svm" or classifier="logistic" only'),
        ({"jobs": 2}, 'jobs= goes with classifier="svm" or classifier="logistic" or '),
        ({"classifier": "svm", "smoothing": 1.0}, 'smoothing= goes with classifier="nb" only'),
        ({"classifier": "svm", "bins": 3}, 'bins= goes with classifier="nb" only'),
        ({"classifier": "svm", "gamma": 0.1}, 'gamma= goes with kernel="rbf" only'),
        ({"classifier": "svm", "folds": 3}, 'folds= goes with estimate="cv" only'),
        ({"classifier": "svm", "removal": "retrain", "permutations": 3}, 'permutations= goes with removal="permute"'),
        ({"classifier": "svm", "C": 0}, "C=: 0 is neither scale nor a number from 1e-10 to 1e+10"),
        ({"classifier": "svm", "C": "auto"}, "C=: 'auto'"),
        ({"classifier": "svm", "kernel": "rbf", "gamma": -1}, "gamma=: -1"),
        ({"classifier": "svm", "kernel": "poly"}, "kernel=: 'poly' is not one of linear, rbf"),
        ({"classifier": "svm", "permutations": 0}, "permutations=: 0"),
        ({"classifier": "svm", "jobs": 0}, "jobs=: 0"),
        ({"classifier": "svm", "permutations": 2.5}, "permutations=: 2.5 is not a whole number"),
        ({"classifier": "svm", "seed": "0"}, "seed=: '0' is not a whole number"),
        ({"classifier": "svm", "C": [1]}, "C=: [1] is neither scale nor a number"),
        ({"classifier": None}, "classifier=: None is not one of nb, svm, logistic, forest, boosting"),
        ({"score": None}, "score=: None is not one of"),
        ({"step": "2"}, "step=: 2 is neither"),
    ],
)
def test_an_option_without_meaning_is_a_usage_error(
    mixed: pd.DataFrame, options: dict[str, object], message: str
) -> None:
    with pytest.raises(probfs.UsageError) as caught:
        probfs.rank(mixed, target="sick", **options)  # type: ignore[arg-type]
    assert message in str(caught.value)
