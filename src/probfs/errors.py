"""The exceptions that leave the library, each with the exit status it means on the command line; and its warnings."""

from __future__ import annotations


class ProbfsError(Exception):
    """Anything that is wrong with what the user gave: one line, saying what, where and how to fix it."""

    exit_status = 1

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        # A value that a caller gave, such as a data frame, may show itself in many lines.
        self.message = " ".join(message.split()) if "\n" in message else message
        super().__init__(self.message)
        self.source = source
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.source is None:
            return self.message
        place = [str(part) for part in (self.source, self.line, self.column) if part is not None]
        return f"{':'.join(place)}: {self.message}"


class DataError(ProbfsError, ValueError):
    """A table that cannot be read or ranked."""


class OutputError(ProbfsError):
    """A result that cannot be written."""


class UsageError(ProbfsError, ValueError):
    """An argument that is wrong, whatever the data."""

    exit_status = 2


class MappingError(UsageError):
    """A mapping file that is wrong, in itself or for this table."""


class ProbfsWarning(UserWarning):
    """A note of severity "warning", as a warning of Python's, so that callers can filter it."""


class TargetWarning(ProbfsWarning):
    """Nobody said which column to predict, so the last one was taken, or one that the file calls class."""
