"""probfs.compare: what became of each column, how alike two rankings are, what may be compared, and conditions."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

import probfs
from probfs.comparison.changes import compare_rankings
from probfs.comparison.measures import (
    MEASURES,
    Condition,
    parse_condition,
)
from probfs.comparison.result import Difference, Side
from probfs.errors import DataError, ProbfsError, UsageError
from probfs.text import command_line_language
from tests.support import SAMPLES
from tests.support.results import compare_orders, ranking_document, ranking_of, selection_of
from tests.support.tables import Write

NAMES = st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True)
CANCER = SAMPLES / "breast_cancer.csv"
COMMUTE = SAMPLES / "commute.csv"
TEXT = json.dumps(ranking_document("abc"), indent=2)

# What became of each column


@settings(max_examples=40)
@given(NAMES, NAMES)
def test_moves_and_correlations_are_those_of_lists_without_the_others(old: list[str], new: list[str]) -> None:
    comparison = compare_orders(old, new)
    left, right = [name for name in old if name in new], [name for name in new if name in old]
    expected: dict[str, tuple[str, int | None]] = {name: ("appeared", None) for name in new if name not in old}
    expected |= {name: ("vanished", None) for name in old if name not in new}
    for name in left:
        moved = left.index(name) - right.index(name)
        expected[name] = ("rose" if moved > 0 else "fell" if moved < 0 else "same", moved)
    assert {column.column: (column.change, column.moved) for column in comparison.columns} == expected
    assert [column.column for column in comparison.columns] == [*new, *(name for name in old if name not in new)]
    assert comparison.measures["changed"] == sum(change != "same" for change, _ in expected.values())
    correlations = None, None
    if len(left) > 1:
        ranks = range(len(left)), [right.index(name) for name in left]
        correlations = spearmanr(*ranks).statistic, kendalltau(*ranks).statistic
    assert (comparison.spearman, comparison.kendall) == pytest.approx(correlations, abs=1e-12)
    # Rank-biased overlap by eq. 32, term by term, in the paper's letters.
    shorter, longer = sorted((old, new), key=len)
    s, l, p = len(shorter), len(longer), 0.9  # noqa: E741
    x = [len(set(shorter[:depth]) & set(longer[:depth])) for depth in range(l + 1)]
    seen = sum(x[d] / d * p**d for d in range(1, l + 1))
    beyond = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    value = (1 - p) / p * (seen + beyond) + ((x[l] - x[s]) / l + x[s] / s) * p**l
    assert comparison.rbo == pytest.approx(value, abs=1e-12)


@settings(max_examples=25)
@given(st.data())
def test_a_move_is_beyond_if_no_interval_holds_the_other_rank(data: st.DataObject) -> None:
    """Intervals are taken among the common columns: here, by marking which of them each interval spans."""
    old, new = data.draw(NAMES), data.draw(NAMES)
    sides: list[dict[str, Any]] = []
    for names in (old, new):
        drawn = {
            name: (data.draw(st.integers(1, rank)), data.draw(st.integers(rank, len(names))))
            for rank, name in enumerate(names, 1)
        }
        sides.append({"intervals": data.draw(st.sampled_from([None, drawn]))})
    comparison = compare_rankings(ranking_of(old, **sides[0]), ranking_of(new, **sides[1]))
    left, right = [name for name in old if name in new], [name for name in new if name in old]
    for column in comparison.columns:
        inside = []
        for names, own, other, side in ((old, left, right, sides[0]), (new, right, left, sides[1])):
            if side["intervals"] is not None and column.moved is not None:
                low, high = side["intervals"][column.column]
                spanned = {own.index(name) for name in names[low - 1 : high] if name in own}
                inside.append(other.index(column.column) in spanned)
        assert column.beyond == (None if not inside else not any(inside))
    assert (comparison.measures["beyond"] is None) == all(column.beyond is None for column in comparison.columns)


def test_verdicts_and_kept_columns_are_compared() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "weak", "d": "noise"})
    new = selection_of({"a": "keep", "c": "keep", "b": "noise", "d": "noise", "e": "keep"})
    comparison = compare_rankings(old, new)
    assert (comparison.newly_kept, comparison.no_longer_kept) == (("c", "e"), ("b",))
    assert [column.column for column in comparison.changed] == ["c", "b", "e"]
    measures = comparison.measures
    assert [measures[name] for name in ("rose", "fell", "appeared", "verdicts", "kept_changed")] == [1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": {"score": "signed"}}, Difference("score", "absolute", "signed", True)),
        ({"settings": {"folds": 5}}, Difference("folds", None, 5, True)),
        ({"settings": {"bins": 7}}, Difference("bins", 5, 7, False)),
        ({"target": "mode"}, Difference("target", "outcome", "mode", True)),
        ({"classes": {"no": 1, "maybe": 2}}, Difference("classes", ["no", "yes"], ["maybe", "no"], True)),
        ({"labelled_rows": 400}, Difference("labelled rows", 500, 400, False)),
    ],
)
def test_a_difference_says_what_and_whether_it_is_severe(changes: dict[str, Any], expected: Difference) -> None:
    assert compare_rankings(ranking_of("ab"), ranking_of("ab", **changes)).differences == (expected,)
    found = compare_rankings(ranking_of("ab"), selection_of({"a": "keep"}, labelled_rows=3)).differences
    assert [difference.what for difference in found] == ["document", "score", "folds", "labelled rows"]
    assert [difference.severe for difference in found] == [True, True, False, False]


def test_what_makes_a_comparison_doubtful_is_said() -> None:
    old = ranking_of("abc", "old.json", total=1200)
    new = ranking_of("abc", "new.json", settings={"score": "signed", "bins": 9})
    with command_line_language():
        remarks = compare_rankings(old, new, top=1201).warnings
    assert [(remark.code, remark.severity, remark.message) for remark in remarks] == [
        ("difference", "warning", "score: absolute in old.json, but signed in new.json; ranks are hard to compare"),
        ("partial", "warning", "old.json lists only the best 3 of 1,200 columns: columns beyond them are unlisted"),
        ("top", "note", "--top 1201: there are only 1,200, so overlap is of all columns"),
    ]
    assert compare_rankings(old, ranking_of("abc"), top=1200).warnings[1:] == ()
    assert compare_orders("abc", "cab", 3).warnings == ()


def test_what_a_partial_document_leaves_out_neither_appeared_nor_vanished() -> None:
    scores = {"b": 0.4, "x": 0.4}
    part, whole = ranking_of("ab", total=9, scores=scores), ranking_of("axcdefghi", scores=scores)
    new, old = compare_rankings(part, whole, top=5), compare_rankings(whole, part)
    assert {column.change for column in new.columns} == {"same", "unlisted", "vanished"}
    assert {column.change for column in old.columns} == {"same", "unlisted", "appeared"}
    assert (new.renamed, new.overlaps, new.measures["overlap"]) == ({}, (), None)
    assert compare_rankings(part, whole, top=2).measures["overlap"] == 0.5
    names = ("changed", "appeared", "vanished", "renamed")
    assert [new.measures[name] for name in names] == [1, None, 1, None]
    assert [old.measures[name] for name in names] == [1, 1, None, None]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (0.5, 0.001, True),
        (0.5 * (1 + 9e-10), 0.001, True),
        (0.5 * (1 + 1.1e-9), 0.001, False),
        (0.5, 0.001 - 4.9e-10, True),
        (0.5, 0.001 + 5.1e-10, False),
    ],
)
def test_scores_are_the_same_to_nine_digits_of_the_largest(first: float, second: float, same: bool) -> None:
    def scored(first: float, second: float, score: str = "absolute") -> Side:
        side = ranking_of("ab", settings={"score": score})
        features = [replace(one, s_s=value) for one, value in zip(side.by_name.values(), (first, second), strict=True)]
        result: Any = side.result
        return replace(side, result=replace(result, features=tuple(features)))

    assert compare_rankings(scored(0.5, 0.001), scored(first, second)).same_scores is same
    assert compare_rankings(scored(0.5, 0.001), scored(first, second, "signed")).same_scores is None


@pytest.mark.parametrize(
    ("old", "new", "changes", "found"),
    [
        ({"a": 0.5, "b": 0.4, "c": 0.2}, {"a": 0.5, "x": 0.4, "c": 0.2}, {}, {"b": "x"}),
        ({"a": 0.5, "b": 0.25}, {"z": 0.25 * (1 + 1e-12), "y": 0.75}, {"labelled_rows": 400}, {"b": "z"}),
        ({"a": 0.5}, {"y": 0.5, "z": 0.5}, {}, {}),
        ({"y": 0.5, "z": 0.5}, {"a": 0.5}, {}, {}),
        ({"a": 0.0}, {"z": 0.0}, {}, {}),
        ({"a": 0.3}, {"z": 0.3}, {"initial": 0.2}, {"a": "z"}),
        ({"a": 0.3}, {"z": 0.3}, {"initial": 0.2, "labelled_rows": 499}, {}),
        ({"a": 0.3}, {"z": 0.31}, {}, {}),
    ],
    ids=[
        *("the same score", "but for rounding, in fewer rows", "two could be meant", "or be meant by one"),
        *("columns without effect are all alike", "another score, but the same test", "in fewer rows", "another test"),
    ],
)
def test_a_column_that_scores_or_tests_the_same_is_probably_the_same(
    old: dict[str, float], new: dict[str, float], changes: dict[str, Any], found: dict[str, str]
) -> None:
    comparison = compare_rankings(ranking_of(list(old), scores=old), ranking_of(list(new), scores=new, **changes))
    assert comparison.renamed == found
    both = found | {now: before for before, now in found.items()}
    assert {each.column: each.renamed for each in comparison.columns if each.renamed} == both
    assert comparison.measures["renamed"] == len(found)


def test_a_column_that_was_screened_out_is_told_by_p_unless_that_is_1() -> None:
    old, new = {"a": "keep", "b": "noise", "c": "noise"}, {"a": "keep", "x": "noise", "y": "noise"}
    for p, renamed in ((0.04, {"c": "x"}), (1.0, {})):
        scores = {"b": 0.3, "c": 10 * p, "x": 10 * p, "y": 0.5}
        comparison = compare_rankings(selection_of(old, scores=scores), selection_of(new, scores=scores))
        assert comparison.renamed == renamed


def test_overlaps_are_of_the_first_5_10_20_and_of_half_of_few_columns() -> None:
    names = [f"c{number}" for number in range(30)]
    comparison = compare_orders(names, [*names[15:], *names[:15]])
    assert [(each.first, each.shared) for each in comparison.overlaps] == [(5, 0), (10, 0), (20, 10)]
    assert [compare_orders(names[:n], names[:n]).top for n in (1, 2, 3, 19, 20, 30)] == [1, 1, 2, 10, 10, 10]


# What may be compared


@pytest.fixture(scope="module")
def ranking() -> probfs.Ranking:
    return probfs.rank(CANCER, target="class", score="signed")


@pytest.fixture(scope="module")
def selection() -> probfs.Selection:
    return probfs.select(CANCER, target="class", folds=0)


def shuffled(path: Path) -> str:
    header, *rows = path.read_text().splitlines(keepends=True)
    random.Random(3).shuffle(rows)
    return "".join([header, *rows])


def test_nothing_changed_if_rows_or_columns_were_shuffled(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    table = write("shuffled.csv", shuffled(CANCER))
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    frame = frame[sorted(map(str, frame))]
    for old, new in ((selection, selection), (ranking, table), (table, ranking), (selection, table), (ranking, frame)):
        comparison = probfs.compare(old, new)
        assert (comparison.changed, comparison.differences) == ((), ())
        assert comparison.same_scores
        assert {comparison.measures[name] for name in ("spearman", "kendall", "overlap")} == {1}


def test_warnings_and_notes_are_heard() -> None:
    notes: list[str] = []
    progress: list[probfs.Progress] = []
    old, new = (probfs.rank(CANCER, target="class", score=score) for score in ("absolute", "signed"))
    probfs.compare(old, new, on_note=notes.append)
    assert notes == ["score: absolute in <old>, but signed in <new>; ranks are hard to compare"]
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    probfs.compare(frame, old, on_note=notes.append, on_progress=progress.append)
    assert notes[1] == "a data frame is read with the target and the settings of <new>"
    assert notes[2].startswith("target: class (as in <new>)")
    assert "ranking" in {step.stage for step in progress}


@pytest.mark.parametrize("name", ["R.JSON", "r.json.gz", "r.out", "r"])
def test_a_document_is_known_by_its_ending_or_by_how_it_begins(write: Write, name: str) -> None:
    path = write(name, gzip.compress(TEXT.encode()) if name.endswith(".gz") else f" \n{TEXT}".encode())
    assert list(probfs.compare(path, path).new.by_name) == ["a", "b", "c"]


def test_what_is_no_document_is_a_table_and_one_of_the_two_must_be_one(write: Write, ranking: probfs.Ranking) -> None:
    columns = {"settings": [1], "to_json": [2]}
    lazy = pl.DataFrame(columns).lazy()
    for table in (write("t.txt", "a,b\n1,2\n"), Path("none.csv.gz"), pd.DataFrame(columns), lazy, np.zeros((2, 2))):
        with pytest.raises(UsageError, match=r"are both tables; one of the two must be the JSON"):
            probfs.compare(table, table)
    document, no_document = write("t.dat", TEXT), write("u.dat", '{"a": 1}')
    refused: list[tuple[Any, Any, dict[str, Any], str]] = [
        (document, document, {"input_format": "jsonl"}, "are both tables"),
        ("-", "-", {}, "standard input can be read only once; name a file for the other"),
        (no_document, ranking, {}, "is JSON, but not of probfs"),
        ("none", ranking, {}, "none: cannot be read: no such file"),
        *((ranking, other, {}, r"^new must be a path, a Ranking, a Selection or a ") for other in ({"a": 1}, 3, None)),
        (ranking, ranking.top(0), {}, r"^<new>: lists no column, so there is nothing to compare"),
        (ranking, ranking, {"skip_rows": 0}, r"^skip_rows=0: both are JSON of probfs, and there is no table to read"),
        (ranking, ranking, {"union": True, "max_unpacked": "1G"}, r"^union=True: both are JSON of probfs"),
    ]
    for old, new, options, problem in refused:
        with pytest.raises(ProbfsError, match=problem):
            probfs.compare(old, new, **options)
    assert probfs.compare(ranking, ranking, union=False, sheet=None, max_unpacked="1G").changed == ()
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'delimeter'; did you mean 'delimiter'\?"):
        probfs.compare(ranking, CANCER, delimeter=";")


def test_standard_input_and_pipes_are_looked_at_and_can_still_be_read(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stand_in(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))

    document = write("r.json", TEXT)
    stand_in(TEXT.encode())
    assert probfs.compare(document, "-").new.document == "<stdin>"
    ranked = write("c.json", probfs.rank(COMMUTE, target="mode").to_json())
    stand_in(COMMUTE.read_bytes())
    assert probfs.compare(ranked, "-").changed == ()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(TEXT,))
    writer.start()
    assert probfs.compare(document, tmp_path / "pipe").changed == ()
    writer.join()


@pytest.mark.parametrize(
    "options",
    [
        {"score": "signed", "estimate": "cv", "folds": 3, "seed": 7, "bins": 3, "shrink": "on", "smoothing": 0.5},
        {"eliminate": False, "exclude": ["age"], "na": ["none", "x"], "keep_identifiers": True, "min_class": 1},
        {"step": 0.5, "include": ["age", "distance", "weather"], "missing": "value", "uncertainty": True},
        {"classifier": "logistic", "C": 0.5, "eliminate": False, "exclude": ["age", "person"]},
    ],
)
def test_a_table_is_ranked_as_the_document_was(options: dict[str, Any], write: Write) -> None:
    ranking = probfs.rank(COMMUTE, target="mode", **options)
    comparison = probfs.compare(write("r.json", ranking.to_json()), COMMUTE)
    assert comparison.new.result == ranking
    assert comparison.new.document == str(COMMUTE)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"novelty": 3}, "settings.'novelty' is a setting that this version of probfs does not know"),
        ({"kernel": "rbf"}, "settings.'kernel' is a setting that this version of probfs does not know, or not with"),
        ({"mapping": "m\0.toml"}, "m\\x00.toml: cannot be read: embedded null byte"),
        ({"folds": 3}, 'what was done there cannot be done with the other table: folds= goes with estimate="cv" only'),
        ({"count": "age\x1b"}, "count=: no column 'age\\x1b'"),
        ({"mapping": "/dev/zero"}, "/dev/zero: is larger than"),
        ({"classifier": "estimator", "bins": None, "estimator": "Pipe\n" + "x" * 9999}, "with Pipe\\nxxxx"),
    ],
)
def test_settings_that_cannot_be_used_again_are_the_document_s_fault(
    write: Write, settings: dict[str, Any], says: str
) -> None:
    document = write("old.json", json.dumps(ranking_document("ab", target="mode", settings=settings)))
    with pytest.raises(DataError) as caught:
        probfs.compare(document, COMMUTE)
    assert str(caught.value).startswith(f"{document}: ")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 600
    assert probfs.compare(document, document).changed == ()


def test_a_table_that_does_not_suit_is_refused_with_its_name(write: Write) -> None:
    ranking = probfs.rank(COMMUTE, target="mode")
    with pytest.raises(DataError, match=r"^<old>: .*target=: no column 'mode' in .*t\.csv"):
        probfs.compare(ranking, write("t.csv", "a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"t\.csv:2: 3 fields"):
        probfs.compare(ranking, write("t.csv", "a,mode\n1,2,3\n"))
    more = write("more.csv", COMMUTE.read_text())
    with pytest.raises(DataError, match=r"^<old>: was ranked with the unlabelled rows of '.*', which are not read"):
        probfs.compare(probfs.rank(COMMUTE, target="mode", unlabeled=more, score="unlabeled"), COMMUTE)
    assert probfs.compare(probfs.rank(COMMUTE, target="mode", unlabeled=more), COMMUTE).changed == ()


def test_mappings_are_read_again_and_the_table_as_it_is_said(write: Write) -> None:
    rows = "".join(f"{n % 2};{n % 3};{1 + n % 2};{n}.5\n" for n in range(30))
    table, mapping = write("t.txt", f"a;b;n;y\n{rows}"), write("m.toml", '[columns]\na = "category"\n')
    ranking = probfs.rank(table, target="y", cut_target=3, count="n", mapping=mapping, delimiter=";")
    assert probfs.compare(ranking, table, delimiter=";").new.result == ranking
    mapping.unlink()
    with pytest.raises(DataError, match=r"^<old>: what was done there .*: .*m\.toml: cannot be read: no such file"):
        probfs.compare(ranking, table, delimiter=";")


def test_a_comparison_shows_itself_in_a_line_and_its_frame_knows_missing_values() -> None:
    shown = "<Comparison of old.json with new.json: 2 of 3 columns changed, Spearman 0.500>"
    assert repr(compare_orders("abc", "acb")) == shown
    assert repr(compare_orders("a", "b")).endswith(": 2 of 2 columns changed, no correlation>")
    assert compare_orders("a", "b").to_frame()["old_rank"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("spearman<0.8<1", "'0.8<1' is not a number"),
        ("spearmen<0.8", f"'spearmen' is not a measure; choose from {', '.join(MEASURES)}"),
        ("spearman<nan", "'nan' is not a number, in the condition 'spearman<nan'"),
        ("\x1b", "is not a measure, <= >= == != < >, and a number, in quotes, like 'spearman<0.8'; measures: s"),
    ],
)
def test_a_malformed_condition_is_a_usage_error_with_the_way_out(text: str, says: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--fail-if: ") as caught:
        parse_condition(text)
    assert says in str(caught.value)


def test_a_condition_is_true_or_not_and_fails_closed_where_its_measure_is_not_known() -> None:
    measures = compare_orders("ab", "bc").measures
    unknown = {name for name, value in measures.items() if value is None}
    assert unknown == {"spearman", "kendall", "beyond", "verdicts", "kept_changed"}
    for symbol, says in (("<", False), ("<=", True), (">", False), (">=", True), ("==", True), ("!=", False)):
        assert (parse_condition(f"appeared{symbol}1").explain(measures) is not None) == says
        explained = parse_condition(f"spearman{symbol}0").explain(measures)
        reason = "counts as true: spearman is not known, as fewer than two columns are in both"
        assert explained == f"spearman {symbol} 0 {reason}"
    assert parse_condition("rbo<1").explain({"rbo": 0.25}) == "rbo < 1 is true: rbo is 0.25"
    assert parse_condition(" Kendall <= -.5") == Condition("kendall", "<=", -0.5)
