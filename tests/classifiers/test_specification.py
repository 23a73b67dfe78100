"""The specification of a classifier: its options completed and checked, and those of others refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from probfs.classifiers.registry import BOOSTING, CLASSIFIERS, FOREST, LOGISTIC, NAIVE_BAYES, SVM
from probfs.classifiers.specification import (
    FitRequest,
    Option,
    Specification,
    known_options,
    refuse_options_of_others,
)
from probfs.classifiers.value_types import Choice, Number, WholeNumber
from probfs.columns.dataset import Dataset
from probfs.errors import UsageError
from probfs.text import command_line_language

DEPTH = Option("branches", WholeNumber(1, 9), 3, "how deep.")
SHAPE = Option("tree_shape", Choice(("round", "tall")), "round", "which shape.")
HEIGHT = Option("height", Number(1, 50), 10.0, "how high.", only_with=("tree_shape", "tall"))
SMOOTHING = NAIVE_BAYES.options[0]


def _arrange(dataset: Dataset, seed: int) -> Dataset:
    return dataset


def _fit(request: FitRequest) -> Any:
    raise NotImplementedError


TREE = Specification(
    "tree", "a tree", (DEPTH, SHAPE, HEIGHT, SMOOTHING), "loo", False, _arrange, _fit, lambda _: "Tree"
)


@pytest.fixture
def _tree() -> Iterator[None]:
    with CLASSIFIERS.registered(TREE):
        yield


def test_what_is_not_given_gets_its_default() -> None:
    assert TREE.complete({}) == {"branches": 3, "tree_shape": "round", "height": None, "smoothing": 1.0}
    assert TREE.complete({"branches": None, "kernel": None})["branches"] == 3


def test_what_is_given_is_checked_and_kept() -> None:
    completed = TREE.complete({"tree_shape": "tall", "height": 2, "smoothing": 0})
    assert completed == {"branches": 3, "tree_shape": "tall", "height": 2.0, "smoothing": 0.0}


def test_an_option_that_needs_another_has_its_default_beside_it_and_no_value_otherwise() -> None:
    assert TREE.complete({"tree_shape": "tall"})["height"] == 10.0
    assert TREE.complete({"tree_shape": "round"})["height"] is None


@pytest.mark.parametrize(
    ("given", "python", "command_line"),
    [
        ({"branches": 10}, "branches=: 10 is out of range; 1 to 9", "--branches: 10 is out of range; 1 to 9"),
        (
            {"tree_shape": "flat"},
            "tree_shape=: 'flat' is not one of round, tall",
            "--tree-shape: 'flat' is not one of round, tall",
        ),
        ({"height": 2}, 'height= goes with tree_shape="tall" only', "--height goes with --tree-shape tall only"),
        (
            {"height": 99},
            "height=: 99 is not a number from 1 to 50",
            "--height: 99 is not a number from 1 to 50",
        ),
    ],
)
def test_a_mistake_is_told_in_the_caller_s_language(given: dict[str, Any], python: str, command_line: str) -> None:
    with pytest.raises(UsageError) as caught:
        TREE.complete(given)
    assert str(caught.value) == python
    with command_line_language(), pytest.raises(UsageError) as caught:
        TREE.complete(given)
    assert str(caught.value) == command_line


def test_an_option_is_found_by_its_name() -> None:
    assert TREE.find_option("branches") is DEPTH
    assert TREE.find_option("kernel") is None


@pytest.mark.usefixtures("_tree")
def test_known_options_are_those_of_all_classifiers_each_once_with_its_owners() -> None:
    owners = {option.name: names for option, names in known_options()}
    built_in = (NAIVE_BAYES, SVM, LOGISTIC, FOREST, BOOSTING)
    every = [*(own for classifier in built_in for own in classifier.options), DEPTH, SHAPE, HEIGHT]
    assert list(owners) == list(dict.fromkeys(own.name for own in every))
    assert owners["missing"] == ("nb", "svm", "logistic", "forest", "boosting")
    assert owners["smoothing"] == ("nb", "tree")
    assert owners["kernel"] == ("svm",)
    assert owners["branches"] == ("tree",)


@pytest.mark.usefixtures("_tree")
def test_options_of_other_classifiers_are_refused_and_unknown_ones_are_a_programming_error() -> None:
    refuse_options_of_others(TREE, {"branches": 1, "smoothing": 2.0, "kernel": None})
    with pytest.raises(UsageError, match=r'^kernel= goes with classifier="svm" only$'):
        refuse_options_of_others(TREE, {"kernel": "rbf"})
    with pytest.raises(UsageError, match=r'^smoothing= goes with classifier="nb" or classifier="tree" only$'):
        refuse_options_of_others(SVM, {"smoothing": 0})
    with pytest.raises(TypeError, match="no classifier has an option 'leaves'"):
        refuse_options_of_others(TREE, {"leaves": 3})


@pytest.mark.parametrize("classifier", list(CLASSIFIERS), ids=lambda classifier: classifier.name)
def test_the_specifications_that_come_with_probfs_are_sound(classifier: Specification) -> None:
    completed = classifier.complete({})
    assert list(completed) == [own.name for own in classifier.options]
    assert classifier.summarize(completed)
    for own in classifier.options:
        assert own.default is None or own.type.check(own.default) == own.default, "a default that would be refused"
        assert own.help.endswith("."), "help goes on with the default"
        if own.only_with is not None:
            other = classifier.find_option(own.only_with[0])
            assert other is not None
            assert other.type.check(own.only_with[1])


def test_defaults_are_what_the_manual_promises() -> None:
    assert NAIVE_BAYES.complete({}) == {"smoothing": 1.0, "shrink": "auto", "bins": 5, "missing": "auto"}
    assert SVM.complete({}) == {
        "kernel": "linear",
        "C": "scale",
        "gamma": None,
        "removal": "permute",
        "permutations": 20,
        "jobs": None,
        "missing": "auto",
    }
