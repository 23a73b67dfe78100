"""Prepared table to dataset: codes, intervals, unlabelled rows and notes, the same however cells are held; equal rows
merged, an order of content alone, and folds by what rows hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probfs.columns import encode as encode_module
from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.folds import (
    check_class_sizes,
    content_hashes,
    deal,
    deal_folds,
    deal_subjects,
    order_by_content,
    with_distinguishing_features,
)
from probfs.columns.inspect import inspect_table
from probfs.columns.mapping import parse_mapping
from probfs.columns.missing import mark_missing
from probfs.columns.prepare import prepare
from probfs.columns.suggest import suggest_mapping
from probfs.errors import DataError, ProbfsError, UsageError
from probfs.ranking.inputs import every_name, reading_for
from probfs.tables.opening import ReadOptions
from probfs.tables.table import Table
from probfs.text import command_line_language
from tests.support.datasets import datasets
from tests.support.random_tables import columns_together, wide_tables
from tests.support.tables import csv_of, csv_of_rows, encode_csv, prepare_csv, prepare_frame, read_csv_text

# Everything that can be seen of a table, however its numbers are held

CHOICES = st.builds(
    ColumnChoice,
    target=st.just("y"),
    count=st.sampled_from([None, None, "n"]),
    na=st.sampled_from(
        [(), (), ("999",), ("1", "0.5"), ("auto",), ("none",), ("-3",), ("-9",), ("-9", "NA", "."), ("none", "?")]
    ),
    bins=st.sampled_from([2, 5, 5, 50]),
    numbers_as_they_are=st.booleans(),
    keep_identifiers=st.booleans(),
    missing=st.sampled_from(["skip", "value", "auto"]),
)
RULES = st.sampled_from(
    [
        *(b"", b'missing = ["NA", "--"]\n[columns]\ndigits5 = "category"\nmeasured12 = "numeric"'),
        b'[columns]\nmeasured1 = "category"\nmeasured2 = { quantiles = 3 }\ncounted3 = { missing = "value" }',
        b'[columns]\nempty10 = { quantiles = 3, missing = "value" }\nempty32 = "category"\ndigits5 = "!= 1.0"',
        b'[columns]\ncounted3 = "> 0"\nmeasured1 = { widths = 3 }\nmeasured2 = { cut = [-0.5, 1] }\n'
        b'digits5 = { groups = { g = ["1"] }, other = "rest" }\nmeasured12 = { min_count = 2 }',
    ]
)


def everything(table: Table, others: list[Table], *said: Any) -> list[Any]:
    """Whatever anybody can see of a table, up to the first refusal."""
    seen: list[Any] = []
    try:
        prepared = prepare(table, *said)
        seen += [[plan.describe() for plan in prepared.plans], prepared.notes, prepared.leaks]
        seen += [suggest_mapping(prepared, "nb"), inspect_table(prepared)]
        dataset, notes = encode(prepared, others)
        seen += [notes, dataset.classes, *(own.tolist() for own in (dataset.labels, dataset.counts))]
        seen.append(dataset.unlabelled_counts.tolist())
        for feature in dataset.features:
            numbers = None if feature.numbers is None else feature.numbers.tolist()
            seen += [feature.name, feature.labels.to_pylist(), feature.labelled.tolist(), feature.unlabelled.tolist()]
            seen += [feature.values, feature.categories().to_pylist(), numbers, feature.missing_is_value]
    except ProbfsError as error:
        seen.append(str(error))
    return seen


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(wide_tables(), st.one_of(st.none(), wide_tables()), CHOICES, RULES, st.sampled_from([None, None, "."]))
def test_all_ways_to_hold_numbers_give_the_same(
    cells: pd.DataFrame, further: pd.DataFrame | None, choice: ColumnChoice, rules: bytes, decimal: str | None
) -> None:
    """Numbers cut together or each alone, as a matrix or as values, read as numbers or as texts."""
    said = parse_mapping(rules), choice, decimal
    usual = reading_for(ReadOptions(decimal=decimal), *said[:2], every_column=True)
    table = read_csv_text(cells.to_csv(index=False), options=usual)
    others = [] if further is None else [read_csv_text(further.to_csv(index=False), options=usual)]
    expected = everything(table, others, *said)
    with columns_together(False):
        assert everything(table, others, *said) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode_module, "_code_numbers", lambda *_: {})
        assert everything(table, others, *said) == expected
    marked = mark_missing(table, usual.na).columns.values()
    if all(column.distinct() for column in marked if column.is_numeric):
        # A column without a value is one of numbers only to those who read them.
        texts_of = read_csv_text(cells.to_csv(index=False), options=replace(usual, as_text=every_name))
        assert everything(texts_of, [], *said) == everything(table, [], *said)


# Codes


def test_measured_columns_have_their_numbers_once_and_in_order() -> None:
    text = "a,b,y\n2,x,p\n-0,z,q\n,x,p\n0.0,z,q\n"
    number, category = encode_csv(text, unlabelled=["a,b\n1e0,x\n2,new\n"], numbers_as_they_are=True).features
    assert number.numbers is not None
    assert (number.numbers.tolist(), len(number.labels)) == ([0.0, 1.0, 2.0], 0)
    assert (number.labelled.tolist(), number.unlabelled.tolist()) == ([2, 0, 3, 0], [1, 2])
    assert category.numbers is None
    assert (category.labelled.tolist(), category.unlabelled.tolist()) == ([0, 1, 0, 1], [0, 2])
    days = pd.to_datetime(["2020-03-01T00:00", "2020-02-28T00:00", "2020-03-01T12:00"] * 2)
    prepared = prepare_frame({"d": days, "y": list("abcabc")}, numbers_as_they_are=True)
    (feature,) = encode(prepared, [read_csv_text("d,y\n2020-02-27,\n")])[0].features
    assert feature.numbers is not None
    assert feature.numbers.tolist() == [0.0, 1.0, 3.0, 3.5], "days since the first of all tables"


def test_ordered_categories_stand_in_their_order_unless_texts_are_wanted() -> None:
    grades = pd.Categorical(["low", "high", "mid", "low"], ["low", "mid", "high"], ordered=True)
    for keep, expected in ((True, ["low", "mid", "high"]), (False, ["high", "low", "mid"])):
        (feature,) = encode(prepare_frame({"a": grades, "y": list("pqpq")}, keep_category_order=keep))[0].features
        assert feature.labels.to_pylist() == expected


def test_whole_numbers_beyond_doubles_are_different_values() -> None:
    keys = [2**63 + n % 4 for n in range(24)]
    for columns in ({"key": keys}, {"key": keys, "twin": keys[::-1]}):
        dataset, notes = encode(prepare_frame({**columns, "y": ["p", "q", "q"] * 8}))
        found = [[feature.labels[code].as_py() for code in feature.labelled] for feature in dataset.features]
        assert (found, notes) == ([list(map(str, cells)) for cells in columns.values()], ())


# Unlabelled rows


def test_unlabelled_values_that_no_labelled_row_holds_are_missing() -> None:
    (feature,) = encode_csv("a,y\nx,p\nz,q\nnew,\nz,\n", unlabelled=['a\nx\nother\n""\n']).features
    assert feature.labels.to_pylist() == ["x", "z"]
    assert (feature.labelled.tolist(), feature.unlabelled.tolist()) == ([0, 1], [2, 1, 0, 2, 2])
    (number,) = encode_csv("a,y\n1,p\n2,q\n", unlabelled=["a\n1\nmany\n"], numbers_as_they_are=True).features
    assert number.unlabelled.tolist() == [0, 2], "text in a column guessed to be numeric"


@pytest.mark.parametrize(
    ("cells", "noted"),
    [
        ("1x\n" * 9 + '""\n' * 9, False),
        ("1x\n" * 10 + '""\n' * 20, True),
        ("1x\n" * 5 + "1\n" * 5, False),
        ("1x\n" * 6 + "1\n" * 5, True),
        ("1.0\n2.00\n" * 9, False),
    ],
)
def test_most_cells_of_enough_must_be_unseen_to_be_noted(cells: str, noted: bool) -> None:
    for missing in ("skip", "value"):
        prepared = prepare_csv("a,y\n1,p\n2,p\n1,q\n2,q\n,q\n", missing=missing)
        _, notes = encode(prepared, [read_csv_text("a\n" + cells)])
        assert any("most unlabelled cells" in note for note in notes) is noted


def test_further_tables_must_have_the_features_and_should_have_the_counts() -> None:
    lacking = r"^t\.csv: lacks 2 columns of t\.csv: 'b', 'c'; add them, or leave them out with exclude=$"
    with pytest.raises(DataError, match=lacking):
        encode_csv("a,b,c,y\nx,u,u,0\ny,v,u,0\nx,v,v,1\ny,u,v,1\n", unlabelled=["a\nx\n"])
    prepared = prepare_csv("a,n,y\nx,2,p\nz,3,q\nx,5,\n", count="n")
    dataset, notes = encode(prepared, [read_csv_text("a,n\nx,7\nz,0\n"), read_csv_text("a\nx\n")])
    assert (dataset.counts.tolist(), dataset.unlabelled_counts.tolist()) == ([2, 3], [5, 7, 0, 1])
    assert notes == ("t.csv: no column 'n', so each of its rows counts once",)
    numbered = csv_of(30, nr=lambda n: n, a=lambda n: "uv"[n % 3 > 1])
    assert encode_csv(numbered, unlabelled=["a\nu\nv\n"]).unlabelled_rows == 2, "an identifier may be lacking"


# Notes and refusals

MEASURED = {"numbers_as_they_are": True}
SAME, DIFFERENT = "only one value in the labelled rows: ", "a different value in every row (an identifier?): "
GAPS = csv_of(a=["x", ""] * 2, b=[1, ""] * 2)


@pytest.mark.parametrize(
    ("text", "choice", "expected"),
    [
        (
            csv_of(30, a=lambda n: f"<{n}.5", b=lambda n: n * 1.5),
            {},
            ["cut into 5 intervals at quantiles of the labelled rows (bins=, or a mapping): 'b'"],
        ),
        (csv_of(10, a=lambda n: n / 7, b=lambda n: f"c{n}"), {}, [f"{DIFFERENT}'b'; exclude= leaves it out"]),
        (csv_of(2, a=lambda n: f"c{n}", b=lambda n: f"c{n}"), {}, []),
        (csv_of(6, a=lambda n: n + 5, b=lambda n: n + 0.5), MEASURED, [f"{DIFFERENT}'a'; exclude= leaves it out"]),
        (csv_of(8, a=lambda n: f"2020-02-0{n + 1}", b=lambda n: "uv"[n // 4]), {}, []),
        (csv_of(6, a=lambda n: 1, b=lambda n: ""), {}, ["no value in any labelled row: 'b'", f"{SAME}'a'"]),
        # A missing cell is nothing to naive Bayes, and a value of a category, but not of numbers, to the SVM.
        (GAPS, {}, [f"{SAME}'a', 'b'"]),
        (GAPS, MEASURED, [f"{SAME}'b'"]),
    ],
)
def test_notes_say_what_to_know_before_ranking(text: str, choice: dict[str, Any], expected: list[str]) -> None:
    assert list(encode(prepare_csv(text, **choice))[1]) == expected
    with command_line_language():
        told = encode(prepare_csv(text, **choice))[1]
    assert list(told) == [note.replace("exclude=", "--exclude").replace("bins=", "--bins") for note in expected]


def test_more_values_than_are_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.columns.encode.MOST_VALUES", 2)
    assert encode_csv("a,y\nu,p\nv,q\nu,p\n").rows == 3
    problem = (
        r"^t\.csv: column 'a' has 3 different values, more than the 2 that are counted; leave it out with exclude="
    )
    with pytest.raises(DataError, match=rf"{problem}, or cut or group it in a mapping$"):
        encode_csv("a,y\nu,p\nv,q\nw,p\n")


# Equal rows, and an order of content alone

Rows = list[tuple[str, ...]]

CELLS = st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from(["x", "y"]), st.sampled_from("pq"))
SOME_ROWS = st.lists(CELLS, min_size=4, max_size=12).filter(lambda rows: {row[-1] for row in rows} == {"p", "q"})
NAMES = ["a", "b", "y"]


def content_of(dataset: Dataset, part: str) -> Counter[tuple[int, ...]]:
    """How many rows hold each content; labelled ones begin with their class."""
    columns = [getattr(feature, part) for feature in dataset.features]
    columns, counts = (
        ([dataset.labels, *columns], dataset.counts) if part == "labelled" else (columns, dataset.unlabelled_counts)
    )
    found: Counter[tuple[int, ...]] = Counter()
    for *content, count in zip(*(column.tolist() for column in columns), counts.tolist(), strict=True):
        found[tuple(content)] += count
    return found


@given(SOME_ROWS, st.integers(0, 9))
def test_content_alone_decides_the_order(rows: Rows, seed: int) -> None:
    shuffled = list(rows)
    Random(seed).shuffle(shuffled)
    first = order_by_content(encode_csv(csv_of_rows(NAMES, rows)), seed)
    other_text = csv_of_rows(["b", "a", "y"], [(b, a, y) for a, b, y in shuffled])
    second = order_by_content(encode_csv(other_text), seed)
    assert [feature.name for feature in first.features] == [feature.name for feature in second.features] == ["a", "b"]
    for one, other in zip(first.features, second.features, strict=True):
        assert one.labelled.tolist() == other.labelled.tolist()
    assert (first.labels.tolist(), first.counts.tolist()) == (second.labels.tolist(), second.counts.tolist())
    assert sorted(first.labels.tolist()) == first.labels.tolist()
    assert len(first.counts) == len(set(rows))


def test_another_seed_is_another_order_and_counts_of_equal_rows_are_added() -> None:
    dataset = encode_csv(csv_of(40, a=lambda n: f"v{n}"), keep_identifiers=True)
    orders = [order_by_content(dataset, seed).features[0].labelled.tolist() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    merged = order_by_content(encode_csv(csv_of(40, a=lambda n: "a", n=lambda n: 10**12), count="n"), 0)
    assert merged.counts.tolist() == [20 * 10**12] * 2


def test_a_number_hashes_alike_however_it_is_written() -> None:
    written = ("1 -0 2", "1.0 0.0 2e0", "1 01 2")
    hashes = [content_hashes(encode_csv(csv_of(a=cells.split())), 3)[0].tolist() for cells in written]
    assert hashes[0] == hashes[1]
    assert [len(set(own)) for own in hashes] == [3, 3, 3], "01 is no number, so 1 and 01 differ"


@given(datasets(rows=30), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_the_columns_that_tell_rows_apart_tell_all_of_them_apart(dataset: Dataset, copies: int) -> None:
    fewer = with_distinguishing_features(dataset)
    assert len(content_of(dataset, "labelled")) == len(content_of(fewer, "labelled"))
    rows = len(dataset.labels)
    shuffled = np.random.default_rng(copies).permutation(np.repeat(np.arange(rows), copies))
    repeated = replace(dataset, features=dataset.features[::-1]).take(shuffled, np.empty(0, np.int64))
    repeated = replace(repeated, counts=np.ones(len(shuffled), np.int64))
    assert [own.name for own in with_distinguishing_features(repeated).features] == [own.name for own in fewer.features]


# Folds


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(2, 5))
def test_copies_are_dealt_out_in_turn(counts: list[int], folds: int) -> None:
    one_by_one = np.zeros((folds, len(counts)), dtype=np.int64)
    for place, row in enumerate(np.repeat(np.arange(len(counts)), counts)):
        one_by_one[place % folds, row] += 1
    assert deal(np.array(counts), folds).tolist() == one_by_one.tolist()


@given(SOME_ROWS, st.integers(2, 4), st.integers(0, 3))
def test_every_row_is_in_one_fold_and_folds_are_stratified(rows: Rows, folds: int, seed: int) -> None:
    dataset = encode_csv(csv_of_rows(NAMES, rows))
    dealt = deal_folds(dataset, folds, seed)
    assert dealt.sum(axis=0).tolist() == dataset.counts.tolist()
    for of_class in (dealt, dealt[:, dataset.labels == 0], dealt[:, dataset.labels == 1]):
        sizes = of_class.sum(axis=1)
        assert sizes.max() - sizes.min() <= 1


def test_subjects_of_one_class_or_both_are_spread_over_folds_by_the_rarer_one() -> None:
    classes_of_subjects = ["pq", "q", "p", "p", "q", "pq", "q"]
    rows = [(subject, "pq".index(name)) for subject, names in enumerate(classes_of_subjects) for name in names]
    subjects, labels = np.array(rows).T
    dealt = deal_subjects(labels, np.ones(len(rows), np.int64), subjects, np.arange(7), 2)[subjects]
    assert [np.bincount(dealt[labels == label]).tolist() for label in (0, 1)] == [[2, 2], [3, 2]]


def test_what_folds_cannot_hold_out_is_refused_in_the_caller_s_language() -> None:
    dataset = encode_csv("a,y\nx,p\nz,q\n")
    deal_folds(dataset, 2, 0)
    problem = "folds=3 is more than the 2 labelled rows of t.csv; use fewer, or another estimate="
    with pytest.raises(UsageError, match=f"^{problem}$"):
        deal_folds(dataset, 3, 0)
    with command_line_language(), pytest.raises(UsageError, match=r"^--folds 3 is more .* or another --estimate$"):
        deal_folds(dataset, 3, 0)
    check_class_sizes(encode_csv("a,n,y\nx,2,p\nx,2,q\n", count="n"))
