"""Classifiers as data classes: their options are checked, shared, told apart from those of others, and recorded; and
the types of option values.
"""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.svm import SVC, LinearSVC

import probfs
from probfs.classifiers.catalogue import (
    CLASSIFIERS,
    SVM,
    Boosting,
    Forest,
    Logistic,
    NaiveBayes,
    find_classifier,
    known_options,
)
from probfs.classifiers.options import Choice, Number, UnfittedClassifier, ValueType, WholeNumber, parse_number
from probfs.errors import UsageError
from probfs.text import command_line_language


def test_what_is_not_given_has_its_default() -> None:
    assert (Forest().trees, Forest(trees=None).trees) == (100, 100)  # type: ignore[arg-type]  # None is not given
    assert NaiveBayes().in_effect() == {"smoothing": 1.0, "shrink": "auto", "bins": 5, "missing": "auto"}
    assert SVM().in_effect()["gamma"] is None
    assert SVM(kernel="rbf").in_effect()["gamma"] == "scale"
    assert SVM(kernel="rbf", gamma=2).in_effect()["gamma"] == 2.0
    assert replace(SVM(kernel="rbf"), kernel="linear").in_effect()["gamma"] is None


def test_classifiers_are_plain_frozen_values() -> None:
    model = SVM(kernel="rbf", permutations=3)
    assert model == SVM(permutations=3, kernel="rbf") != SVM(kernel="rbf")
    assert hash(model) == hash(replace(model))
    assert pickle.loads(pickle.dumps(model)) == model
    assert repr(model) == "SVM(kernel='rbf', permutations=3)"
    assert eval(repr(model)) == model
    assert SVM(jobs=2) == SVM(jobs=1), "results do not depend on it"
    with pytest.raises(FrozenInstanceError):
        model.kernel = "linear"  # type: ignore[misc]  # the point of the test
    with pytest.raises(TypeError, match="smothing"):
        NaiveBayes(smothing=1)  # type: ignore[call-arg]  # the point of the test


@pytest.mark.parametrize(
    ("given", "python", "command_line"),
    [
        ({"jobs": 0}, "jobs=: 0 is not a whole number from 1 to 10000", "--jobs: 0 is not a whole number"),
        ({"kernel": "flat"}, "kernel=: 'flat' is not one of linear, rbf", "--kernel: 'flat' is not one"),
        ({"gamma": 2}, 'gamma= goes with kernel="rbf" only', "--gamma goes with --kernel rbf only"),
    ],
)
def test_a_mistake_is_told_in_the_caller_s_language(given: dict[str, Any], python: str, command_line: str) -> None:
    makers: list[Callable[[], UnfittedClassifier]] = [lambda: SVM(**given), lambda: find_classifier("svm", given)]
    for make in makers:
        with pytest.raises(UsageError, match=f"^{re.escape(python)}$"):
            make()
        with command_line_language(), pytest.raises(UsageError, match=f"^{re.escape(command_line)}"):
            make()


def test_classifiers_that_share_an_option_declare_it_alike() -> None:
    """The command line has it once."""
    for name, declared, owners in known_options():
        assert all(CLASSIFIERS[owner].options()[name] == declared for owner in owners), name


def test_a_classifier_is_found_by_its_name_as_an_object_and_as_an_estimator() -> None:
    assert find_classifier("nb") == NaiveBayes()
    assert find_classifier("nb", {"smoothing": 2, "bins": None, "kernel": None}) == NaiveBayes(smoothing=2.0)
    chosen = Forest(trees=3)
    assert find_classifier(chosen, {"trees": None}) is chosen
    wrapped = find_classifier(GaussianNB(), {"permutations": 3})
    assert (wrapped.name, wrapped.description, wrapped.takes_numbers) == ("estimator", "GaussianNB()", True)
    assert wrapped.in_effect() == {
        "categories": "onehot",
        "bins": None,
        "removal": "permute",
        "permutations": 3,
        "jobs": None,
        "missing": "auto",
    }
    assert repr(wrapped) == "UserEstimator(shown='GaussianNB()', categories='onehot', permutations=3)"
    assert wrapped == find_classifier(GaussianNB(), {"permutations": 3}) != find_classifier(GaussianNB())
    counting = find_classifier(CategoricalNB(), {"bins": 3})
    assert (counting.in_effect()["bins"], counting.takes_numbers) == (3, False)


