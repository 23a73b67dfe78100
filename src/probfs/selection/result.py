"""The result: a frozen selection."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from probfs.classifiers.options import check_value
from probfs.columns.choice import ABOUT_ROWS
from probfs.notes import Note
from probfs.output.documents import Document as OutputDocument
from probfs.output.documents import header_of, selection_document
from probfs.output.notebook import result_html, result_repr
from probfs.ranking.document import Document
from probfs.ranking.result import DrawnResult, InputSummary, Ranking
from probfs.ranking.settings import TOP, SelectionSettings
from probfs.runtime.output import deliver_text
from probfs.text import quoted

if TYPE_CHECKING:
    from probfs.output.drawings import Drawing
    from probfs.ranking.story import Background

Frame = TypeVar("Frame")
Verdict = Literal["keep", "redundant", "weak", "noise"]
TIE = 1e-12
"""Losses that differ by no more than this, relative to their size, differ by rounding."""


@dataclass(frozen=True)
class SelectedFeature:
    """What became of a feature, and why."""

    rank: int
    """Survivors of the screen in the order of elimination, best first; then near-copies and noise, each by p."""
    feature: str
    keep: bool
    verdict: Verdict
    p: float | None
    """Of the test against noise; None where nothing is tested."""
    q: float | None
    s_s: float | None
    """In the round in which it left; None for a feature that was screened out, and for a copy."""
    s_a: float | None
    log_loss: float | None
    """Of the best ``rank`` features, after a temperature; None for a feature that was screened out, and for a copy."""
    folds: int | None
    """In how many folds it was kept; None without an honest estimate."""
    instead: str | None
    """The kept feature that says what a redundant one says; for a near-copy, the feature that took part for both."""
    explained: float | None
    """How much of it, from 0 to 1; for a near-copy, how alike they are."""

    @property
    def is_copy(self) -> bool:
        """Whether it is nearly the same as another feature, and so was not eliminated by itself."""
        return self.verdict in ("redundant", "weak") and self.log_loss is None


@dataclass(frozen=True)
class Size:
    """How the model of the best so many features does, judged on the rows that chose them."""

    features: int
    log_loss: float
    temperature: float | None
    """None for a classifier whose probabilities need none."""
    errors: int


def find_best(sizes: Sequence[Size]) -> Size:
    """The size of the least loss; of equal losses, that of the fewest features."""
    least = min(size.log_loss for size in sizes)
    return next(size for size in sizes if size.log_loss <= least + TIE * abs(least))


@dataclass(frozen=True)
class Judged:
    """How a model does on rows that neither it nor the choice of its features had seen."""

    errors: int
    rows: int
    log_loss: float
    se: float
    """The standard error of the mean log-loss."""


@dataclass(frozen=True)
class HonestEstimate:
    """How well a selection does on unseen rows: all of it was repeated without each fold, which was then predicted."""

    folds: int
    kept: Judged
    all: Judged
    none: Judged
    difference: float
    """The mean over rows of the log-loss of kept minus that of all."""
    se: float
    """The standard error of that difference."""


@dataclass(frozen=True, repr=False)
class Selection(DrawnResult):
    """A verdict on every feature, how well each number of features does, and how well the selection does on unseen
    rows.
    """

    features: tuple[SelectedFeature, ...]
    sizes: tuple[Size, ...]
    kept: tuple[str, ...]
    """Names, best first."""
    honest: HonestEstimate | None
    input: InputSummary
    settings: SelectionSettings
    warnings: tuple[Note, ...]
    version: str
    unlisted: tuple[SelectedFeature, ...] = ()
    """Features that results leave out, as only the best were asked for."""
    best_size: int = 0
    """How many of the best features have the least log-loss."""
    ranking: Ranking | None = field(default=None, repr=False, compare=False)
    """The elimination that was cut: the features told from noise that are no copies of others, and every round."""
    background: Background | None = field(default=None, compare=False, repr=False)
    """What a report tells besides; None unless one was asked for."""
    most_listed: int | None = field(default=None, compare=False, repr=False)
    """How many features ``top`` was asked for; None for all."""

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], source: str = "<dict>") -> Self:
        document = Document(content, "selection", source)
        names = ("features", "sizes", "kept", "honest", "input", "settings", "warnings", "version")
        selection = document.read(cls, *names)
        honest = selection.honest
        judged = {} if honest is None else {"kept": honest.kept, "all": honest.all, "none": honest.none}
        rows = {f"honest.{name}.rows": each.rows for name, each in judged.items()}
        document.check(selection.features, selection.input, rows)
        verdicts = {feature.feature: feature.verdict == "keep" for feature in selection.features}
        is_partial = len(verdicts) < selection.input.features
        for name, times in Counter(selection.kept).items():
            if times > 1 or not verdicts.pop(name, is_partial):
                document.fail("kept", f"has {quoted(name)}, which is there twice or not among the features to keep")
        for name, is_kept in verdicts.items():
            if is_kept:
                document.fail("kept", f"has not {quoted(name)}, whose verdict is keep")
        sizes = selection.sizes[len(selection.settings.always) :]
        if not sizes:
            document.fail("sizes", "does not say how all columns together do")
        return replace(selection, best_size=find_best(sizes).features)

    def is_beyond(self, feature: SelectedFeature) -> bool:
        """Whether a feature is dropped only because a smaller number of them was asked for."""
        return feature.verdict == "weak" and isinstance(self.settings.keep, int) and feature.rank <= self.best_size

    @property
    def reduced_columns(self) -> tuple[str, ...]:
        """The columns of the reduced table: those kept, the target, and those of counts, weights and the like."""
        others = dict.fromkeys(getattr(self.settings, parameter) for parameter in ABOUT_ROWS)
        return (*self._kept_columns, self.input.target, *(name for name in others if name is not None))

    @property
    def _kept_columns(self) -> tuple[str, ...]:
        """The kept columns as the table has them."""
        return self.settings.columns_of(self.kept)

    def top(self, number: int | None) -> Selection:
        """The same selection with only the best features listed; all else stays complete."""
        if number is None:
            return self
        number = check_value("top", TOP, number)
        return replace(
            self,
            features=self.features[:number],
            unlisted=(*self.features[number:], *self.unlisted),
            most_listed=number,
        )

    def reduced(self, frame: Frame) -> Frame:
        """The frame with only the columns kept, the target and the count; the order of its columns and rows stays.

        It may be any that ``select`` takes: pandas', polars', pyarrow's … New rows need neither target nor count: where
        the frame has none, it is left out.
        """
        from probfs.tables.frames import keep_columns

        reduced: Frame = keep_columns(frame, self._kept_columns, self.reduced_columns[len(self._kept_columns) :])
        return reduced

    def document(self) -> OutputDocument:
        return selection_document(self, header_of(SelectedFeature))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The selection as a page to look at, in one file that needs no other, also written to ``path`` when given.

        With ``report=True``, ``select`` keeps what the page tells of the table and of the rounds.
        """
        from probfs.output.report import selection_report

        return deliver_text(selection_report(self), path)

    def drawing(self) -> Drawing:
        from probfs.output.drawings import selection_drawing

        return selection_drawing(self)

    __repr__ = result_repr
    _repr_html_ = result_html
