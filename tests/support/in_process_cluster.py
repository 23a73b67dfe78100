"""A cluster without Dask: tasks run at once, in this process, and whatever travels is pickled on its way."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class _Result:
    value: Any


class InProcessCluster:
    """Has the methods of ``Cluster`` that stages use."""

    elsewhere = False
    limit: int | None = None
    """Of memory, in bytes."""

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        return _Result(_travelled(function(*(_value(one) for one in arguments))))

    def map(self, name: str, function: Callable[..., Any], futures: Sequence[Any], **others: Any) -> list[Any]:
        known = {key: _value(one) for key, one in others.items()}
        return [_Result(_travelled(function(_value(one), **known))) for one in futures]

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        return [one.value for one in futures]

    def as_they_come(self, futures: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        yield from reversed(list(enumerate(self.gather(futures))))

    def threads(self) -> int:
        return 3

    def memory(self) -> int | None:
        return self.limit

    def addresses(self) -> frozenset[str]:
        return frozenset(["here"])

    def release(self, futures: Sequence[Any]) -> None:
        pass


@contextlib.contextmanager
def connect_here(scheduler: str | None, workers: int | None) -> Iterator[InProcessCluster]:
    """In place of ``probfs.cluster.connection.connect``."""
    yield InProcessCluster()


def _value(argument: Any) -> Any:
    if isinstance(argument, list) and argument and isinstance(argument[0], _Result):
        return [one.value for one in argument]
    return argument.value if isinstance(argument, _Result) else _travelled(argument)


def _travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))
