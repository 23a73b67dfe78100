"""Classifiers as data classes: their options are checked, shared, told apart from those of others, and recorded."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
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
from probfs.classifiers.options import Choice, Number, UnfittedClassifier, WholeNumber
from probfs.errors import UsageError


def test_what_is_not_given_has_its_default() -> None:
    assert (Forest().trees, Forest(trees=None).trees) == (100, 100)  # type: ignore[arg-type]  # None is not given
    assert NaiveBayes().in_effect() == {"smoothing": 1.0, "shrink": "auto", "bins": 5, "missing": "auto"}
    assert Forest(leaf=1, depth=1, trees=1).in_effect()["depth"] == 1
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
    with_address = make_pipeline(FunctionTransformer(lambda cells: cells), GaussianNB())
    assert "0x" in repr(with_address)
    assert not any(part in find_classifier(with_address).description for part in ("\n", "0x"))
    counting = find_classifier(CategoricalNB(), {"bins": 3})
    assert (counting.in_effect()["bins"], counting.takes_numbers) == (3, False)


class Fits:
    fit = None

    def __repr__(self) -> str:
        return "Fits()"


def choosing(columns: object) -> Any:
    return make_pipeline(ColumnTransformer([("texts", OneHotEncoder(), columns)]), GaussianNB())


TRANSFORMER = "classifier=: the ColumnTransformer's 'texts'"
BY_POSITION = "chooses columns by position, which changes as some leave; name them, or use make_column_selector"


@pytest.mark.parametrize(
    ("classifier", "options", "message"),
    [
        ("nb", {"C": 2}, 'C= goes with classifier="svm" or classifier="logistic" only'),
        ("svm", {"gamma": 2}, 'gamma= goes with kernel="rbf" only'),
        ("svm", {"removal": "retrain", "permutations": 3}, 'permutations= goes with removal="permute" only'),
        ("svm", {"C": 0}, "C=: 0 is neither scale nor a number from 1e-10 to 10000000000"),
        ("svm", {"jobs": 0}, "jobs=: 0 is not a whole number from 1 to 10000"),
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
        *((choosing(columns), {}, f"{TRANSFORMER} {BY_POSITION}") for columns in ([0, 1], slice(0, 2), [True, False])),
        (choosing(["aa", "y"]), {}, f"{TRANSFORMER} names 'aa', not a column of <frame>; did you mean 'a'?"),
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


@pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=lambda model: model.name)
def test_the_classifiers_that_come_with_probfs_are_sound(model: UnfittedClassifier) -> None:
    for name, declared in model.options().items():
        assert declared.default is None or declared.kind.check(declared.default) == declared.default, name
        assert declared.default is not None or declared.default_help is not None, "what happens without it is said"
        assert declared.help.endswith("."), "help goes on with the default"
        if declared.only_with is not None:
            other, value = declared.only_with
            assert model.options()[other].kind.check(value)
        assert f"\n{name} : " in (type(model).__doc__ or "")
        assert {each: option for each, option, _ in known_options()}[name] == declared, "the command line has it once"


def test_a_summary_names_the_classifier_and_how_columns_are_taken_away() -> None:
    models = [NaiveBayes(), SVM(kernel="rbf"), Forest(trees=1), Logistic(removal="retrain"), Boosting(permutations=1)]
    assert [model.summary for model in models] == [
        "Naive Bayes",
        "RBF SVM, Platt-scaled, 20 shuffles a column",
        "Forest of 1 tree, 20 shuffles a column",
        "Logistic regression, retrained",
        "Gradient boosting, 1 shuffle a column",
    ]


WHOLE, COST = WholeNumber(2, zero="none"), Number(1e-3, 1e3, "scale|NUMBER", ("scale",))


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (WHOLE, np.int64(2), 2),
        (WHOLE, np.int8(0), 0),
        (COST, np.float32(0.5), 0.5),
        (COST, Fraction(1, 2), 0.5),
        (COST, "scale", "scale"),
        (Number(0.5, 8, zero="the exact limit"), Decimal(0), 0.0),
        *((WHOLE, wrong, "neither 0 (none) nor a whole number from 2 on") for wrong in (3.0, True, 1, -1, "2")),
        *(
            (COST, wrong, "neither scale nor a number from 0.001 to 1000")
            for wrong in ("auto", math.nan, [1], 10**400, 1j, True, 1001)
        ),
        (Number(0, 1), 1.5, "not a number from 0 to 1"),
        (Choice(("linear", "rbf")), ["rbf"], "not one of linear, rbf"),
    ],
)
def test_what_python_gives_becomes_plain_or_is_refused_with_the_range(kind: Any, given: Any, expected: object) -> None:
    if isinstance(expected, str) and expected != given:
        with pytest.raises(ValueError, match=f"^{re.escape(f'{given!r} is {expected}')}$"):
            kind.check(given)
    else:
        assert (kind.check(given), type(kind.check(given))) == (expected, type(expected))
