"""Notes and progress on standard error."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.cli.reporter import Reporter, reporting
from probfs.ranking.elimination import Round
from tests.support.scripted_classifier import round_scores

Capture = pytest.CaptureFixture[str]


def a_round(number: int, active: int, leaving: int) -> Round:
    features = np.arange(active)
    return Round(number, features, features, round_scores([0.0] * active), tuple(range(leaving)))


def test_notes_are_lines_on_standard_error_that_steer_nothing(capsys: Capture) -> None:
    with reporting(quiet=False, progress=False) as reporter:
        reporter.note("a\x1b[31mb\nc")
    assert capsys.readouterr() == ("", "probfs: a\\x1b[31mb\\nc\n")


def test_quiet_says_nothing_and_shows_no_progress(capsys: Capture) -> None:
    with reporting(quiet=True, progress=True) as reporter:
        reporter.note("note")
        reporter.round_done(a_round(1, 3, 1))
        reporter.model_done(1, 2)
        reporter.step_done("step", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_off_a_terminal_there_is_no_progress_unless_it_is_asked_for(capsys: Capture) -> None:
    with reporting(quiet=False, progress=None) as reporter:
        reporter.round_done(a_round(1, 3, 1))
    assert capsys.readouterr().err == ""
    with reporting(quiet=False, progress=True) as reporter:
        reporter.note("beside the bar")
    assert "probfs: beside the bar" in capsys.readouterr().err


class Bar:
    """What the reporter tells a progress bar."""

    def __init__(self) -> None:
        self.tasks = [type("Task", (), {"total": None})()]
        self.updates: list[tuple[str, int, int]] = []

    def add_task(self, description: str, total: None) -> int:
        return 0

    def update(self, task: int, *, description: str, total: int, completed: int) -> None:
        self.tasks[0].total = total
        self.updates.append((description, completed, total))


def test_progress_counts_features_that_have_left() -> None:
    bar = Bar()
    reporter = Reporter(False, bar)  # type: ignore[arg-type]  # all of a bar that is used
    reporter.round_done(a_round(1, 5, 2))
    reporter.round_done(a_round(2, 3, 2))
    reporter.round_done(a_round(3, 1, 1))
    assert bar.updates == [("ranking", 2, 5), ("ranking", 4, 5), ("ranking", 5, 5)]


def test_progress_counts_models_where_there_are_many_in_a_round() -> None:
    bar = Bar()
    reporter = Reporter(False, bar)  # type: ignore[arg-type]  # all of a bar that is used
    reporter.model_done(1, 9)
    reporter.round_done(a_round(1, 3, 1))
    reporter.model_done(7, 9)
    reporter.step_done("figure2", 3, 4)
    assert bar.updates == [
        ("round 1, models fitted", 1, 9),
        ("round 2, models fitted", 7, 9),
        ("figure2", 3, 4),
    ]
