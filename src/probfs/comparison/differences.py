"""What differs between two rankings beside ranks: settings, target, classes, rows; some make them hard to compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from probfs.comparison.documents import ComparedRanking
from probfs.text import listed, printable, quoted

_DECISIVE = ("classifier", "estimator", "score", "estimate", "eliminate", "kernel", "cut_target")
"""Settings under which scores, and so ranks, mean something else."""
_IRRELEVANT = ("uncertainty",)
"""Settings that no rank depends on."""


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in both documents."""

    what: str
    old: Any
    new: Any
    severe: bool
    """Whether it makes the two hard to compare."""

    def __str__(self) -> str:
        return f"{self.what} ({shown_value(self.old)} → {shown_value(self.new)})"


def find_differences(old: ComparedRanking, new: ComparedRanking) -> tuple[Difference, ...]:
    """What differs, the severe first; settings that only one of the two documents knows are not compared."""
    found = [difference for difference in _candidates(old, new) if difference.old != difference.new]
    return tuple(sorted(found, key=lambda difference: not difference.severe))


def _candidates(old: ComparedRanking, new: ComparedRanking) -> Iterator[Difference]:
    yield Difference("document", old.kind, new.kind, severe=True)
    yield Difference("target", old.target, new.target, severe=True)
    # Classes that numbers were cut into are named by intervals, whose limits follow the rows.
    both_cut = None not in (old.settings.get("cut_target"), new.settings.get("cut_target"))
    yield Difference("classes", sorted(old.classes), sorted(new.classes), severe=not both_cut)
    for key, value in old.settings.items():
        if key in new.settings and key not in _IRRELEVANT:
            # The folds of a selection judge it, those of a ranking score its rows.
            decisive = key in _DECISIVE or (key == "folds" and old.kind == new.kind == "ranking")
            yield Difference(key, value, new.settings[key], decisive)
    yield Difference("labelled rows", old.labelled_rows, new.labelled_rows, severe=False)
    yield Difference("unlabelled rows", old.unlabelled_rows, new.unlabelled_rows, severe=False)
    yield Difference("version of probfs", old.version, new.version, severe=False)


def shown_value(value: Any) -> str:
    """A setting as a sentence has it.

    >>> shown_value(None), shown_value(True), shown_value([]), shown_value(["a", "b"]), shown_value(2500)
    ('none', 'yes', 'none', "'a', 'b'", '2,500')
    """
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return listed([item if isinstance(item, str) else str(item) for item in value], most=4)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return quoted(value) if len(value) > 40 else printable(value)
    return f"{value:g}" if isinstance(value, float) else printable(str(value))
