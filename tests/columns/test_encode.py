"""Prepared table to dataset: codes, unlabelled rows, refused targets and notes."""

from __future__ import annotations

import pytest

import probfs
from tests.support.table_content import Write


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


def test_declared_arff_values_count_though_never_seen(write: Write) -> None:
    body = "\n@attribute y {0,1}\n@data\nx,0\ny,0\nx,1\nx,1\ny,1\n"
    two = probfs.rank(write("a.arff", "@relation r\n@attribute a {x,y}" + body))
    three = probfs.rank(write("b.arff", "@relation r\n@attribute a {x,y,z}" + body))
    assert two.features[0].s_s != three.features[0].s_s


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
