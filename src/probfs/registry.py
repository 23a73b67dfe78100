"""Named things of one kind (classifiers, scores, formats), each declared once and looked up by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from probfs.errors import UsageError
from probfs.text import option, quoted


class Named(Protocol):
    """Anything with the name that users call it by."""

    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class Registry(Generic[Entry]):
    """The entries of one kind in the order that help lists them in."""

    def __init__(self, parameter: str, entries: Iterable[Entry] = ()) -> None:
        """``parameter`` is the parameter, and the option, by which users choose an entry."""
        self.parameter = parameter
        self._entries = {entry.name: entry for entry in entries}

    def register(self, entry: Entry) -> Entry:
        self._entries[entry.name] = entry
        return entry

    def names(self, suits: Callable[[Entry], bool] | None = None) -> tuple[str, ...]:
        """The names of all entries, or of those that suit."""
        return tuple(name for name, entry in self._entries.items() if suits is None or suits(entry))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __getitem__(self, name: str) -> Entry:
        return self.get(name, self.parameter)

    def get(self, name: str, parameter: str, suits: Callable[[Entry], bool] | None = None) -> Entry:
        """The entry called ``name``, by whichever parameter users choose it; an unknown name is their mistake."""
        names = self.names(suits)
        if isinstance(name, str) and name in names:
            return self._entries[name]
        shown = quoted(name) if isinstance(name, str) else repr(name)
        raise UsageError(f"{option(parameter)}: {shown} is not one of {', '.join(names)}")
