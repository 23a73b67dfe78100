"""The one exception for everything that can be wrong with compiled loops."""

from __future__ import annotations

from probfs.text import printable


class KernelUnavailable(Exception):  # noqa: N818 - not an error: numpy does the work instead
    """A kernel cannot be compiled, loaded or trusted here."""

    def __init__(self, kernel: str, problem: object) -> None:
        """``problem`` is what happened: an exception, or words for it."""
        # Compilers follow their first line up with pages.
        first_line, *_ = str(problem).strip().splitlines() or [type(problem).__name__]
        self.reason = printable(first_line.rstrip(" .:"))
        """Why, in one line that may be shown to users."""
        super().__init__(f"{kernel}: {self.reason}")
