"""Selections as pages."""

from __future__ import annotations

import html
import json
import re
from collections import Counter

import pytest

import probfs
from probfs.rendering.report.selection_report import selection_report
from tests.rendering.report.test_ranking_report import headings_of, rows_of
from tests.support.paths import SAMPLES
from tests.support.results import awkward, make_large_selection
from tests.support.selections import make_selection


@pytest.fixture(scope="module")
def kiln() -> probfs.Selection:
    return probfs.select(SAMPLES / "kiln.csv", target="cracked", folds=3, report=True)


@pytest.fixture(scope="module")
def page(kiln: probfs.Selection) -> str:
    return selection_report(kiln)


def test_every_feature_has_its_verdict_and_why(kiln: probfs.Selection, page: str) -> None:
    headings = headings_of(page)
    assert headings == ["rank", "feature", "verdict", "Ŝ_A", "log-loss", "folds", "p", "q", "why"]
    rows = rows_of(page)
    assert [(row[1], row[2]) for row in rows] == [(own.feature, own.verdict) for own in kiln.features]
    noise = next(row for row in rows if row[2] == "noise")
    assert noise[-1].startswith("q ")


def test_verdicts_can_be_chosen_and_are_counted(kiln: probfs.Selection, page: str) -> None:
    for verdict, number in Counter(own.verdict for own in kiln.features).items():
        label = {"keep": "kept"}.get(verdict, verdict)
        assert f'<option value="{verdict}">{label} ({number})</option>' in page
        assert page.count(f"<tr class={verdict}>") == number


def test_the_summary_says_what_is_kept_and_what_that_achieves(kiln: probfs.Selection, page: str) -> None:
    text = html.unescape(page)
    assert kiln.honest is not None
    assert f"<dd>{len(kiln.kept)} of 8</dd>" in page
    assert f"<dd>{kiln.honest.kept.errors / 300:.1%}</dd>" in page
    assert "Judged on rows that neither choice nor model had seen (3 folds)" in text
    assert f"Kept: '{kiln.kept[0]}'" in text
    assert "folds=3, target='cracked', report=True).to_html('report.html')" in text


def test_the_story_tells_of_those_that_were_eliminated(kiln: probfs.Selection, page: str) -> None:
    left = [own.feature for own in kiln.features if own.log_loss is not None]
    rounds = rows_of(page, "rounds")
    assert [row[-1] for row in rounds] == left[::-1]
    assert [row[2] for row in rounds] == [str(own.errors) for own in reversed(kiln.sizes[1:])]
    (text,) = re.findall(r'<script type="application/json" id="story-data">(.*?)</script>', page)
    assert [len(scores) for scores in json.loads(text)["scores"]] == list(range(len(left), 0, -1))


def test_the_best_few_are_listed_alone(kiln: probfs.Selection) -> None:
    page = selection_report(kiln.top(2))
    assert len(rows_of(page)) == 2
    assert "6 more features are not listed." in page
    assert len(rows_of(page, "rounds")) == len(kiln.sizes) - 1


def test_a_selection_without_background_estimate_or_reasons_has_fewer_parts() -> None:
    features = make_selection().features[:1]
    page = selection_report(make_selection(*features, honest=None))
    assert headings_of(page) == ["rank", "feature", "verdict", "Ŝ_A", "log-loss", "p", "q"]
    assert 'id="story"' not in page


def test_a_table_in_which_all_is_noise_has_a_page() -> None:
    selection = probfs.select(SAMPLES / "kiln.csv", target="cracked", include=["load", "shelf"], folds=0, report=True)
    assert not selection.kept
    page = selection_report(selection)
    assert "No feature is kept." in page
    assert 'id="story"' not in page
    assert 'id="data"' in page


def test_hostile_names_are_shown_and_reasons_stay_short() -> None:
    rows = rows_of(selection_report(make_large_selection(awkward(60))))
    assert max(len(cell) for row in rows for cell in row) <= 300
    assert "<b>bold</b>" in [row[1] for row in rows]
