"""Options made from the fields of classifiers, and from scores and estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from probfs.classifiers.catalogue import CLASSIFIERS, NaiveBayes
from probfs.classifiers.options import Choice, WholeNumber, setting
from probfs.cli.classifier_options import ClassifierOptions, ColumnClassifierOptions, EliminationOptions
from probfs.cli.options import ColumnOptions
from probfs.columns.choice import ColumnChoice
from probfs.errors import UsageError
from tests.support.commands import Run
from tests.support.table_content import Write


@dataclass(frozen=True, repr=False, kw_only=True)
class Tree(NaiveBayes):
    """Naive Bayes under another name, with options whose names have capitals."""

    name: ClassVar[str] = "tree"
    description: ClassVar[str] = "a tree"

    Tree_shape: str = setting("round", Choice(("round", "tall")), "the shape.")
    D: int | None = setting(3, WholeNumber(1, 9), "the depth.", only_with=("Tree_shape", "tall"), for_columns=True)


@pytest.fixture
def _tree() -> Iterator[None]:
    with CLASSIFIERS.registered(Tree()):
        yield


def parameters(bundle: type[Any]) -> dict[str, Any]:
    """Typer's description of each option."""
    return {parameter.name: parameter.annotation.__metadata__[0] for parameter in bundle.parameters()}


@pytest.mark.usefixtures("_tree")
def test_every_option_of_every_classifier_is_there_once() -> None:
    names = list(parameters(ClassifierOptions))
    assert names[:4] == ["classifier", "smoothing", "shrink", "bins"]
    assert names[-2:] == ["Tree_shape", "D"]
    assert len(set(names)) == len(names)
    assert list(parameters(ColumnClassifierOptions)) == ["classifier", "bins", "missing", "D"]


@pytest.mark.usefixtures("_tree")
def test_help_says_which_classifiers_and_which_other_option_an_option_goes_with() -> None:
    own = parameters(ClassifierOptions)
    assert own["smoothing"].help.startswith("nb, tree: what is added")
    assert own["D"].help == "tree, tall: the depth. Default: 3."
    assert own["classifier"].help.endswith(", or a tree (tree).")


@pytest.mark.usefixtures("_tree")
@pytest.mark.parametrize(("words", "status"), [(["--Tree-shape", "tall", "--D", "4"], 0), (["--D", "4"], 2)])
def test_an_option_is_called_as_messages_call_it(run_here: Run, write: Write, words: list[str], status: int) -> None:
    """Capitals and underscores included: a message that says --Tree-shape must name an option that exists."""
    path = write("t.csv", "a,y\nx,p\nz,q\nx,p\nz,q\n")
    result = run_here("rank", path, "--classifier", "tree", *words, "--quiet")
    assert (result.returncode, result.stderr) == (
        status,
        "probfs: error: --D goes with --Tree-shape tall only\n" if status else "",
    )


def test_what_is_given_is_kept_apart_from_what_is_not() -> None:
    own = {name: None for name in parameters(ClassifierOptions) if name != "classifier"}
    collected = ClassifierOptions.collect({"classifier": "svm", **own, "kernel": "rbf"})
    assert collected.classifier == "svm"
    assert {name: value for name, value in collected.options.items() if value is not None} == {"kernel": "rbf"}


def test_the_choice_of_columns_follows_the_classifier() -> None:
    columns = ColumnOptions(target="y", exclude=["id"], na=["?"])
    counted = ColumnClassifierOptions("nb", {"bins": None}).column_choice(columns)
    assert counted == ColumnChoice("y", None, (), ("id",), ("?",), 5, False, missing="auto", min_class=2)
    assert ColumnClassifierOptions("nb", {"bins": 3}).column_choice(columns).bins == 3
    assert ColumnClassifierOptions("svm", {"bins": None}).column_choice(columns).numbers_as_they_are
    with pytest.raises(UsageError, match='bins= goes with classifier="nb" only'):
        ColumnClassifierOptions("svm", {"bins": 3}).column_choice(columns)
    with pytest.raises(UsageError, match="'bush' is not one of nb, svm, logistic, forest, boosting"):
        ColumnClassifierOptions("bush", {"bins": None}).column_choice(columns)


def test_scores_and_estimates_are_listed_with_their_defaults() -> None:
    own = parameters(EliminationOptions)
    assert own["score"].help == (
        "The score that decides which feature leaves: absolute (s_s), signed (s_a) or unlabeled (s_su)."
    )
    assert own["estimate"].help.endswith(
        "Default: loo for nb, resubstitution for svm, cv for logistic, forest and boosting."
    )
    assert own["step"].help.endswith("Default: 1 for nb, auto for svm, logistic, forest and boosting.")
    assert own["step"].metavar == "auto|N"
