"""Registries: entries by name, unknown names with the choices listed, and entries for a while."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.classifiers.scores import SCORES
from probfs.errors import UsageError
from probfs.output.formats import INSPECTION_FORMATS, RANKING_FORMATS
from probfs.paper.documents import CLAIM_FORMATS, POPULATION_FORMATS
from probfs.registry import Registry
from probfs.tables.formats import TABLE_FORMATS
from probfs.text import command_line_language


@dataclass(frozen=True)
class Tree:
    name: str


@pytest.fixture
def trees() -> Registry[Tree]:
    registry: Registry[Tree] = Registry("tree_kind")
    for name in ("oak", "ash", "elm"):
        registry.register(Tree(name))
    return registry


def test_entries_keep_the_order_of_registration(trees: Registry[Tree]) -> None:
    assert trees.names() == ("oak", "ash", "elm")
    assert [tree.name for tree in trees] == ["oak", "ash", "elm"]
    assert trees["ash"] == Tree("ash")


def test_registering_returns_the_entry_and_a_name_is_taken_once(trees: Registry[Tree]) -> None:
    yew = Tree("yew")
    assert trees.register(yew) is yew
    with pytest.raises(ValueError, match="tree_kind 'yew' is registered already"):
        trees.register(Tree("yew"))
    assert trees["yew"] is yew


@pytest.mark.parametrize(
    ("name", "shown"),
    [("okra", "'okra'"), ("a\x1b[31m", "'a\\x1b[31m'"), (None, "None"), (3, "3"), (["oak"], "['oak']")],
)
def test_an_unknown_name_is_an_error_that_lists_the_choices(trees: Registry[Tree], name: str, shown: str) -> None:
    with pytest.raises(UsageError) as caught:
        trees[name]
    assert str(caught.value) == f"tree_kind=: {shown} is not one of oak, ash, elm"


def test_what_does_not_suit_is_as_good_as_unknown(trees: Registry[Tree]) -> None:
    first, *others = trees.names()
    assert trees.names(lambda tree: tree.name != first) == tuple(others)
    assert trees.get(first, "tree", lambda tree: True).name == first
    with pytest.raises(UsageError, match=f"'{first}' is not one of {', '.join(others)}$"):
        trees.get(first, "tree", lambda tree: tree.name != first)


def test_an_unknown_name_is_told_in_the_caller_s_language(trees: Registry[Tree]) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--tree-kind: 'fir' is not one of oak, ash, elm$"):
        trees["fir"]
    with pytest.raises(UsageError, match=r"^shrub=: 'fir' is not one of oak, ash, elm$"):
        trees.get("fir", "shrub")


def test_an_entry_may_be_there_for_a_while_only(trees: Registry[Tree]) -> None:
    with trees.registered(Tree("fir")) as fir:
        assert trees["fir"] is fir
        assert trees.names()[-1] == "fir"
        with pytest.raises(ValueError, match="registered already"), trees.registered(Tree("oak")):
            pass
    assert trees.names() == ("oak", "ash", "elm"), "neither the temporary entry nor the loss of a permanent one"


def test_an_entry_for_a_while_is_gone_after_an_error_too(trees: Registry[Tree]) -> None:
    with pytest.raises(RuntimeError), trees.registered(Tree("fir")):
        raise RuntimeError
    assert "fir" not in trees.names()


def test_a_registry_may_change_while_it_is_walked(trees: Registry[Tree]) -> None:
    for tree in trees:
        if tree.name == "oak":
            trees.register(Tree("yew"))
    assert trees.names() == ("oak", "ash", "elm", "yew")


@pytest.mark.parametrize(
    ("registry", "names"),
    [
        (CLASSIFIERS, ("nb", "svm", "logistic", "forest", "boosting")),
        (SCORES, ("absolute", "signed", "unlabeled")),
        (TABLE_FORMATS, ("csv", "tsv", "arff", "parquet", "feather", "jsonl", "excel")),
        (RANKING_FORMATS, ("table", "csv", "json", "markdown", "parquet", "html", "png", "svg", "pdf")),
        (INSPECTION_FORMATS, ("table", "csv", "json", "markdown")),
        (POPULATION_FORMATS, ("table", "csv", "json", "markdown")),
        (CLAIM_FORMATS, ("table", "csv", "json", "markdown")),
    ],
    ids=["classifiers", "scores", "tables", "rankings", "inspections", "populations", "claims"],
)
def test_what_comes_with_probfs_is_registered_and_nothing_else_is_taken(
    registry: Registry[Tree], names: tuple[str, ...]
) -> None:
    assert registry.names() == names
    for wrong in ("", "NB", "csv ", "xml"):
        with pytest.raises(UsageError, match=f"is not one of {', '.join(names)}"):
            registry[wrong]
