"""Write the manual pages and README's usage from the commands themselves, so that neither can drift away.

Run it after changing a command: python man/generate.py. A test fails while the files differ from what it writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from probfs import __version__
from probfs.cli import build_app

ROOT = Path(__file__).resolve().parent.parent
USAGE_BEGIN = "<!-- usage: written by man/generate.py -->\n"
USAGE_END = "<!-- usage ends -->\n"
EXIT_STATUS = (
    ("0", "Done."),
    ("1", "The data cannot be read or ranked, or the result not written."),
    ("2", "The command line or the mapping is wrong."),
    ("130", "Interrupted."),
)
PAGES = (
    "probfs(1)",
    "probfs-rank(1)",
    "probfs-map(1)",
    "probfs-suggest(1)",
    "probfs-inspect(1)",
    "probfs-exact(1)",
    "probfs-generate(1)",
    "probfs-reproduce(1)",
    "probfs-mapping(5)",
)
DESCRIPTIONS = {
    "rank": """Every column but the target is a feature. Each round scores the active features by how much the class
probabilities of the rows change when a feature is taken away, lets the lowest one leave, and goes on until none is
left. Rank 1 is the last to leave.

The result is a table on a terminal and CSV elsewhere, with the columns rank, feature, s_s, s_a, s_su, round,
initial_s_s, initial_s_a and initial_s_su: the scores in the round in which the feature left, that round, and its
scores in the first round. Rows without a value in the target are unlabelled and count for s_su only.

Naive Bayes (nb) counts categories; long numeric columns are cut. The support vector machine (svm) takes numbers as they
are, standardised, and categories as one column for each value; its probabilities come from Platt's sigmoid, fitted on
cross-validated decision values. A column is taken from it by shuffling it among the rows, the probabilities of all
shuffles being averaged, or by fitting the model without it. Where a sigmoid comes out decreasing, as on very small or
weak tables, the one of the training rows is used, or the share of the class, and a warning says how often: the scores
are then best taken as rough, and more rows or fewer columns would help. The sigmoid has up to five folds of its own,
which --folds does not change. An option that has no meaning for the
classifier is an error.""",
    "map": """The mapped table holds all columns but the dropped ones. Columns with a rule hold yes and no, intervals
like (18,30], or names of groups; all others stay as they are. Quantiles and widths are learned from labelled rows.""",
    "suggest": """The draft is TOML with comments, to be read and edited; probfs rank takes it unchanged. Columns that
tell rows apart are dropped, numeric columns with more than 20 values are cut at quantiles (not for the svm, which takes
them as they are), and values that few rows hold are grouped.""",
    "inspect": """For each column: its kind, how many distinct values and missing cells it has, its most frequent value,
and what probfs rank would do with it.""",
    "exact": """JOINT has a row for each combination of feature values that can occur. The column p holds its
probability, p_y the probability of the positive class in it, both as numbers or as fractions like 1/3; all other
columns are features. The probabilities in p add up to 1, to within rounding.

The result has a line for each feature, in the order of the columns: s_s, the expected size of the change in the
probability of the positive class when the feature becomes known (eq. 1 of Arnosti & Danyluk, 2012); s_a, twice the
expected variance of it (eqs. 12 and 15); and s_b, what the feature adds to the accuracy of the best possible
classifier (eq. 5). Always s_a and s_b are at most s_s, and s_s at most the square root of s_a / 2.""",
    "generate": """The last column, class, is negative or positive. Names tell what matters: relevant_1, noise_001; in
the nominal problem x1 matters and x2 to x5 do not.

xcp draws columns X_{c,p}: with probability P a cell is y N(C, 1), y being 1 in positive and -1 in negative rows, and
otherwise N(0, 1) like the noise (footnote 1 of Arnosti & Danyluk, 2012). weston draws the linear problem of Weston et
al. (2000): with probability 0.7 the first three columns are y N(i, 1), i = 1, 2, 3, and the next three N(0, 1),
otherwise the other way round; noise is N(0, 20), of variance 20. nominal draws section 5.2's five columns with the
values a, b and c; the class is positive with probability 1/4, 1/2 or 3/4 as x1 is a, b or c. With oversampling the
labelled rows hold a, b and c equally often, with undersampling a and c only once in eight rows each, instead of once
in four.

An option that has no meaning for the problem is an error.""",
    "reproduce": """Each experiment regenerates a part of Arnosti & Danyluk (2012) with this program and judges what the
paper says of it: example (section 4.1), bound (eqs. 7, 9, 15 and 16 on random distributions), figure1 to figure4,
errors (the numbers about the breast-cancer table), table1, pairs (section 5.3), equivalence (eq. 10) and misfit (the
third prediction of section 5, which the paper left open).

