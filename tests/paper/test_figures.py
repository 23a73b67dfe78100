"""Figures show all their text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.experiments.misfit_tables import MISFITS
from tests.support.experiments import FEW_RUNS, conduct


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments of the same shape that take seconds."""
    monkeypatch.setattr("probfs.paper.experiments.table1._RUNS_IN_A_TABLE", 4)
    monkeypatch.setattr("probfs.paper.experiments.figure3._SHIFTS", (0.0, 1.0, 3.0))
    monkeypatch.setattr("probfs.paper.experiments.figure3._SHARES", (0.0, 0.7, 1.0))
    fewer = tuple(replace(misfit, sizes=misfit.sizes[:1]) for misfit in MISFITS)
    monkeypatch.setattr("probfs.paper.experiments.misfit.MISFITS", fewer)


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.usefixtures("small")
def test_figures_show_all_their_text(name: str, tmp_path: Path) -> None:
    """Nothing is cut off: every label, tick and legend lies within the figure."""
    from matplotlib.figure import Figure

    finding = conduct(name, FEW_RUNS.get(name, 1))
    seen: list[Figure] = []

    def draw(figure: Figure) -> None:
        finding.draw(figure)
        seen.append(figure)

    from probfs.paper.experiments.figures import save_figure

    png, svg = save_figure(draw, finding.size, tmp_path, name)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in svg.read_bytes()
    (figure,) = seen
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    # In inches; all that is drawn, sub-titles, ticks and legends among it.
    drawn = figure.get_tightbbox(canvas.get_renderer())  # type: ignore[no-untyped-call]
    width, height = finding.size
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= width + 0.01
    assert drawn.y1 <= height + 0.01
