"""Results as pictures: what is written, and that matplotlib is imported for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from probfs.rendering.ranking_formats import RANKING_FORMATS
from probfs.rendering.selection_formats import SELECTION_FORMATS
from tests.conftest import SAMPLES, Run

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
COMMUTE = SAMPLES / "commute.csv"


@pytest.mark.parametrize("name", BEGINNINGS)
@pytest.mark.parametrize("command", ["rank", "select"])
def test_the_ending_chooses_the_picture(command: str, name: str, run_here: Run, tmp_path: Path) -> None:
    result = run_here(command, COMMUTE, "--exclude", "person", "--quiet", "--output", f"result.{name}")
    assert (result.returncode, result.stdout) == (0, "")
    first = (tmp_path / f"result.{name}").read_bytes()
    assert first.startswith(BEGINNINGS[name])
    beside = run_here(command, COMMUTE, "--exclude", "person", "--quiet", "--format", "csv", "--plot", f"other.{name}")
    assert beside.stdout.startswith("rank,feature,")
    assert (tmp_path / f"other.{name}").read_bytes() == first


def test_a_hostile_name_is_text_in_a_picture(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("<script>alert(1)</script>,$\\frac{1}{2}$,y\n" + "a,b,0\nc,d,1\n" * 5)
    assert run_here("rank", "t.csv", "--quiet", "--output", "r.svg").returncode == 0
    assert "<script" not in (tmp_path / "r.svg").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--plot", "r.jpg"), "--plot: the ending '.jpg' tells no format; use .png, .svg or .pdf"),
        (("--plot", "r.svg", "--output", "r.svg"), "--plot: r.svg is where the result goes; name another file"),
        (("--plot", "no/r.svg"), "no/r.svg"),
        (("--output", "r.png", "--safe-csv"), "--safe-csv: the result is png, not CSV"),
    ],
)
def test_what_cannot_be_drawn_is_said_before_the_work(
    options: tuple[str, ...], message: str, run_here: Run, tmp_path: Path
) -> None:
    result = run_here("rank", COMMUTE, *options)
    assert result.returncode in (1, 2)
    (line,) = result.stderr.splitlines()
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_is_spared_what_is_no_text(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.cli.destination.stdout_is_terminal", lambda: True)
    result = run_here("rank", COMMUTE, "--format", "png")
    assert result.returncode == 2
    assert "--format png: a terminal cannot show it; name a file with --output" in result.stderr


def test_pictures_are_among_the_formats_of_rankings_and_selections() -> None:
    for formats in (RANKING_FORMATS, SELECTION_FORMATS):
        assert [own.name for own in formats if own.is_picture] == list(BEGINNINGS)
        assert [own.name for own in formats if own.is_binary] == ["parquet", "png", "pdf"]