class Fits:
    def fit(self) -> None: ...

    def __repr__(self) -> str:
        return "Fits()"


@pytest.mark.parametrize(
    ("classifier", "options", "message"),
    [
        ("nb", {"kernel": "rbf"}, 'kernel= goes with classifier="svm" only'),
        ("nb", {"C": 2}, 'C= goes with classifier="svm" or classifier="logistic" only'),
        ("svm", {"smoothing": 1.0}, 'smoothing= goes with classifier="nb" only'),
        ("svm", {"removal": "retrain", "permutations": 3}, 'permutations= goes with removal="permute" only'),
        ("svm", {"C": 0}, "C=: 0 is neither scale nor a number from 1e-10 to 10000000000"),
        ("svm", {"permutations": 2.5}, "permutations=: 2.5 is not a whole number from 1 to 10000"),
        ("forest", {"leaf": "all"}, "leaf=: 'all' is neither auto nor a whole number from 1 on"),
        ("nb", {"categories": "codes"}, "categories= goes with an estimator given as classifier= only"),
        ("nb", {"smoothing": -1}, "smoothing=: -1 is neither 0 (the exact limit) nor a number from 1e-100 to 1e+100"),
        (None, {}, "classifier=: None is not one of nb, svm, logistic, forest, boosting"),
        ("tree", {}, "classifier=: 'tree' is not one of nb, svm, logistic, forest, boosting"),
        (LinearSVC(), {}, "classifier=: LinearSVC() has no predict_proba; wrap it in sklearn's CalibratedClassifierCV"),
        (
            SVC(),
            {},
            "classifier=: SVC has no predict_proba once it is fitted; wrap it in sklearn's CalibratedClassifierCV",
        ),
        (GaussianNB, {}, "classifier=: GaussianNB is a class; give an object of it, such as GaussianNB()"),
        (
            Fits(),
            {},
            "classifier=: Fits() is not a scikit-learn estimator: it lacks fit, get_params or set_params",
        ),
        (GaussianNB(), {"categories": "frames"}, "categories=: 'frames' is not one of onehot, codes, frame"),
        (GaussianNB(), {"trees": 3}, 'trees= goes with classifier="forest" only'),
        (GaussianNB(), {"bins": 3}, 'bins= goes with categories="codes" only'),
        (NaiveBayes(), {"bins": 3}, "bins= goes with a classifier's name; give it to NaiveBayes(bins=…) itself"),
    ],
)
def test_what_is_no_classifier_or_no_option_of_it_is_refused_in_one_line(
    classifier: Any, options: dict[str, Any], message: str
) -> None:
    frame = pd.DataFrame({"a": list("xxyy") * 3, "y": list("0011") * 3})
    for call in (probfs.rank, probfs.select):
        with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
            call(frame, target="y", classifier=classifier, **options)


def test_an_option_that_no_classifier_has_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="no classifier has an option 'leafs'; did you mean 'leaf'"):
        find_classifier("nb", {"leafs": None})


@pytest.mark.parametrize("model", list(CLASSIFIERS), ids=lambda model: model.name)
def test_the_classifiers_that_come_with_probfs_are_sound(model: UnfittedClassifier) -> None:
    assert model.summary
    for name, declared in model.options().items():
        assert declared.default is None or declared.kind.check(declared.default) == declared.default, name
        assert declared.default is not None or declared.default_help is not None, "what happens without it is said"
        assert declared.help.endswith("."), "help goes on with the default"
        if declared.only_with is not None:
            other, value = declared.only_with
            assert model.options()[other].kind.check(value)
        assert f"\n{name} : " in (type(model).__doc__ or "")


