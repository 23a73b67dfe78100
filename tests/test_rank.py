"""What probfs.rank decides on its own: target, kinds of columns, missing cells, unlabelled rows, ties, notes."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.scores import ABSOLUTE, SIGNED
from probfs.ranking.elimination import leaving_count, leaving_order
from probfs.rendering.ranking_csv import CSV_HEADER
from tests.conftest import SAMPLES

Write = Callable[[str, "str | bytes"], Path]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": list("xxyyxxyx"), "b": list("uvuvuvuv"), "n": [1] * 8, "y": list("00110011")})


# --- the target -----------------------------------------------------------------------------------------------------


def test_the_target_is_the_option_then_the_mapping_then_class_then_the_last_column(write: Write) -> None:
    data = write("t.csv", "class,a,y\n0,x,p\n0,y,q\n1,x,p\n1,x,q\n")
    mapping = write("m.toml", 'target = "a"')
    arff = write("t.arff", "@relation r\n@attribute Class {0,1}\n@attribute a {x,y}\n@data\n0,x\n0,y\n1,x\n1,x\n")
    options = {"estimate": "resubstitution"}
    said: list[str] = []
    for source, more in (
        (data, {"target": "class", "mapping": mapping}),
        (data, {"mapping": mapping}),
        (data, {}),
        (arff, {}),
    ):
        probfs.rank(source, on_note=said.append, **options, **more)  # type: ignore[arg-type]  # options of many types
    assert [note for note in said if note.startswith("target")] == [
        "target: class (by target=)",
        "target: a (by the mapping)",
        "target: y (the last column)",
        "target: Class (the ARFF attribute of that name)",
    ]


def test_the_count_column_is_not_taken_for_the_target(frame: pd.DataFrame) -> None:
    ranking = probfs.rank(frame[["a", "b", "y", "n"]], count="n")
    assert ranking.input.target == "y"
    assert {feature.feature for feature in ranking.features} == {"a", "b"}


def test_options_that_contradict_the_mapping_are_refused(frame: pd.DataFrame, write: Write) -> None:
    for text, options in (
        ('drop = ["y"]', {"target": "y"}),
        ('[columns]\ny = "numeric"', {"target": "y"}),
        ('[columns]\nn = "<= 1"', {"count": "n"}),
        ('drop = ["a"]', {"include": ["a"]}),
    ):
        with pytest.raises(probfs.UsageError, match=r"m\.toml"):
            probfs.rank(frame, mapping=write("m.toml", text), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "clas"}, "target=: no column 'clas'"),
        ({"exclude": ["bb"]}, "exclude=: no column 'bb' in <frame>; did you mean 'b'?"),
        ({"include": ["a"], "exclude": ["a"]}, "both include= and exclude="),
        ({"exclude": ["y"]}, "no column|is the target"),
        ({"count": "y", "target": "y"}, "is the target"),
        ({"score": "unlabeled"}, "there is no unlabelled row"),
        ({"score": "loudest"}, "'loudest' is not one of absolute, signed, unlabeled"),
        ({"folds": 5}, 'folds= goes with estimate="cv" only'),
        ({"estimate": "cv", "folds": 9}, "more than the 8 labelled rows"),
        ({"estimate": "cv", "folds": 1}, "1 is out of range; 2 or more"),
        ({"smoothing": -1}, "smoothing=: "),
        ({"smoothing": math.nan}, "smoothing=: "),
        ({"smoothing": 1e160}, "smoothing=: "),
        ({"na": ["\udcff"]}, "not valid Unicode"),
        ({"step": 0}, "step=: "),
        ({"step": 1.5}, "step=: "),
        ({"bins": 1}, "bins=: 1 is out of range; 2 to 10000"),
        ({"seed": -1}, "seed=: "),
    ],
)
def test_a_wrong_option_is_a_usage_error(frame: pd.DataFrame, options: dict[str, object], message: str) -> None:
    if options == {"exclude": ["y"]}:
        options = {"exclude": ["y"], "target": "y"}
    with pytest.raises(probfs.UsageError, match=message):
        probfs.rank(frame, **options)  # type: ignore[arg-type]  # options of many types


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\nx,1\ny,1\n", "one class only, '1'"),
        ("a,y\nx,\ny,\n", "no row has a value in the target"),
        ("a,y\nx,1\ny,1\nx,2\n", "class '2' has one row only"),
        ("y\n1\n2\n", "no column is left to rank"),
        ("a,y\n" + "".join(f"x,{n}.5\nx,{n}.5\n" for n in range(60)), "a regression target?"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(probfs.DataError) as caught:
        probfs.rank(write("t.csv", text))
    assert message in str(caught.value)


def test_many_numbers_may_be_classes_if_the_user_says_so(write: Write) -> None:
    body = "".join(f"{'xy'[n % 2]},{n}\nx,{n}\n" for n in range(60))
    names = ",".join(str(n) for n in range(60))
    arff = f"@relation r\n@attribute a {{x,y}}\n@attribute class {{{names}}}\n@data\n{body}"
    assert len(probfs.rank(write("t.arff", arff)).input.classes) == 60
    data, mapping = write("t.csv", "a,y\n" + body), write("m.toml", '[columns]\ny = "category"\n')
    assert len(probfs.rank(data, mapping=mapping).input.classes) == 60


def test_arguments_of_other_sorts_are_understood(frame: pd.DataFrame) -> None:
    expected = probfs.rank(frame, target="y", exclude=["b"], unlabeled=[frame]).to_csv()
    numbered = frame.rename(columns={"y": 7})
    ranking = probfs.rank(numbered, target=7, exclude="b", unlabeled=numbered)  # type: ignore[arg-type]  # the point
    assert ranking.to_csv() == expected
    assert probfs.rank(frame, step=np.float64(0.5)).to_csv() == probfs.rank(frame, step=0.5).to_csv()
    with pytest.raises(probfs.UsageError, match="path or a pandas data frame, not dict"):
        probfs.rank({"a": [1]})  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(probfs.UsageError, match="only once"):
        probfs.rank("-", unlabeled=["-"])


# --- columns --------------------------------------------------------------------------------------------------------


def test_a_long_numeric_column_is_cut_at_quantiles_and_it_is_said(write: Write) -> None:
    rows = [(n, n % 3, "ab"[n > 12]) for n in range(25)]
    data = write("t.csv", "x,k,y\n" + "".join(f"{x},{k},{y}\n" for x, k, y in rows))
    ranking = probfs.rank(data)
    assert any("cut at quantiles" in warning and "'x'" in warning for warning in ranking.warnings)
    cut = write("m.toml", "[columns]\nx = { cut = [4, 9, 14, 19] }\n")
    assert [f.s_s for f in probfs.rank(data, mapping=cut).features] == [f.s_s for f in ranking.features]
    assert probfs.rank(data, bins=3).features[0].s_s != ranking.features[0].s_s


def test_a_leading_zero_keeps_a_column_text(write: Write) -> None:
    text = "x,y\n" + "".join(f"{n:03},{'ab'[n % 2]}\n" for n in range(30))
    ranking = probfs.rank(write("t.csv", text))
    assert not any("cut at" in warning for warning in ranking.warnings)
    assert any("a different value in every row" in warning for warning in ranking.warnings)


def test_notes_name_constant_empty_and_nearly_numeric_columns(write: Write) -> None:
    rows = "".join(f"1,,{n if n else 'none'}.5,{'ab'[n % 2]}\n" for n in range(40))
    warnings = "\n".join(probfs.rank(write("t.csv", f"same,void,near,y\n{rows}")).warnings)
    for expected in (
        "the same value in every labelled row",
        "no value in any labelled row: 'void'",
        "nearly all values are",
    ):
        assert expected in warnings


def test_missing_texts_and_declared_missing_are_the_same(write: Write) -> None:
    given_, plain = "a,y\nx,0\n?,0\ny,1\nNA,1\nx,1\n", "a,y\nx,0\n,0\ny,1\n,1\nx,1\n"
    expected = probfs.rank(write("plain.csv", plain)).to_csv()
    assert probfs.rank(write("t.csv", given_), na=["?", "NA"]).to_csv() == expected
    assert probfs.rank(write("t.csv", given_), mapping=write("m.toml", 'missing = ["?", "NA"]')).to_csv() == expected


def test_declared_arff_values_count_though_never_seen(write: Write) -> None:
    body = "\n@attribute y {0,1}\n@data\nx,0\ny,0\nx,1\nx,1\ny,1\n"
    two = probfs.rank(write("a.arff", "@relation r\n@attribute a {x,y}" + body))
    three = probfs.rank(write("b.arff", "@relation r\n@attribute a {x,y,z}" + body))
    assert two.features[0].s_s != three.features[0].s_s


# --- unlabelled rows and counts -------------------------------------------------------------------------------------


def test_rows_without_a_class_and_rows_of_another_file_are_the_same(write: Write) -> None:
    labelled = "a,b,y\nx,u,0\ny,v,0\nx,v,1\ny,u,1\nx,u,1\n"
    inside = probfs.rank(write("one.csv", labelled + "x,v,\ny,new,\n"), score="unlabeled")
    outside = probfs.rank(
        write("two.csv", labelled),
        unlabeled=[write("u.csv", "b,a\nv,x\n"), write("w.csv", "a,b\ny,new\n")],
        score="unlabeled",
    )
    assert inside.to_csv() == outside.to_csv()
    assert outside.input.unlabelled_rows == 2
    assert all(feature.s_su is not None for feature in inside.features)


def test_unlabelled_values_that_match_nothing_are_noted(write: Write) -> None:
    data = write("t.csv", "a,y\n1,p\n2,p\n1,q\n2,q\n")
    ranking = probfs.rank(data, unlabeled=[write("u.csv", "a\n1.0\n2.0\n1\n")])
    assert any("most unlabelled cells hold what labelled ones do not" in warning for warning in ranking.warnings)


def test_an_unlabelled_table_that_lacks_a_column_is_refused(write: Write) -> None:
    with pytest.raises(probfs.DataError, match=r"u\.csv: lacks 1 column of .*t\.csv: 'b'"):
        probfs.rank(write("t.csv", "a,b,y\nx,u,0\ny,v,0\nx,v,1\ny,u,1\n"), unlabeled=[write("u.csv", "a\nx\n")])


def test_counts_must_be_whole_numbers(write: Write) -> None:
    for bad in ("1.5", "-1", "two", ""):
        with pytest.raises(probfs.DataError, match=r"t\.csv:3: column 'n'"):
            probfs.rank(write("t.csv", f"a,n,y\nx,1,0\ny,{bad},0\nx,1,1\n"), count="n")


def test_a_row_that_stands_for_none_is_no_row(write: Write) -> None:
    some = probfs.rank(write("t.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\n"), count="n")
    more = probfs.rank(write("u.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\nz,0,2\nz,0,1\n"), count="n")
    assert some.to_csv() == more.to_csv()


# --- elimination ----------------------------------------------------------------------------------------------------


def scored(values: list[float], s_s: list[float] | None = None) -> RoundScores:
    signed = ExtendedFloats.of(np.array(values))
    return RoundScores(ExtendedFloats.of(np.array(s_s or [abs(v) for v in values])), signed, None, 1, 0, 0.0, 0.0)


def test_a_tie_falls_to_the_name() -> None:
    values = [0.5, 0.25, 0.5 * (1 + 1e-13), 0.25 * (1 - 1e-13)]
    order = leaving_order(scored(values), SIGNED, np.arange(4), ["a", "c", "b", "d"], 4)
    assert order == [3, 1, 2, 0]
    assert leaving_order(scored([0.5, 0.5 * (1 + 1e-11)]), ABSOLUTE, np.arange(2), ["a", "b"], 2) == [0, 1]


def test_a_signed_score_that_is_only_rounding_is_a_tie() -> None:
    assert leaving_order(scored([1e-18, -3e-18], [0.2, 0.2]), SIGNED, np.arange(2), ["a", "b"], 2) == [1, 0]
    assert leaving_order(scored([-3e-18, 1e-18], [0.2, 0.2]), SIGNED, np.arange(2), ["a", "b"], 2) == [1, 0]


@given(
    st.lists(st.tuples(st.floats(-1, 1).filter(lambda v: v == 0 or abs(v) > 1e-9), st.integers(-9000, 0)), min_size=2)
)
def test_numbers_below_the_smallest_double_are_ordered_as_integers_would_be(pairs: list[tuple[float, int]]) -> None:
    values, exponents = (np.array(column) for column in zip(*pairs, strict=True))
    scaled = ExtendedFloats.of(values.astype(float), exponents.astype(np.int64))
    scores = RoundScores(scaled, scaled, None, 1, 0, 0.0, 0.0)
    order = leaving_order(scores, ABSOLUTE, np.arange(len(pairs)), ["same"] * len(pairs), len(pairs))
    exact = [int(math.ldexp(value, 100)) * 2 ** (9000 + exponent) for value, exponent in pairs]
    for lower, higher in pairwise(order):
        assert exact[lower] - exact[higher] <= abs(exact[higher]) // 10**11


@pytest.mark.parametrize(
    ("step", "remaining", "count"), [(1, 5, 1), (7, 5, 5), (0.3, 10, 3), (0.29, 100, 29), (0.3, 2, 1), (None, 4, 4)]
)
def test_how_many_leave(step: int | float | None, remaining: int, count: int) -> None:
    assert leaving_count(step, remaining) == count


def test_one_round_without_elimination_ranks_by_its_scores() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"], eliminate=False)
    assert len(ranking.rounds) == 1
    sizes = [feature.s_s for feature in ranking.features]
    assert sizes == sorted(sizes, reverse=True)
    assert all(f.round == 1 and f.s_s == f.initial_s_s for f in ranking.features)


def test_folds_are_seeded() -> None:
    def ranks(seed: int) -> str:
        return probfs.rank(SAMPLES / "commute.csv", exclude=["person"], estimate="cv", folds=5, seed=seed).to_csv()

    assert ranks(1) == ranks(1)
    assert ranks(1) != ranks(2)


# --- the result -----------------------------------------------------------------------------------------------------


def test_the_ranking_is_frozen_and_complete(tmp_path: Path) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        ranking.version = "2"  # type: ignore[misc]  # the point of the test
    assert [f.rank for f in ranking.features] == [1, 2, 3, 4, 5, 6]
    assert [f.round for f in ranking.features] == [6, 5, 4, 3, 2, 1]
    assert [r.features for r in ranking.rounds] == [6, 5, 4, 3, 2, 1]
    assert [r.removed for r in ranking.rounds] == [(f.feature,) for f in reversed(ranking.features)]
    frame = ranking.to_frame()
    assert tuple(frame.columns) == CSV_HEADER
    assert frame["s_s"].tolist() == [f.s_s for f in ranking.features]
    ranking.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == ranking.to_csv()
    read = pd.read_csv(tmp_path / "r.csv")
    assert read["s_s"].tolist() == [f.s_s for f in ranking.features], "repr precision: every digit survives"


def test_the_keys_of_the_json_are_a_contract() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"])
    document = json.loads(ranking.to_json())
    assert list(document) == ["schema", "version", "input", "settings", "features", "rounds", "warnings"]
    assert document["schema"] == "probfs.ranking/1"
    assert list(document["features"][0]) == ["rank", "feature", "s_s", "s_a", "s_su", "round", "initial"]
    assert list(document["features"][0]["initial"]) == ["s_s", "s_a", "s_su"]
    assert list(document["rounds"][0]) == [
        "round",
        "features",
        "removed",
        "errors",
        "rows",
        "absolute_loss",
        "log_loss",
    ]
    assert ",".join(CSV_HEADER) == "rank,feature,s_s,s_a,s_su,round,initial_s_s,initial_s_a,initial_s_su"


def test_an_infinite_loss_is_null_in_json() -> None:
    ranking = probfs.rank(SAMPLES / "breast_cancer.csv", exclude=["sample_id"], smoothing=0)
    assert math.isinf(ranking.rounds[0].log_loss)
    document = json.loads(ranking.to_json(), parse_constant=lambda text: pytest.fail(f"{text} in JSON"))
    assert document["rounds"][0]["log_loss"] is None


def test_everything_exported_can_be_imported() -> None:
    for name in probfs.__all__:
        assert getattr(probfs, name) is not None
    with pytest.raises(AttributeError):
        probfs.nothing_of_the_kind  # noqa: B018  # the access is the test
