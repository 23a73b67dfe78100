"""Write the manual pages from docs/reference/commands.md, which has the whole story of each command and option.

Run it after changing that page: python man/generate.py. Tests fail while the manual differs from what it writes, and
while the page lacks an option that a command has. Only probfs-mapping.5 is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from probfs import __version__
from probfs.cli import FIRST_OPTIONS, SUMMARY

ROOT = Path(__file__).resolve().parent.parent
COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"


def files() -> dict[Path, str]:
    """Every manual page and what it should hold."""
    sections = page_sections()
    commands = [heading.removeprefix("probfs ") for heading in sections if heading.startswith("probfs ")]
    pages = ["probfs(1)", *(f"probfs-{name}(1)" for name in commands), "probfs-mapping(5)"]
    main = _heading("probfs", "rank the columns of a table")
    main += [".SH SYNOPSIS", ".B probfs", "[\\fB\\-\\-version\\fR] \\fICOMMAND\\fR [\\fIOPTION\\fR ...]"]
    main += [".SH DESCRIPTION", _roff(SUMMARY), ".SH COMMANDS"]
    contents = {}
    for name in commands:
        summary, synopsis, *paragraphs, examples = sections[f"probfs {name}"].split("\n\n")
        main += [".TP", f".BR probfs\\-{name} (1)", _roff(summary)]
        words = re.sub(r"[A-Z]+", r"\\fI\g<0>\\fR", _code(synopsis).removeprefix(f"probfs {name} "))
        lines = _heading(f"probfs-{name}", summary.rstrip("."))
        lines += [".SH SYNOPSIS", f".B probfs {name}", words, ".SH DESCRIPTION"]
        lines += "\n.PP\n".join(map(_roff, paragraphs)).splitlines()
        if name == "rank":
            lines.append(".SH CLASSIFIERS")
            for known, story in re.findall(r"^\*\*(.*?)\.\*\* (.*)$", sections["Classifiers"], re.MULTILINE):
                lines += [".TP", f".B {_roff(known)}", _roff(story)]
        lines.append(".SH OPTIONS")
        for panel, rows in option_rows(name).items():
            lines += [f".SS {_roff(panel)}", *_option_lines(rows)]
        lines.append(".SH EXAMPLES")
        for example in _code(examples).splitlines():
            lines += [".PP", ".EX", _roff(example), ".EE"]
        contents[ROOT / "man" / f"probfs-{name}.1"] = _page(lines, f"probfs-{name}(1)", pages)
    main += [".SH OPTIONS", *_option_lines(FIRST_OPTIONS.items())]
    return {ROOT / "man" / "probfs.1": _page(main, "probfs(1)", pages), **contents}


# What the page of commands says


def page_sections(level: str = "##", text: str | None = None) -> dict[str, str]:
    """What stands below each heading of a level."""
    _, *parts = re.split(rf"^{level} (.*)\n\n", text or COMMANDS_PAGE.read_text(), flags=re.MULTILINE)
    return {heading: text.strip() for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def option_rows(command: str) -> dict[str, list[tuple[str, str]]]:
    """By panel, the arguments and options of a command as users write them, each with its meaning; arguments first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for panel, table in page_sections("###", page_sections()["Options"]).items():
        rows = [(written, meaning) for written, meaning, users in table_rows(table) if command in users.split(", ")]
        if rows:
            found[panel] = rows
    return dict(sorted(found.items(), key=lambda item: all(written.startswith("-") for written, _ in item[1])))


def table_rows(table: str) -> Iterator[list[str]]:
    """The cells of a table of Markdown, without its header."""
    for line in table.splitlines()[2:]:
        cells = re.split(r"(?<!\\)\|", line.strip("|"))
        yield [cell.strip().strip("`").replace("\\|", "|") for cell in cells]


def _code(block: str) -> str:
    """What stands in a fenced block."""
    return "\n".join(block.splitlines()[1:-1])


# As a manual page has it


def _heading(name: str, summary: str) -> list[str]:
    return [
        '.\\" Written by man/generate.py from docs/reference/commands.md; change that page.',
        f'.TH {_roff(name.upper())} 1 "" "probfs {__version__}"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(summary[:1].lower() + summary[1:])}",
    ]


def _option_lines(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for written, meaning in rows:
        names, _, metavar = written.partition(" ")
        styled = f"\\fB{_roff(names)}\\fR" if names.startswith("-") else f"\\fI{_roff(names)}\\fR"
        lines += [".TP", styled + (f" \\fI{_roff(metavar)}\\fR" if metavar else ""), _roff(meaning)]
    return lines


def _page(lines: list[str], own: str, pages: list[str]) -> str:
    lines = [*lines, ".SH EXIT STATUS"]
    for status, meaning in table_rows(page_sections()["Exit status"]):
        lines += [".TP", f".B {status}", _roff(meaning)]
    others = [page for page in pages if page != own]
    references = [f".BR {_roff(page[:-3])} ({page[-2]}){',' if page != others[-1] else ''}" for page in others]
    return "\n".join([*lines, ".SH SEE ALSO", *references]) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    for path, text in files().items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