The result is a list of claims: what the paper says, what was measured, and whether it holds. A claim about random
draws is judged over many of them. With --output each experiment leaves NAME.csv (the numbers), NAME_claims.csv,
NAME.png and NAME.svg in the folder, as soon as it is done. Results depend on --seed and --runs, not on --jobs. All at
their default take some minutes on two cores.""",
}


def files() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    group = get_command(build_app())
    commands: dict[str, Any] = group.commands  # type: ignore[attr-defined]  # typer's group, typed as a command
    pages = {ROOT / "man" / "probfs.1": _main_page(group, commands)}
    for name, command in commands.items():
        pages[ROOT / "man" / f"probfs-{name}.1"] = _command_page(name, command)
    readme = (ROOT / "README.md").read_text()
    before, rest = readme.split(USAGE_BEGIN)
    _, after = rest.split(USAGE_END)
    pages[ROOT / "README.md"] = before + USAGE_BEGIN + _usage(commands) + USAGE_END + after
    return pages


def options(command: Any) -> Iterator[tuple[str, str]]:
    """Each option or argument as it is written, and what it means."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield parameter.metavar, parameter.help
            continue
        names = "/".join([*parameter.opts, *parameter.secondary_opts])
        written = f"{names} {parameter.metavar}" if parameter.metavar else names
        shown = parameter.show_default and parameter.default is not None and parameter.default is not False
        yield written, parameter.help + (f" Default: {parameter.default}." if shown else "")


def _usage(commands: dict[str, Any]) -> str:
    parts = []
    for name, command in commands.items():
        parts.append(f"\n### probfs {name}\n\n{command.help}\n\n| option | meaning |\n|---|---|\n")
        for written, meaning in options(command):
            parts.append(f"| `{written.replace('|', chr(92) + '|')}` | {meaning.replace('|', chr(92) + '|')} |\n")
    return "".join(parts) + "\n"


def _main_page(group: Any, commands: dict[str, Any]) -> str:
    lines = _heading("probfs", 1, "rank the columns of a table")
    lines += [".SH SYNOPSIS", ".B probfs", "[\\fB\\-\\-version\\fR] \\fICOMMAND\\fR [\\fIOPTION\\fR ...]"]
    lines += [".SH DESCRIPTION", _roff(group.help), ".SH COMMANDS"]
    for name, command in commands.items():
        lines += [".TP", f".BR probfs\\-{name} (1)", _roff(command.help)]
    lines += [".SH OPTIONS", *_option_lines(group)]
    return _page(lines, "probfs(1)")


def _command_page(name: str, command: Any) -> str:
    lines = _heading(f"probfs-{name}", 1, command.help.rstrip("."))
    lines += [".SH SYNOPSIS", f".B probfs {name}", f"[\\fIOPTION\\fR ...] {_argument(command)}", ".SH DESCRIPTION"]
    for number, paragraph in enumerate(DESCRIPTIONS[name].split("\n\n")):
        lines += ([".PP"] if number else []) + [_roff(paragraph.replace("\n", " "))]
    lines += [".SH OPTIONS", *_option_lines(command), ".SH EXAMPLES"]
    for example in command.epilog.split("\n\n")[1:]:
        lines += [".PP", ".EX", _roff(example.strip()), ".EE"]
    return _page(lines, f"probfs-{name}(1)")


def _argument(command: Any) -> str:
    """The argument as a synopsis has it, in brackets where it may be left out."""
    (argument,) = (parameter for parameter in command.params if parameter.param_type_name == "argument")
    styled = f"\\fI{_roff(argument.metavar.strip('[].'))}\\fR"
    if argument.nargs != 1:
        return f"[{styled} ...]"
    return styled if argument.required else f"[{styled}]"


def _heading(name: str, section: int, summary: str) -> list[str]:
    return [
        '.\\" Written by man/generate.py; change the command, not this file.',
        f'.TH {_roff(name.upper())} {section} "" "probfs {__version__}"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(summary[:1].lower() + summary[1:])}",
    ]


def _option_lines(command: Any) -> list[str]:
    lines = []
    for written, meaning in options(command):
        names, _, metavar = written.partition(" ")
        styled = f"\\fB{_roff(names)}\\fR" if names.startswith("-") else f"\\fI{_roff(names)}\\fR"
        lines += [".TP", styled + (f" \\fI{_roff(metavar)}\\fR" if metavar else ""), _roff(meaning)]
    return lines


def _page(lines: list[str], own: str) -> str:
    lines = [*lines, ".SH EXIT STATUS"]
    for status, meaning in EXIT_STATUS:
        lines += [".TP", f".B {status}", _roff(meaning)]
    others = [page for page in PAGES if page != own]
    references = [f".BR {_roff(page[:-3])} ({page[-2]}){',' if page != others[-1] else ''}" for page in others]
    return "\n".join([*lines, ".SH SEE ALSO", *references]) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    stale = [path for path, text in files().items() if not path.exists() or path.read_text() != text]
    for path, text in files().items():
        path.write_text(text)
    sys.stdout.write("".join(f"wrote {path.relative_to(ROOT)}\n" for path in stale))
