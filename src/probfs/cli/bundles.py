"""Bundles of options that several commands take, each declared once.

A bundle is a class; a command that takes an argument of that type has all of its options. Typer wants them one by one,
so ``flatten`` spreads the bundles of a command over its signature and puts them together again when it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, Self, get_type_hints

Command = Callable[..., None]


class Bundle:
    """A data class whose fields are options, each annotated as typer wants it and with a default."""

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        """The annotations of options whose words or help depend on what is registered when the command is made."""
        return {}

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """The options as parameters of a command."""
        hints = {**get_type_hints(cls, include_extras=True), **cls.registered()}
        return [
            keyword(own.name, hints[own.name], inspect.Parameter.empty if own.default is MISSING else own.default)
            for own in fields(cls)  # type: ignore[arg-type]  # every bundle is a data class
        ]

    @classmethod
    def collect(cls, values: Mapping[str, Any]) -> Self:
        """The bundle made of the values of its options."""
        return cls(**values)

    def keywords(self) -> dict[str, Any]:
        """The options that have a value, as keywords of the library's functions, which call them the same."""
        return {name: value for name, value in vars(self).items() if value is not None}


def keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def flatten(command: Command) -> Command:
    """The same command with the options of its bundles as parameters of their own."""
    hints = get_type_hints(command, include_extras=True)
    spread: dict[str, tuple[type[Bundle], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and issubclass(hint, Bundle):
            own = hint.parameters()
            spread[parameter.name] = hint, [option.name for option in own]
            parameters += own
        else:
            parameters.append(keyword(parameter.name, hint, parameter.default))

    @wraps(command)
    def flat(**values: Any) -> None:
        bundles = {
            name: bundle.collect({option: values.pop(option) for option in options})
            for name, (bundle, options) in spread.items()
        }
        command(**values, **bundles)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del flat.__wrapped__  # or inspect would look at the original
    return flat