def test_what_is_known_of_a_classifier_before_it_is_fitted() -> None:
    assert [model.default_estimate for model in CLASSIFIERS] == ["loo", "resubstitution", "cv", "cv", "cv"]
    assert [model.name for model in CLASSIFIERS if "oob" in model.estimates] == ["forest"]
    assert [model.name for model in CLASSIFIERS if model.sees_columns_together] == ["forest", "boosting"]
    assert SVM(kernel="rbf").sees_columns_together
    assert [model.name for model in CLASSIFIERS if not model.takes_numbers] == ["nb"]


def test_the_summary_tells_kernels_trees_and_shuffles() -> None:
    assert NaiveBayes().summary == "Naive Bayes"
    assert SVM(kernel="rbf").summary == "RBF SVM, Platt-scaled, 20 shuffles a column"
    assert Forest(trees=1).summary == "Forest of 1 tree, 20 shuffles a column"
    assert Logistic(removal="retrain").summary == "Logistic regression, retrained"
    assert Boosting(permutations=1).summary == "Gradient boosting, 1 shuffle a column"


# The values of options

KERNEL = Choice(("linear", "rbf"))
FOLDS = WholeNumber(2, metavar="K")
BINS = WholeNumber(2, 100)
KEEP = WholeNumber(1, metavar="best|N", words=("best",))
PARTS = WholeNumber(2, zero="none")
COST = Number(1e-3, 1e3, "scale|NUMBER", ("scale",))
ALPHA = Number(0.5, 8, "ALPHA", zero="the exact limit")


@pytest.mark.parametrize(
    ("kind", "texts", "values", "expected"),
    [
        (KERNEL, ["rbf"], ["rbf"], "rbf"),
        (FOLDS, ["2"], [2, np.int64(2)], 2),
        (FOLDS, ["9" * 18], [], 10**18 - 1),
        (BINS, ["007"], [7], 7),
        (KEEP, ["best"], ["best"], "best"),
        (PARTS, ["0"], [np.int8(0)], 0),
        (COST, ["scale"], ["scale"], "scale"),
        (COST, ["0.5", " 5e-1 "], [0.5, np.float32(0.5), Fraction(1, 2)], 0.5),
        (ALPHA, ["0", "-0"], [0, Decimal(0)], 0.0),
    ],
)
def test_a_word_of_the_command_line_and_a_value_from_python_become_a_plain_one(
    kind: ValueType, texts: list[str], values: list[Any], expected: object
) -> None:
    for found in [*map(kind.parse, texts), *map(kind.check, values)]:
        assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("kind", "wrong", "is_not"),
    [
        (KERNEL, ["RBF", ["rbf"]], "not one of linear, rbf"),
        (FOLDS, ["9" * 19, "x", 1, 3.0, True], "not a whole number from 2 on"),
        (BINS, ["101", "3.0", "1_0", "+3", 101, 1], "not a whole number from 2 to 100"),
        (KEEP, ["0", "least", 0], "neither best nor a whole number from 1 on"),
        (PARTS, ["1", 1, -1], "neither 0 (none) nor a whole number from 2 on"),
        (
            COST,
            ["auto", "nan", "2000", math.nan, [1], 10**400, 1j, True],
            "neither scale nor a number from 0.001 to 1000",
        ),
        (ALPHA, ["0.25", -1, 8.5], "neither 0 (the exact limit) nor a number from 0.5 to 8"),
        (Number(0, 1), ["2", -0.5, 1.5], "not a number from 0 to 1"),
    ],
)
def test_what_is_wrong_is_told_with_the_range(kind: ValueType, wrong: list[Any], is_not: str) -> None:
    for given in wrong:
        ways = (kind.parse, kind.check) if isinstance(given, str) else (kind.check,)
        for way in ways:
            with pytest.raises(ValueError, match=f"^{re.escape(f'{given!r} is {is_not}')}$"):
                way(given)


def test_what_is_no_finite_number_is_none() -> None:
    assert {parse_number(text) for text in ("", "x", "1_000", "nan", "-inf", "1e999", "0x10", "1,5")} == {None}
