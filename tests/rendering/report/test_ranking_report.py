"""Rankings as pages."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.rendering.report.ranking_report import ranking_report
from tests.support.paths import SAMPLES
from tests.support.results import awkward, make_ranking

MEGABYTE = 1_000_000


def rows_of(page: str, table: str = "features") -> list[list[str]]:
    """The cells of a table, row by row."""
    (body,) = re.findall(rf'<table id="{table}".*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    rows = re.split(r"<tr[^>]*>", body)[1:]
    cells = [re.split(r"<t[dh][^>]*>", row)[1:] for row in rows]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def headings_of(page: str, table: str = "features") -> list[str]:
    (head,) = re.findall(rf'<table id="{table}".*?<thead>(.*?)</thead>', page, re.DOTALL)
    return re.findall(r"<th[^>]*>(.*?)</th>", head)


@pytest.fixture(scope="module")
def kiln() -> probfs.Ranking:
    return probfs.rank(SAMPLES / "kiln.csv", target="cracked", report=True, uncertainty=True)


@pytest.fixture(scope="module")
def page(kiln: probfs.Ranking) -> str:
    return ranking_report(kiln)


def test_the_table_lists_every_feature_with_its_scores_and_intervals(kiln: probfs.Ranking, page: str) -> None:
    headings = headings_of(page)
    assert headings[:5] == ["rank", "feature", "Ŝ_S", "Ŝ_A", "left in round"]
    assert {"rank interval (90%)", "Ŝ_S in round 1", "p", "q"} < set(headings)
    rows = rows_of(page)
    assert [row[1] for row in rows] == [feature.feature for feature in kiln.features]
    for row, feature in zip(rows, kiln.features, strict=True):
        assert len(row) == len(headings)
        assert row[0] == str(feature.rank)
        assert float(row[2]) == pytest.approx(feature.s_s, abs=5e-5)
        assert row[headings.index("rank interval (90%)")] == f"{feature.rank_low}-{feature.rank_high}"
        assert float(row[headings.index("q")]) == pytest.approx(feature.q, rel=0.06, abs=5e-4)


def test_noise_is_marked_and_can_be_chosen(kiln: probfs.Ranking, page: str) -> None:
    noise = [feature.feature for feature in kiln.features if (feature.q or 0.0) > 0.1]
    assert noise
    assert [row[1] for row in rows_of(page) if row[-1] == "≈\u00a0noise"] == noise
    assert '<option value="noise">≈ noise</option>' in page
    assert page.count("<tr class=noise>") == len(noise)
    assert f"cannot tell {len(noise)} of those listed from noise" in page


def test_the_page_has_the_summary_the_warnings_the_settings_and_the_call(page: str) -> None:
    text = html.unescape(page)
    assert "8 features, 300 labelled rows, target cracked with 2 classes ('no', 'yes')." in text
    assert "Naive Bayes, leave-one-out, ranked by Ŝ_S (absolute) under recursive elimination." in text
    assert "cut into 5 intervals at quantiles of the labelled rows" in text
    assert "<dt>smoothing</dt><dd><bdi>1.0</bdi></dd>" in page
    assert "kiln.csv', target='cracked', uncertainty=True, report=True).to_html('report.html')" in text
    assert rows_of(page, "columns")[-1][-1] == "target (by target=)"
    assert rows_of(page, "classes") == [["no", "180", "60.0%"], ["yes", "120", "40.0%"]]


def test_the_story_tells_of_all_rounds(kiln: probfs.Ranking, page: str) -> None:
    (text,) = re.findall(r'<script type="application/json" id="story-data">(.*?)</script>', page)
    story = json.loads(text)
    assert [len(scores) for scores in story["scores"]] == [own.features for own in kiln.rounds]
    assert story["scores"][0] == [
        float(f"{own.initial_s_s:.4f}" if own.initial_s_s >= 1e-3 else f"{own.initial_s_s:.2e}")
        for own in kiln.features
    ]
    assert [row[-1] for row in rows_of(page, "rounds")] == [own.removed[0] for own in kiln.rounds]
    assert len(story["sentences"]) == len(kiln.rounds)


def test_a_ranking_without_its_background_leaves_those_parts_out() -> None:
    page = ranking_report(make_ranking(["a", "b", "c"]))
    assert [row[1] for row in rows_of(page)] == ["a", "b", "c"]
    for name in ("story", "data", "again"):
        assert f'id="{name}"' not in page
        assert f'href="#{name}"' not in page


def test_the_best_few_are_listed_alone_and_the_story_tells_of_them(kiln: probfs.Ranking) -> None:
    page = ranking_report(kiln.top(3))
    assert len(rows_of(page)) == 3
    assert "The best 3 of 8 features" in page
    assert "5 more features are not listed." in page
    (text,) = re.findall(r'<script type="application/json" id="story-data">(.*?)</script>', page)
    assert [len(scores) for scores in json.loads(text)["scores"]] == [3] * 6 + [2, 1]
    assert len(rows_of(page, "rounds")) == 8


def test_one_round_has_no_story() -> None:
    assert 'id="story"' not in ranking_report(
        probfs.rank(SAMPLES / "kiln.csv", target="cracked", eliminate=False, report=True)
    )


def test_a_model_that_was_trained_on_its_rows_shows_errors_of_held_out_ones() -> None:
    ranking = probfs.rank(SAMPLES / "kiln.csv", target="cracked", classifier="svm", step=4, report=True)
    assert [row[2] for row in rows_of(ranking_report(ranking), "rounds")] == [
        str(own.cv_errors) for own in ranking.rounds
    ]


def test_hostile_names_are_shown_and_stay_short() -> None:
    page = ranking_report(make_ranking(awkward(40)))
    names = [row[1] for row in rows_of(page)]
    assert "<b>bold</b>" in names
    assert "\\u202eright" in names
    assert "a\\x00b" in names
    assert max(map(len, names)) == 200
    assert "\u202e" not in page


def test_the_same_ranking_gives_the_same_page(kiln: probfs.Ranking, page: str) -> None:
    assert ranking_report(kiln) == page


def test_2000_features_take_less_than_a_megabyte() -> None:
    random = np.random.default_rng(0)
    names = [f"measurement_{number:04}".ljust(40, "_") for number in range(2000)]
    frame = pd.DataFrame(random.normal(size=(60, 2000)), columns=names)
    frame["outcome"] = np.arange(60) % 2
    ranking = probfs.rank(frame, target="outcome", step=0.02, report=True, uncertainty=True)
    assert ranking.background is not None
    assert len(ranking.background.story) == 40
    page = ranking.to_html()
    assert len(rows_of(page)) == 2000
    assert len(page.encode()) < MEGABYTE
