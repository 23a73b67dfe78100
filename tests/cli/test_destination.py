"""Where a result goes: the format, the terminal, and files that must not be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probfs.cli import destination
from probfs.cli.destination import check_output, check_safe_csv, choose_destination, deliver
from probfs.errors import OutputError, UsageError
from probfs.output.formats import OutputFormat, OutputFormats
from probfs.output.writers import Presentation


def show(document: str, presentation: Presentation) -> str:
    return f"{document} {presentation}\n"


@pytest.fixture
def formats() -> OutputFormats[str]:
    formats: OutputFormats[str] = OutputFormats()
    for name, ending in {"table": ".txt", "csv": ".csv", "json": ".json", "markdown": ".md"}.items():
        formats.register(OutputFormat(name, (ending,), show))
    return formats


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(destination, "stdout_is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "77")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("_terminal")
def test_a_terminal_has_a_width_and_color(formats: OutputFormats[str]) -> None:
    chosen = choose_destination(formats, None, None)
    assert (chosen.format.name, chosen.presentation) == ("table", Presentation(77, True))


@pytest.mark.usefixtures("_terminal")
@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_color_can_be_declined(
    formats: OutputFormats[str], monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert choose_destination(formats, "json", None).presentation == Presentation(77, False)


@pytest.mark.usefixtures("_terminal")
def test_a_file_is_no_terminal(formats: OutputFormats[str]) -> None:
    chosen = choose_destination(formats, None, Path("r.md"))
    assert (chosen.format.name, chosen.path, chosen.presentation) == ("markdown", Path("r.md"), Presentation())


def test_a_document_is_written_in_its_format(
    formats: OutputFormats[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choose_destination(formats, None, tmp_path / "r.csv", safe_csv=True).write("x")
    assert (tmp_path / "r.csv").read_text() == f"x {Presentation(safe_csv=True)}\n"
    choose_destination(formats, None, None).write("y")
    assert capsys.readouterr().out == f"y {Presentation()}\n"


@pytest.mark.parametrize("content", ["é\r\n", b"\xff\0"])
def test_text_and_bytes_are_delivered_as_they_are(
    content: str | bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = content.encode() if isinstance(content, str) else content
    deliver(content, tmp_path / "r")
    assert (tmp_path / "r").read_bytes() == data
    deliver(content, None)
    assert capfdbinary.readouterr().out == data


def test_an_input_is_no_output_by_any_of_its_names(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text("a,y\n")
    link = tmp_path / "link.csv"
    link.symlink_to(data)
    os.link(data, tmp_path / "hard.csv")
    check_output(None, data)
    check_output(tmp_path / "new.csv", data, None, "-")
    for output in (data, link, tmp_path / "hard.csv", tmp_path / "." / "t.csv"):
        with pytest.raises(UsageError, match="is an input; name another file"):
            check_output(output, None, str(data))
    with pytest.raises(UsageError, match=r"^--reduced: "):
        check_output(data, data, option="--reduced")


def test_what_cannot_be_written_is_known_beforehand(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="there is no folder"):
        check_output(tmp_path / "no" / "r.csv")
    with pytest.raises(OutputError, match="is a directory"):
        check_output(tmp_path)


def test_the_guard_for_spreadsheets_goes_with_csv_only() -> None:
    for chosen in ("csv", "tsv"):
        check_safe_csv(True, chosen)
    check_safe_csv(False, "json")
    with pytest.raises(UsageError, match="--safe-csv: the result is json, not CSV"):
        check_safe_csv(True, "json")
