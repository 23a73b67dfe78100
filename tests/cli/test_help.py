"""Help: every option is explained, with its default, in the order of its bundles."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from probfs import __version__
from probfs.classifiers.catalogue import known_options
from probfs.cli import build_app
from tests.support.commands import Run

COMMANDS: dict[str, Any] = get_command(build_app()).commands  # type: ignore[attr-defined]  # typer's group


def test_the_commands_stand_in_the_order_of_the_work(run_here: Run) -> None:
    assert list(COMMANDS) == [
        "rank",
        "select",
        "compare",
        "map",
        "suggest",
        "inspect",
        "exact",
        "generate",
        "reproduce",
    ]
    listed = run_here("--help").stdout.split("Commands:")[1]
    places = [listed.index(f"  {name} ") for name in COMMANDS]
    assert places == sorted(places)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_a_sentence(name: str) -> None:
    assert not [option.name for option in COMMANDS[name].params if not (option.help or "").endswith(".")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_default_is_said(name: str) -> None:
    """Typer shows it, or the help says it in words; standard input, a flag that is off and nothing need no word."""
    for option in COMMANDS[name].params:
        is_counted_flag = getattr(option, "count", False)
        if option.default is not None and option.default is not False and option.default != "-" and not is_counted_flag:
            assert option.show_default or "Default: " in option.help, f"{option.opts[0]} is {option.default}"


def test_a_command_takes_only_options_that_it_uses() -> None:
    names = {name: {option.opts[0] for option in command.params} for name, command in COMMANDS.items()}
    assert "--score" in names["rank"]
    unranked = {"--step", "--no-eliminate", "--estimate", "--unlabeled", "--uncertainty"}
    assert unranked <= names["rank"]
    assert names["select"] == (names["rank"] - unranked) | {
        "--false-discoveries",
        "--keep",
        "--always",
        "--reduced",
        "--names",
    }
    for name in ("inspect", "suggest"):
        assert {"--classifier", "--bins"} <= names[name]
        assert names[name].isdisjoint({"--score", "--smoothing", "--kernel", "--jobs"})
    for name in ("map", "exact", "generate"):
        assert "--classifier" not in names[name]


def test_the_options_of_classifiers_are_options_of_rank() -> None:
    for name, declared, owners in known_options():
        (option,) = [option for option in COMMANDS["rank"].params if option.name == name]
        assert option.opts == [f"--{name.replace('_', '-')}"]
        assert option.metavar == declared.kind.metavar
        assert option.help.startswith(", ".join(owners))
        assert declared.help in option.help
        assert option.help.endswith(f"Default: {declared.default_help or declared.default}.")


@pytest.mark.parametrize("words", [("--version",), ("rank", "-h"), ("rank", "--help")])
def test_help_and_version_go_to_standard_output(run_here: Run, words: tuple[str, ...]) -> None:
    result = run_here(*words)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"probfs {__version__}\n" if words == ("--version",) else "Usage: probfs rank")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_that_it_understands(name: str) -> None:
    lines = [line for line in COMMANDS[name].epilog.splitlines() if line.startswith(("probfs ", "zcat "))]
    assert lines
    for line in lines:
        (command, *words) = line.split("probfs ")[1].split(" | ")[0].split(" > ")[0].split()
        known = {flag for option in COMMANDS[command].params for flag in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line
