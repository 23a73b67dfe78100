"""What results keep for a report: the table's columns, how numbers were cut, and the call."""

from __future__ import annotations

from dataclasses import replace

import pytest

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.columns.inspect import inspect_table
from probfs.ranking.inputs import InputRequest, read_prepared
from probfs.ranking.story import Background
from tests.support.paths import SAMPLES

KILN = SAMPLES / "kiln.csv"


def background_of(result: probfs.Ranking | probfs.Selection) -> Background:
    assert result.background is not None
    return result.background


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_the_inspection_is_that_of_the_command(call: object) -> None:
    result = (
        probfs.rank(KILN, target="cracked", report=True)
        if call is probfs.rank
        else probfs.select(KILN, target="cracked", folds=0, report=True)
    )
    prepared, _ = read_prepared(InputRequest(KILN, choice=ColumnChoice("cracked", missing="auto")))
    assert background_of(result).inspection == inspect_table(prepared)


def test_intervals_are_told_of_the_columns_that_were_cut_and_of_no_others() -> None:
    intervals = background_of(probfs.rank(KILN, target="cracked", report=True)).intervals
    assert intervals["soak_minutes"] == ("(-inf,35]", "(35,40]", "(40,44]", "(44,49]", "(49,inf)")
    assert "clay" not in intervals
    assert not background_of(probfs.rank(KILN, target="cracked", report=True, classifier="svm", step=4)).intervals


def test_the_call_has_what_was_not_a_default_and_gives_the_same_result() -> None:
    ranking = probfs.rank(
        KILN, target="cracked", score="signed", exclude=["clay", "load"], smoothing=0.5, na="?", report=True
    )
    call = background_of(ranking).call
    assert call.endswith(").to_html('report.html')")
    assert "estimate" not in call
    again = eval(call.removesuffix(".to_html('report.html')"), {"probfs": probfs})
    assert again == ranking


def test_the_call_lists_as_many_features_as_the_result() -> None:
    background = background_of(probfs.rank(KILN, target="cracked", report=True).top(2))
    assert background.call.endswith(", report=True).top(2).to_html('report.html')")
    typed = replace(background, call="probfs rank kiln.csv --top 2 -o r.html")
    assert typed.with_top(2) == typed
