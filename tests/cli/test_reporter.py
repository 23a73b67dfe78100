"""Notes and progress on standard error."""

from __future__ import annotations

import pytest

from probfs.cli.reporter import Reporter, reporting
from probfs.notes import NoteKind
from probfs.runtime.progress import COMPILING, Progress, report

Capture = pytest.CaptureFixture[str]
ANNOUNCEMENT = "probfs: compiling loops for this machine, once (a few seconds)\n"


def test_notes_are_lines_on_standard_error_that_steer_nothing(capsys: Capture) -> None:
    with reporting({"quiet": 0, "progress": False}) as reporter:
        reporter.note(NoteKind.CUT.note("a\x1b[31mb\nc"))
        reporter.note(NoteKind.LEAKAGE.note("d\x1b[31me\nf"))
    lines = "probfs: a\\x1b[31mb\\nc\nprobfs: warning: d\\x1b[31me\\nf\n"
    assert capsys.readouterr() == ("", lines)


@pytest.mark.parametrize(("quiet", "said"), [(1, "probfs: warning: leaks\n"), (2, ""), (3, "")])
def test_quiet_hides_notes_and_progress_and_twice_hides_warnings(capsys: Capture, quiet: int, said: str) -> None:
    with reporting({"quiet": quiet, "progress": True}) as reporter:
        reporter.note(NoteKind.CUT.note("cut"))
        reporter.note(NoteKind.LEAKAGE.note("leaks"))
        reporter.step_done("step", 1, 2)
        report("reading", 1, 2, "bytes")
        report(COMPILING)
    assert capsys.readouterr() == ("", said)


def test_off_a_terminal_there_is_no_progress_unless_it_is_asked_for(capsys: Capture) -> None:
    with reporting({"quiet": 0, "progress": None}):
        report("reading", 1, 2, "bytes")
    assert capsys.readouterr().err == ""
    with reporting({"quiet": 0, "progress": True}) as reporter:
        reporter.note(NoteKind.CUT.note("beside the bar"))
    assert "probfs: beside the bar" in capsys.readouterr().err


def test_compiling_is_announced_once_without_a_bar_too(capsys: Capture) -> None:
    with reporting({"quiet": 0, "progress": False}):
        report(COMPILING)
        assert capsys.readouterr().err == ANNOUNCEMENT
        report(COMPILING)
    assert capsys.readouterr().err == ""


class Console:
    """What is printed beside a progress bar."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, line: str, **options: bool) -> None:
        self.lines.append(line)


class Bar:
    """What the reporter tells a progress bar."""

    def __init__(self) -> None:
        self.console = Console()
        self.seen: list[tuple[str, int, int | None, str]] = []
        self._tasks: dict[int, str] = {}

    def add_task(self, description: str, total: int | None, completed: int = 0, amount: str = "") -> int:
        number = len(self.seen)
        self._tasks[number] = description
        self.seen.append((description, completed, total, amount))
        return number

    def remove_task(self, number: int) -> None:
        del self._tasks[number]

    def update(self, number: int, *, total: int | None, completed: int, amount: str) -> None:
        self.seen.append((self._tasks[number], completed, total, amount))


def shown(*heard: Progress) -> list[tuple[str, int, int | None, str]]:
    """What a bar shows of some progress."""
    bar = Bar()
    reporter = Reporter(0, bar)  # type: ignore[arg-type]  # all of a bar that is used
    for progress in heard:
        reporter.hear(progress)
    first, *others = bar.seen
    assert first == ("starting", 0, None, "")
    return others


def test_each_stage_shows_what_it_counts_and_only_that() -> None:
    assert shown(
        Progress("reading", 0, 3 << 20, "bytes"),
        Progress("reading", 1 << 20, 3 << 20, "bytes"),
        Progress("encoding columns"),
        Progress("ranking", 0, 5, "features"),
        Progress("ranking", 2, 5, "features"),
    ) == [
        ("reading", 0, 3 << 20, "0.0/3.0 MB"),
        ("reading", 1 << 20, 3 << 20, "1.0/3.0 MB"),
        ("encoding columns", 0, None, ""),
        ("ranking", 0, 5, "0/5 features"),
        ("ranking", 2, 5, "2/5 features"),
    ]


def test_models_are_counted_instead_of_features_where_there_are_many_in_a_round() -> None:
    assert shown(
        Progress("ranking", 0, 3, "features"),
        Progress("ranking", 1, 9, "models"),
        Progress("ranking", 1, 3, "features"),
        Progress("ranking", 7, 9, "models"),
    ) == [
        ("ranking", 0, 3, "0/3 features"),
        ("ranking", 1, 9, "1/9 models"),
        ("ranking", 7, 9, "7/9 models"),
    ]


def test_experiments_count_their_steps() -> None:
    bar = Bar()
    reporter = Reporter(0, bar)  # type: ignore[arg-type]  # all of a bar that is used
    reporter.step_done("figure2", 3, 4)
    reporter.announce_compiling(Progress("ranking", 1, 2, "features"))
    reporter.announce_compiling(Progress(COMPILING))
    assert bar.seen[1:] == [("figure2", 3, 4, "3/4")]
    assert [f"{line}\n" for line in bar.console.lines] == [ANNOUNCEMENT]
