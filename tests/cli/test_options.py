"""Options: declared once, shown by panels, turned into values; what is told of a run, and what is imported for it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import probfs
from probfs import __version__
from probfs.api.options import FLAG
from probfs.cli import COMMANDS, load_command
from probfs.cli.options import Command
from tests.support.commands import COMMUTE, Run, modules_imported_by
from tests.support.results import ranking_document, write_document

COMMANDS_LOADED: dict[str, Command] = {name: load_command(name) for name in COMMANDS}
PANELS = {
    "rank": ["Table", "Columns", "Model", "Elimination", "Output", "Where to run"],
    "select": ["Table", "Columns", "Model", "Selection", "Output", "Where to run"],
    "compare": ["Comparison", "Table", "Output"],
}


def test_the_list_of_commands_has_every_summary_whole(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = " ".join(run_here("--help").stdout.split("Commands:")[1].split())
    assert listed == " ".join(f"{name} {summary}" for name, (_, summary) in COMMANDS.items())
    assert run_here("--version").stdout == f"probfs {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_option_in_a_short_line_and_examples_that_are_understood(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = run_here(name, "-h").stdout
    lines = page.split("\n  Examples:\n")[0].splitlines()
    assert max(map(len, lines)) <= 80
    panels = [line[:-1] for line in lines if line.endswith(":") and not line.startswith((" ", "Usage"))]
    assert panels == PANELS.get(name, panels)
    shown = " ".join(page.split())
    assert not re.search(r"\[(x|default)", page), "typer adds nothing of its own"
    for option_name, option in COMMANDS_LOADED[name].options.items():
        assert option.help.endswith("."), option_name
        assert len(option.help) <= 90, option_name
        assert " ".join(option.line.split()) in shown, option_name
        assert option.panel in panels, option_name
    for line in COMMANDS_LOADED[name].examples.splitlines():
        assert line in page
        (command, *words) = line.split("probfs ")[1].split(" | ")[0].split(" > ")[0].split()
        options = COMMANDS_LOADED[command].options.items()
        known = {spelling for option_name, option in options for spelling in option.names}
        assert {word for word in words if word.startswith("--")} <= known, line


@pytest.mark.parametrize(("command", "compared"), [("rank", 7), ("select", 9), ("pairs", 4)])
def test_the_defaults_that_help_shows_are_those_of_the_library(command: str, compared: int) -> None:
    library = inspect.signature(getattr(probfs, command)).parameters
    shown = {
        name: (False if option.takes is FLAG else option.default, library[name].default)
        for name, option in COMMANDS_LOADED[command].options.items()
        if name in library and name != "screen" and (option.takes is FLAG or option.default is not None)
    }
    shown = {name: defaults for name, defaults in shown.items() if defaults[1] is not None}
    assert len(shown) == compared
    assert all(default == in_library for default, in_library in shown.values()), shown


@pytest.mark.parametrize(
    ("command", "name", "values", "refused"),
    [
        ("rank", "step", {"1": 1, ".5": 0.5, "0.999": 0.999, "auto": "auto"}, "0 1.0 1.5 0.0 1e-1 -1 x"),
        (
            "rank",
            "max_unpacked",
            {"1": 1, "1K": 1 << 10, "500m": 500 << 20, "8GB": 8 << 30, "2T": 2 << 40},
            "0 0K 1.5G",
        ),
        ("rank", "delimiter", {"tab": "\t", "\\t": "\t", ";": ";"}, ""),
        ("rank", "skip_rows", {"0": 0}, "-1 1.0"),
        ("rank", "cut_target", {"2": 2, "100": 100}, "1 101"),
        ("rank", "min_class", {"1": 1}, "0"),
        ("rank", "false_discoveries", {"1e-6": 1e-6, "1": 1.0}, "0 9e-7 1.01"),
        ("rank", "folds", {"2": 2}, "1"),
        ("rank", "seed", {"0": 0, "007": 7, "9" * 18: 10**18 - 1}, f"-1 3.0 1_0 +3 x {'9' * 19}"),
        ("rank", "smoothing", {"0": 0.0, "-0": 0.0, "5e-1": 0.5}, "-1 1_000 nan -inf 1e999 0x10 1,5 x"),
        ("rank", "kernel", {"rbf": "rbf"}, "RBF"),
        ("rank", "top", {"1": 1}, "0"),
        ("rank", "workers", {"1": 1}, "0"),
        ("rank", "together", {"a=b,c": ("a", "b,c"), "a=b=c": ("a", "b=c")}, "a a= =b"),
        ("select", "folds", {"0": 0, "2": 2}, "1"),
        ("select", "keep", {"0": 0, "3": 3, "best": "best"}, "-1 least"),
        ("compare", "top", {"1": 1}, "0"),
        ("generate", "c", {"0": 0, "1e100": 1e100}, "-1 1e101"),
        ("generate", "p", {"0": 0, "1": 1}, "-0.1 1.1"),
        ("generate", "balance", {"0": 0, "1": 1}, "-0.1 1.1"),
        ("generate", "relevant", {"0": 0, "100000": 100_000}, "-1 100001"),
        ("generate", "noise", {"0": 0, "100000": 100_000}, "-1 100001"),
        ("generate", "rows", {"1": 1, "10000000": 10_000_000}, "0 10000001"),
        ("generate", "unlabeled_rows", {"0": 0, "10000000": 10_000_000}, "-1 10000001"),
        ("reproduce", "runs", {"2": 2, "1000000": 1_000_000}, "1 1000001"),
        ("reproduce", "jobs", {"1": 1, "10000": 10_000}, "0 10001"),
    ],
)
def test_words_become_values_up_to_the_limits(command: str, name: str, values: dict[str, object], refused: str) -> None:
    takes = COMMANDS_LOADED[command].options[name].takes
    assert {word: takes.parse(word) for word in values} == values
    for word in refused.split():
        with pytest.raises(ValueError, match=f"^'?{re.escape(word)}'? is (not|neither) "):
            takes.parse(word)


HEAVY = {"pandas", "numpy", "pyarrow", "sklearn", "scipy", "matplotlib", "jinja2", "rich"}


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        ("rank --help", HEAVY),
        ("suggest -h", HEAVY),
        ("compare r.json r.json --format json", HEAVY - {"rich", "jinja2"}),
        ("rank t.csv --format csv", {"numba", "sklearn", "pandas", "dask", "fsspec", "scipy", "matplotlib"}),
        ("rank t.csv --format html", {"numba", "sklearn", "pandas", "dask", "fsspec"}),
        ("reproduce example --format csv", {"matplotlib"}),
    ],
)
def test_a_command_imports_only_what_it_needs(words: str, absent: set[str], tmp_path: Path) -> None:
    document = write_document(tmp_path / "r.json", ranking_document("abc"))
    names = {"t.csv": COMMUTE[0], "r.json": document}
    assert modules_imported_by(*(names.get(word, word) for word in words.split())).isdisjoint(absent)
