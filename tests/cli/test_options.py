"""Options: declared once, shown by panels, turned into values, and handed to the library."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import probfs
from probfs import __version__
from probfs.api.options import ELIMINATION, READING
from probfs.classifiers.catalogue import known_options
from probfs.cli import COMMANDS, load_command
from probfs.cli.options import TABLE_OUTPUT, Command
from tests.support.commands import COMMUTE, Run, modules_imported_by
from tests.support.table_content import Write

COMMANDS_LOADED: dict[str, Command] = {name: load_command(name) for name in COMMANDS}
PANELS = {
    "rank": ["Table", "Columns", "Model", "Elimination", "Output", "Where to run"],
    "select": ["Table", "Columns", "Model", "Selection", "Output", "Where to run"],
    "compare": ["Comparison", "Table", "Output"],
}


@pytest.mark.parametrize("command", PANELS)
def test_help_has_a_panel_for_each_subject_and_fits_80_columns(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = run_here(command, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.split("\n  Examples:\n")[0].splitlines()
    assert [line[:-1] for line in lines if line.endswith(":") and not line.startswith((" ", "Usage"))] == PANELS[
        command
    ]
    assert max(map(len, lines)) <= 80


def test_the_list_of_commands_has_every_summary_whole(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = " ".join(run_here("--help").stdout.split("Commands:")[1].split())
    assert listed == " ".join(f"{name} {summary}" for name, (_, summary) in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_one_short_line_that_is_shown(run_here: Run, name: str) -> None:
    shown = " ".join(run_here(name, "-h").stdout.split())
    for option_name, option in COMMANDS_LOADED[name].options.items():
        assert option.help.endswith("."), option_name
        assert len(option.help) <= 90, option_name
        assert " ".join(option.line.split()) in shown, option_name
        assert option.panel, option_name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_that_it_understands(run_here: Run, name: str) -> None:
    examples = COMMANDS_LOADED[name].examples.splitlines()
    assert all(example in run_here(name, "--help").stdout for example in examples)
    for line in examples:
        (command, *words) = line.split("probfs ")[1].split(" | ")[0].split(" > ")[0].split()
        options = COMMANDS_LOADED[command].options.items()
        known = {spelling for option_name, option in options for spelling in option.spellings(option_name)}
        assert {word for word in words if word.startswith("--")} <= known, line


@pytest.mark.parametrize("command", ["rank", "select"])
def test_the_defaults_that_help_shows_are_those_of_the_library(command: str) -> None:
    library = {**inspect.signature(probfs.read).parameters, **inspect.signature(getattr(probfs, command)).parameters}
    shown = {name: option.default for name, option in COMMANDS_LOADED[command].options.items() if name in library}
    for name in ("encoding", "classifier", "score", "min_class", "seed", "engine"):
        assert shown.pop(name) == library[name].default, name
    if command == "select":
        for name in ("keep", "folds", "false_discoveries"):
            assert shown.pop(name) == library[name].default, name


def test_the_options_of_classifiers_are_options_of_rank() -> None:
    options = COMMANDS_LOADED["rank"].options
    for name, declared, _ in known_options():
        assert options[name].spellings(name) == (f"--{name.replace('_', '-')}",)
        assert options[name].shown_metavar == declared.kind.metavar
        assert declared.help[1:] in options[name].manual
    assert options["jobs"].help == "all but nb: processes that fit models at a time."
    assert options["smoothing"].line == "nb: what is added to every count. Default: 1.0."


def test_a_command_takes_only_options_that_it_uses() -> None:
    names = {name: set(command.options) for name, command in COMMANDS_LOADED.items()}
    unranked = {"screen", "step", "no_eliminate", "estimate", "unlabeled", "uncertainty"}
    assert names["select"] == (names["rank"] - unranked) | {"keep", "always", "reduced", "names"}
    for name in ("inspect", "suggest"):
        assert {"classifier", "bins"} <= names[name]
        assert names[name].isdisjoint({"score", "smoothing", "kernel", "jobs"})
    for name in ("map", "exact", "generate", "sample"):
        assert "classifier" not in names[name]
    assert READING["input_format"].shown_metavar.endswith("|excel")
    assert "excel" not in TABLE_OUTPUT["format"].shown_metavar


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("step", "1", 1),
        ("step", ".5", 0.5),
        ("step", "auto", "auto"),
        ("step", "0", "neither auto nor a whole number from 1 on nor a fraction like 0.1"),
        ("step", "1.5", "neither auto"),
        ("step", "1e-1", "neither auto"),
        ("max_unpacked", "700", 700),
        ("max_unpacked", "500m", 500 << 20),
        ("max_unpacked", "8GB", 8 << 30),
        ("max_unpacked", "0", "not a size like 500M or 8G"),
        ("max_unpacked", "1.5G", "not a size"),
        ("delimiter", "tab", "\t"),
        ("delimiter", "\\t", "\t"),
    ],
)
def test_a_word_becomes_its_value_or_an_error(name: str, word: str, value: object) -> None:
    parse = (READING | ELIMINATION)[name].takes.parse
    if isinstance(value, str) and value not in ("auto", "\t"):
        with pytest.raises(ValueError, match=f"{word}'? is {value}"):
            parse(word)
    else:
        assert parse(word) == value


def is_warning(line: str) -> bool:
    return line.startswith("probfs: warning: ")


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "t.csv"),
        ("select", "t.csv", "--folds", "0"),
        ("inspect", "t.csv"),
        ("map", "m.csv", "--mapping", "m.toml"),
        ("compare", "r.json", "t.csv"),
        ("exact", "joint.csv"),
        ("reproduce", "bound", "--runs", "2", "--output", "paper"),
    ],
    ids=lambda words: words[0],
)
def test_quiet_hides_notes_and_said_twice_warnings(words: tuple[str, ...], write: Write, run_here: Run) -> None:
    rows = [f"{place};{'ux'[place % 2]};{'pq'[place % 3 == 0]}\n" for place in range(12)]
    write("t.csv", f"row;a;y\n{''.join(rows)}")
    write("m.csv", "a;y\nu;p\nNA;q\nv;p\n")
    write("m.toml", "[columns]\n")
    write("joint.csv", "a;p;p_y\nu;0.5;0.1\nv;0.5;0.9\n")
    probfs.rank("t.csv", target="y", on_note=lambda note: None).top(1).to_json("r.json")
    loud, quiet, *silent = (run_here(*words, *how).stderr for how in ((), ("-q",), ("-qq",), ("--quiet", "--quiet")))
    assert not all(map(is_warning, loud.splitlines())), "nothing was tested"
    assert quiet.splitlines() == [line for line in loud.splitlines() if is_warning(line)]
    assert bool(quiet) == (words[0] != "exact"), "reading alone gives no warning"
    assert silent == ["", ""]
    assert run_here(*words, "--nonsense", "-qq").stderr.startswith("probfs: error: No such option")


def test_short_forms_do_what_the_long_ones_do(write: Write, run_here: Run, tmp_path: Path) -> None:
    data = write("t.csv", "a,y,b\nx,p,u\nz,p,v\nx,q,u\nx,q,v\n")
    result = run_here("rank", data, "-q", "-t", "y", "-o", "r.csv")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (tmp_path / "r.csv").read_text() == run_here("rank", data, "--quiet", "--target", "y").stdout
    assert run_here("rank", data, "-qty", "--exclude", "a,b").returncode == 1
    assert run_here("--version").stdout == f"probfs {__version__}\n"


@pytest.mark.parametrize("words", [("rank", "--help"), ("suggest", "-h")])
def test_help_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    heavy = {"pandas", "numpy", "pyarrow", "sklearn", "scipy", "matplotlib", "jinja2", "rich"}
    assert modules_imported_by(*words).isdisjoint(heavy)


@pytest.mark.parametrize("chosen", ["csv", "html"])
def test_ranking_imports_only_what_it_needs(chosen: str) -> None:
    loaded = modules_imported_by("rank", *COMMUTE, "--format", chosen)
    assert loaded.isdisjoint(
        {"sklearn", "pandas"} if chosen == "html" else {"sklearn", "scipy", "matplotlib", "pandas"}
    )
