"""Bundles of options: spread over a command's signature, and put together again when it is called."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from probfs.cli.bundles import Bundle, flatten, keyword


@dataclass(frozen=True)
class Soil(Bundle):
    """Where a tree stands."""

    depth: Annotated[int, typer.Option(help="How deep the soil is.")] = 3
    wet: Annotated[bool, typer.Option("--wet", help="Whether it is wet.")] = False


@dataclass(frozen=True)
class Kind(Bundle):
    """Which tree it is, of those that are known when the command is made."""

    kind: str = "oak"

    known = ("oak", "ash")

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        return {"kind": Annotated[str, typer.Option(help=f"One of {', '.join(cls.known)}.")]}


planted: list[tuple[str, Soil, Kind, bool]] = []


def plant(soil: Soil, name: Annotated[str, typer.Argument()], kind: Kind, quiet: bool = False) -> None:
    """Plant a tree."""
    planted.append((name, soil, kind, quiet))


@pytest.fixture(autouse=True)
def _nothing_planted() -> None:
    planted.clear()


def test_the_options_of_bundles_become_parameters_in_their_place() -> None:
    parameters = inspect.signature(flatten(plant)).parameters
    assert list(parameters) == ["depth", "wet", "name", "kind", "quiet"]
    assert [parameters[name].default for name in ("depth", "wet", "kind", "quiet")] == [3, False, "oak", False]
    assert parameters["name"].default is inspect.Parameter.empty
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())


def test_bundles_are_put_together_again() -> None:
    flatten(plant)(depth=5, wet=True, name="yew", kind="ash", quiet=True)
    assert planted == [("yew", Soil(5, True), Kind("ash"), True)]


def test_the_command_keeps_its_name_and_help() -> None:
    command = flatten(plant)
    assert (command.__name__, command.__doc__) == ("plant", "Plant a tree.")


def test_what_is_registered_is_looked_up_when_the_command_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind, "known", ("oak", "ash", "fir"))
    annotation = inspect.signature(flatten(plant)).parameters["kind"].annotation
    assert annotation.__metadata__[0].help == "One of oak, ash, fir."


def test_an_option_without_a_default_is_required() -> None:
    @dataclass(frozen=True)
    class Needed(Bundle):
        height: int

    (parameter,) = Needed.parameters()
    assert parameter == keyword("height", int, inspect.Parameter.empty)


def test_typer_takes_the_flat_command() -> None:
    app = typer.Typer()
    app.command()(flatten(plant))
    result = CliRunner().invoke(app, ["yew", "--depth", "9", "--wet", "--kind", "ash"])
    assert result.exit_code == 0, result.output
    assert planted == [("yew", Soil(9, True), Kind("ash"), False)]


def test_options_that_have_a_value_are_keywords() -> None:
    @dataclass(frozen=True)
    class Leaves(Bundle):
        shape: str | None = None
        number: int = 0

    assert Leaves().keywords() == {"number": 0}
    assert Leaves("oval", 3).keywords() == {"shape": "oval", "number": 3}
