"""The table for people: columns, bars and narrow terminals."""

from __future__ import annotations

import dataclasses

import pytest

import probfs
from probfs.ranking.result import Ranking
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_table import ranking_table
from probfs.text import is_unseen
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


@pytest.mark.parametrize("width", [30, 45, 62, 80])
def test_a_narrow_terminal_keeps_names_and_the_driving_score(width: int) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"])
    lines = ranking_table(ranking, Presentation(width)).splitlines()
    for feature in ranking.features:
        assert any(f"{feature.feature} " in line and f"{feature.s_s:.4f}" in line for line in lines)
    assert max(map(len, lines)) <= width


def test_one_long_name_does_not_cost_the_others_their_columns(write: Write) -> None:
    rows = "".join(f"{n % 2},{n % 4},{'pq'[n % 2]}\n" for n in range(12))
    ranking = probfs.rank(write("t.csv", f"{'long' * 60},b,y\n{rows}"), target="y")
    shown = ranking_table(ranking, Presentation(80))
    assert "left in round" in shown
    assert "█" in shown


def test_the_driving_score_stands_first_with_its_bar(write: Write) -> None:
    """A bar is proportional to the score; what is below zero has none."""
    rows = "".join(f"{n % 2},{n % 4 // 2},{'pq'[n % 2]}\n" for n in range(16))
    ranking = probfs.rank(write("t.csv", f"tells,noise,y\n{rows}"), target="y", score="signed")
    header, first, second = ranking_table(ranking, Presentation()).splitlines()[-5:-2]
    assert header.split() == ["rank", "feature", "Ŝ_A", "Ŝ_S", "left", "in", "round"]
    assert first.split()[:4] == ["1", "tells", f"{ranking.features[0].s_a:.4f}", "█" * 12]
    assert ranking.features[1].s_a < 0
    assert second.split()[1:3] == ["noise", f"{ranking.features[1].s_a:.4f}"]
    assert "█" not in second


def test_what_is_not_listed_is_counted(commute: Ranking) -> None:
    assert ranking_table(commute.top(2), Presentation()).splitlines()[-3] == "… and 4 more"
    assert "more" not in ranking_table(commute, Presentation())


def test_what_cannot_be_told_from_noise_is_marked(commute: Ranking) -> None:
    lines = ranking_table(commute, Presentation()).splitlines()
    marked = {
        feature.feature
        for feature in commute.features
        if any(f" {feature.feature} " in line and line.endswith("  ≈ noise") for line in lines)
    }
    assert marked == {feature.feature for feature in commute.features if (feature.q or 0) > 0.1}
    assert 0 < len(marked) < len(commute.features)
    noise = "≈ noise: these rows cannot tell the column from noise (q > 0.1)."
    assert lines[-1] == f"{noise} To decide which columns to keep, run probfs select."
    assert "\x1b[2m≈ noise" in ranking_table(commute, Presentation(width=120, color=True))


def test_nothing_is_marked_where_all_columns_tell_the_class(commute: Ranking) -> None:
    related = tuple(dataclasses.replace(feature, q=0.1) for feature in commute.features)
    shown = ranking_table(dataclasses.replace(commute, features=related), Presentation())
    assert "noise" not in shown
    assert shown.splitlines()[-1] == "To decide which columns to keep, run probfs select."


@pytest.mark.parametrize(("kernel", "marked"), [("linear", True), ("rbf", False)])
def test_what_matters_only_with_others_is_not_noise_to_an_rbf_svm(kernel: str, marked: bool, write: Write) -> None:
    rows = "".join(f"{n % 2},{n // 2 % 2},{'pq'[(n + n // 2) % 2]}\n" for n in range(40))
    ranking = probfs.rank(write("t.csv", f"a,b,y\n{rows}"), target="y", classifier="svm", kernel=kernel)
    assert min(feature.q or 0 for feature in ranking.features) > 0.1
    assert ("≈ noise" in ranking_table(ranking, Presentation())) == marked


def test_uncertainty_has_columns_of_its_own() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], uncertainty=True)
    shown = ranking_table(ranking, Presentation())
    assert "rank interval (90%)   Ŝ_S in round 1    Ŝ_A in round 1" in shown
    for feature in ranking.features:
        assert (
            f"{feature.rank_low}-{feature.rank_high}  {feature.initial_s_s:.4f} ± {feature.se_initial_s_s:.4f}" in shown
        )
    assert "\n±: one standard error. " in shown
    narrow = ranking_table(ranking, Presentation(60))
    assert max(map(len, narrow.splitlines())) <= 60
    assert "±" not in narrow


def test_off_a_terminal_nothing_is_cut_and_there_is_no_color(write: Write) -> None:
    name = "long" * 60
    rows = "".join(f"{n % 2},{'pq'[n % 2]}\n" for n in range(12))
    ranking = probfs.rank(write("t.csv", f"{name},y\n{rows}"), target="y")
    assert f" {name} " in ranking_table(ranking, Presentation())
    assert "\x1b" not in ranking_table(ranking, Presentation(width=80))
    assert "\x1b[36m" in ranking_table(ranking, Presentation(width=80, color=True))


def test_names_cannot_steer_the_terminal(hostile_ranking: Ranking) -> None:
    shown = ranking_table(hostile_ranking, Presentation())
    assert not any(map(is_unseen, shown.replace("\n", "")))
    assert "[/x]" in shown
    assert "new\\nline" in shown
