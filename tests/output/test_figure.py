"""Figures: what they draw, on a figure of their own or on the caller's axes, and the same file for the same result."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from probfs.errors import UsageError
from probfs.output.drawings import Drawing, ranking_drawing, selection_drawing
from probfs.output.figure import figure_file
from tests.conftest import SAMPLES
from tests.support.drawn import assert_readable, bars_of, drawn_texts
from tests.support.results import awkward, make_large_selection, make_ranking

NAMES = [f"measurement_{number}" for number in range(600)]


@pytest.fixture(autouse=True)
def _no_window() -> Any:
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


def names_on(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


@pytest.mark.parametrize(
    ("kind", "number"), [("ranking", 1), ("ranking", 500), ("uncertain", 50), ("selection", 5), ("selection", 50)]
)
def test_texts_are_within_the_figure_and_apart(kind: str, number: int) -> None:
    names = NAMES[:number]
    result = (
        make_large_selection(names) if kind == "selection" else make_ranking(names, uncertainty=kind == "uncertain")
    )
    bars = result.plot()[0]
    assert_readable(bars.figure)
    shown = names_on(bars)
    assert shown == names[: len(shown)]
    assert len(shown) == (number if number <= 50 else 40)


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("kind", ["ranking", "selection"])
def test_hostile_names_are_drawn_as_text(kind: str) -> None:
    names = awkward(25)
    result = make_ranking(names) if kind == "ranking" else make_large_selection(names)
    bars = result.plot()[0]
    shown = names_on(bars)
    assert {"$\\undefined$", "<b>bold</b>", "a\\x1b[31mred", "\\u202eright"} < set(shown)
    assert len(set(shown)) == len(shown)
    assert max(map(len, shown)) < 36
    texts = {text for text, _ in drawn_texts(bars.figure)}
    assert {text for text in shown if text.strip()} <= texts
    assert b"<script" not in figure_file(ranking_drawing(make_ranking(["<script>alert(1)</script>", "b"])), "svg")


def test_a_ranking_has_bars_intervals_and_curves() -> None:
    bars, losses, wrong = make_ranking(NAMES[:6], uncertainty=True).plot()
    assert [round(bar.get_width(), 3) for bar in bars_of(bars)] == pytest.approx(
        [0.4 / r for r in range(1, 7)], abs=1e-3
    )
    texts = [text for text, _ in drawn_texts(bars.figure)]
    assert any(re.fullmatch(r"0\.1000  rank \d+–\d+  ≈ noise", text) for text in texts)
    assert any(text.startswith("importance $\\hat{S}_S$") for text in texts)
    assert losses.get_title(loc="left") == "log-loss"
    assert losses.lines[0].get_ydata()[0] == pytest.approx(0.3 + 0.2 / 6)
    assert wrong.get_xlabel() == "columns in the model (chosen on the same rows)"
    (alone,) = make_ranking(NAMES[:6], eliminate=False, uncertainty=True).plot()
    assert alone.collections, "standard errors"


def test_a_selection_has_verdicts_the_cut_and_unseen_rows() -> None:
    bars, losses, _ = make_large_selection(NAMES[:10]).plot()
    texts = [text for text, _ in drawn_texts(bars.figure)]
    for expected in (
        "0.0290  redundant: measurement_0 says 93% of it",
        "redundant: copy of measurement_0",
        "0.0124  weak: adds too little",
        "noise: q 0.62",
        "keep 2",
        "least log-loss: 6 columns",
        "chosen this way, on unseen rows (10 folds)",
        "all 10 columns, on unseen rows",
    ):
        assert expected in texts, expected
    assert any(bar.get_hatch() for bar in bars_of(bars))
    assert losses.get_xticks().tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_top_decides_how_many_bars_there_are_and_the_rest_is_summed_up() -> None:
    ranking = make_ranking(NAMES[:100])
    assert len(names_on(ranking.plot(top=60)[0])) == 60
    assert len(names_on(ranking.top(7).plot()[0])) == 7
    texts = [text for text, _ in drawn_texts(ranking.plot(top=3)[0].figure)]
    assert any(text.endswith("\n… 97 more, none above 0.1000") for text in texts)
    for wrong in (0, 501, "a", 2.5):
        with pytest.raises(UsageError, match=r"^top=: "):
            ranking.plot(top=wrong)  # type: ignore[arg-type]
    assert pyplot.get_fignums() == [1, 2, 3]


def test_of_much_noise_only_examples_are_drawn() -> None:
    drawn = make_large_selection(NAMES[:60]).plot()[0]
    assert len(names_on(drawn)) == 40
    selection = make_large_selection(NAMES[:55])
    assert len(names_on(selection.plot()[0])) == 44 + 4


def test_the_caller_s_axes_are_drawn_on() -> None:
    figure = Figure(figsize=(12, 4), layout="constrained")
    ranking = make_ranking(NAMES[:30])
    (bars,) = ranking.plot(figure.add_subplot(1, 2, 1))
    assert len(names_on(bars)) < 30
    three = Figure(figsize=(9, 9)).subplots(3)
    assert ranking.plot(three).tolist() == three.tolist()
    make_ranking(NAMES[:3], eliminate=False).plot(Figure().subplots(3))
    for wrong in (3, [three[0], three[1]], "axes"):
        with pytest.raises(UsageError, match=r"^axes=: one of matplotlib's Axes"):
            ranking.plot(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["svg", "pdf"])
def test_the_same_result_gives_the_same_file_whatever_the_settings_are(name: Any) -> None:
    drawing: Drawing = selection_drawing(make_large_selection(awkward(20)))
    first = figure_file(drawing, name)
    with mpl.style.context("dark_background"):
        assert figure_file(drawing, name) == first


def test_a_dark_style_has_light_ink() -> None:
    with mpl.style.context("dark_background"):
        bars = make_ranking(["a", "b"]).plot()[0]
    assert bars.get_yticklabels()[0].get_color() == "#f0f0f0"


def test_matplotlib_has_nothing_to_say_while_a_file_is_written(tmp_path: Path) -> None:
    # It would warn of a folder that is none.
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "probfs", "rank", str(SAMPLES / "kiln.csv"), "-qqo", str(tmp_path / "r.svg")]
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path / "file")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
