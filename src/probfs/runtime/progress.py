"""What is being done and how much of it: told by whichever layer does the work to whoever listens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

COMPILING = "compiling loops"
"""The stage in which loops are compiled, the first time that they are needed on a machine."""


@dataclass(frozen=True)
class Progress:
    """How far a stage of the work has come."""

    stage: str
    """What is being done, in words for users."""
    done: int = 0
    total: int | None = None
    """How much there is to do; None if that is not known."""
    unit: str = ""
    """What is counted, such as bytes or features; empty if nothing is."""


Listener: TypeAlias = Callable[[Progress], None]
_listener: ContextVar[Listener] = ContextVar("_listener", default=lambda progress: None)


@contextlib.contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Tell this listener, and no other, of all progress made meanwhile; without one, whoever listens already.

    >>> with listening(print):
    ...     report("reading", 3, 7, "bytes")
    Progress(stage='reading', done=3, total=7, unit='bytes')
    """
    token = _listener.set(listener or current_listener())
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> Listener:
    """Who listens now, for work that goes on in threads which know nothing of their caller."""
    return _listener.get()


def report(stage: str, done: int = 0, total: int | None = None, unit: str = "") -> None:
    """Say that a stage begins, or how far it has come."""
    current_listener()(Progress(stage, done, total, unit))
