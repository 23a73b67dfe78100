"""What a report says, before it is a page: sentences, tables and numbers, all of them plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from probfs.text import escape_character, printable, shorten_middle

if TYPE_CHECKING:
    from markupsafe import Markup

LONGEST_NAME = 200
"""Characters of a name; the middle of a longer one is left out. The other formats have it in full."""

_MOST_ACCENTS = 5
"""One upon the other; no script needs more, and a pile of them would lie over the lines above."""
PLAIN = "plain"
"""The group of rows that are in no other."""


@dataclass(frozen=True)
class ReportColumn:
    """A heading and the cells below it."""

    heading: str
    cells: Sequence[str]
    kind: Literal["number", "text", "name"] = "number"
    """How cells are aligned and sorted; a name stands for its row."""
    best_first: bool = False
    """Whether sorting begins with the largest."""
    bars: Sequence[float] = ()
    """From 0 to 1, beside each cell."""
    wraps: bool = False
    """Whether numbers may take two lines on paper."""


@dataclass(frozen=True)
class ReportTable:
    """A table; scripts find it by its name."""

    name: str
    caption: str
    columns: Sequence[ReportColumn]
    groups: Sequence[str] = ()
    """What each row is one of; nothing for an ordinary row."""
    group_names: Mapping[str, str] = field(default_factory=dict)
    """The groups that rows can be chosen by, and what they are called."""
    searched: bool = False
    """Whether it is so long that readers want to sort it and to look for rows."""
    ends_in_sentences: bool = False
    """Whether the last column has texts that must not be squeezed."""
    note: str = ""


@dataclass(frozen=True)
class StorySection:
    """The rounds of an elimination."""

    score: str
    table: ReportTable
    sentences: Sequence[str]
    """What happened, for each round of the table."""
    scores: Sequence[Sequence[float]]
    """Those of the features that are left in each round of the table, in the order of the table of features."""
    left: Sequence[int]
    """How many features are left in each of these rounds, listed or not."""
    largest: Sequence[float]
    """The largest score of all that are left, in absolute value."""


@dataclass(frozen=True)
class DataSection:
    """What the table held, and what it was made into."""

    classes: ReportTable
    columns: ReportTable
    sentences: Sequence[str]


@dataclass(frozen=True)
class Report:
    """All parts of a page, in their order."""

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    """What people look for first: a number and what it counts."""
    sentences: Sequence[str]
    warnings: Sequence[str]
    notes: Sequence[str]
    figure: Markup
    meanings: str
    """What the headings of the features mean."""
    features: ReportTable
    story: StorySection | None
    data: DataSection | None
    settings: Sequence[tuple[str, str]]
    call: str | None
    version: str


def shown_name(name: str) -> str:
    """A name as the page has it: nothing in it acts on its neighbours, and it is not longer than a few lines."""
    return shorten_middle(harmless(shorten_middle(name, LONGEST_NAME)), LONGEST_NAME)


def harmless(text: str) -> str:
    """A text of which no character acts on others, hides, or is an accent above a pile of accents.

    >>> harmless("e\\u0301") == "e\\u0301", harmless("e" + "\\u0301" * 7)[-12:], harmless("\\u202e")
    (True, '\\\\u0301\\\\u0301', '\\\\u202e')
    """
    if text.isascii() and text.isprintable():
        return text
    shown, pile = [], 0
    for character in printable(text):
        pile = pile + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        shown.append(escape_character(character) if pile > _MOST_ACCENTS else character)
    return "".join(shown)


def as_sentence(text: str) -> str:
    """A text that ends as sentences do."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def shown_probability(value: float | None) -> str:
    """Three decimals, or a power of ten where they would say little.

    >>> shown_probability(0.25), shown_probability(1.23e-7), shown_probability(0.0), shown_probability(None)
    ('0.250', '1.2e-07', '0.000', '')
    """
    if value is None:
        return ""
    return f"{value:.3f}" if value == 0 or value >= 1e-3 else f"{value:.1e}"


def bar_lengths(values: Sequence[float | None]) -> list[float]:
    """The length of each bar: the largest value has a bar of 1, and what is not above 0 has none."""
    finite = [value for value in values if value is not None and 0 < value < float("inf")]
    largest = max(finite, default=1.0)
    return [0.0 if value is None or not value > 0 else min(value / largest, 1.0) for value in values]
