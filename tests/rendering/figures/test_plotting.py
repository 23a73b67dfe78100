"""``plot()`` of results: on a figure of pyplot, or on the caller's axes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import probfs
from probfs.ranking.result import Ranking
from probfs.rendering.figures import compose
from probfs.selection.result import Selection
from tests.support.drawn import bars_of
from tests.support.paths import SAMPLES
from tests.support.results import make_large_selection, make_ranking

NAMES = [f"feature_{place}" for place in range(8)]
RESULTS: list[Ranking | Selection] = [make_ranking(NAMES), make_large_selection(NAMES)]


@pytest.fixture(autouse=True)
def without_windows() -> Iterator[None]:
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


@pytest.mark.parametrize("result", RESULTS)
def test_a_figure_of_its_own_is_pyplots_and_there_is_one(result: Ranking | Selection) -> None:
    axes = result.plot()
    assert axes.shape == (3,)
    assert all(isinstance(own, Axes) for own in axes)
    assert pyplot.get_fignums() == [axes[0].figure.number]
    assert pyplot.gcf() is axes[0].figure
    assert list(axes[0].figure.axes) == list(axes)


@pytest.mark.parametrize("result", RESULTS)
def test_on_axes_of_the_caller_no_figure_is_made(result: Ranking | Selection) -> None:
    figure = Figure((9, 4))
    axes = figure.subplots(1, 3)
    (bars,) = result.plot(axes[0])
    assert bars is axes[0]
    assert bars_of(bars)
    assert not axes[1].lines
    assert list(result.plot(figure.subplots(1, 3))) == figure.axes[3:]
    assert pyplot.get_fignums() == []


def test_a_loop_over_given_axes_leaves_nothing_open() -> None:
    for _ in range(3):
        RESULTS[0].plot(axes=Figure((9, 4)).subplots(1, 3))
    assert pyplot.get_fignums() == []


def test_a_failure_leaves_no_figure_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compose, "draw_bars", fail)
    with pytest.raises(KeyboardInterrupt):
        RESULTS[0].plot()
    assert pyplot.get_fignums() == []


def test_a_layout_that_the_user_switched_on_moves_nothing() -> None:
    before = [own.get_position().bounds for own in RESULTS[0].plot()]
    with mpl.rc_context({"figure.constrained_layout.use": True}):
        axes = RESULTS[0].plot()
        axes[0].figure.draw_without_rendering()
    assert [own.get_position().bounds for own in axes] == before


@pytest.mark.parametrize("top", [1, 3])
def test_top_is_the_number_of_bars(top: int) -> None:
    assert len(bars_of(RESULTS[0].plot(top=top)[0])) == top


def test_one_round_has_bars_only() -> None:
    assert make_ranking(NAMES, eliminate=False).plot().shape == (1,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top=: 0 is out of range; 1 to 500"),
        ({"top": 501}, "top=: 501 is out of range; 1 to 500"),
        ({"top": "many"}, "top=: "),
        ({"axes": "ax"}, "axes=: .*pass one or three, or nothing"),
        ({"axes": []}, "axes=: "),
        ({"axes": Figure()}, "axes=: "),
        ({"axes": Figure().subplots(1, 2)}, "axes=: "),
    ],
)
def test_wrong_arguments_are_usage_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(probfs.UsageError, match=message):
        RESULTS[0].plot(**options)
    assert pyplot.get_fignums() == []


def test_matplotlib_is_imported_by_plot_alone() -> None:
    program = (
        "import sys, probfs; r = probfs.rank(sys.argv[1], target='mode'); repr(r); r._repr_html_(); "
        "print('matplotlib' in sys.modules); r.plot(); print('matplotlib' in sys.modules)"
    )
    arguments = [sys.executable, "-c", program, str(SAMPLES / "commute.csv")]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "True"]
