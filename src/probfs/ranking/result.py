"""The result: a frozen ranking."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from probfs.classifiers.options import check_value
from probfs.notes import Note
from probfs.output.documents import Document as OutputDocument
from probfs.output.documents import header_of, ranking_document
from probfs.output.notebook import result_html, result_repr
from probfs.output.writers import Presentation, csv_text, data_frame, json_text
from probfs.ranking.document import Document, load_json
from probfs.ranking.settings import TOP, Settings
from probfs.runtime.output import deliver_text

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from probfs.output.drawings import Drawing
    from probfs.ranking.story import Background


@dataclass(frozen=True)
class RankedFeature:
    """A feature's rank, its scores in the round in which it left, that round, its scores in the first round, and its
    test against the class.
    """

    rank: int
    feature: str
    s_s: float
    s_a: float
    s_su: float | None
    round: int
    initial_s_s: float
    initial_s_a: float
    initial_s_su: float | None
    p: float | None = None
    """How probable a relation to the class as large as seen is for a feature that is unrelated to it."""
    q: float | None = None
    """The least rate of false discoveries at which the feature counts as related to the class."""
    se_initial_s_s: float | None = None
    """The standard error of ``initial_s_s``; None, as what follows, unless uncertainty was asked for."""
    se_initial_s_a: float | None = None
    rank_low: int | None = None
    """The best rank that rankings of half samples leave credible, at 90 %."""
    rank_high: int | None = None
    """The worst one."""
    instead: str | None = None
    """The feature that it is nearly the same as, which took part in the elimination for both."""
    in_first_k: float | None = None
    """The part of the rankings of half samples in which it is among the first k, k being that of the stability."""

    def to_dict(self) -> dict[str, Any]:
        """The content of the JSON, where the scores in the first round are an object."""
        content: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("initial_"):
                content.setdefault("initial", {})[name.removeprefix("initial_")] = value
            else:
                content[name] = value
        return content


@dataclass(frozen=True)
class Stability:
    """How far rankings of half of the rows have the same first columns."""

    value: float
    """1 if they always do, about 0 if these are as good as drawn at random (Nogueira, Sechidis and Brown 2018)."""
    k: int
    """How many first columns are meant: those told from noise or, where that is none or all, half of the columns."""
    halves: int


@dataclass(frozen=True)
class RoundSummary:
    """How the model with a round's features did, and which of them left, lowest first."""

    round: int
    features: int
    removed: tuple[str, ...]
    errors: int
    rows: int
    absolute_loss: float
    log_loss: float
    exponent: float | None = None
    """The power that class weights were raised to by shrinkage, 1 without it; None for other classifiers."""
    cv_errors: int | None = None
    """For the SVM: the errors on the cross-validated decision values that its probabilities are fitted on."""

    def held_out_errors(self, estimate: str) -> int | None:
        """The errors to show where ``errors`` and losses are of rows that the model was trained on; None elsewhere, and
        where nothing was held out.
        """
        return self.cv_errors if estimate == "resubstitution" else None


@dataclass(frozen=True)
class Basis:
    """What was done to a table before it was ranked, in numbers."""

    left_out: Mapping[str, int]
    """Columns that took no part, by reason: ``identifier``, ``index`` (of rows), ``mapping`` (dropped by it),
    ``exclude``, ``include`` (not among those to include).
    """
    missing_cells: int
    """Of the columns that took part, in labelled rows."""
    missing_columns: int
    """Columns that have such cells."""
    missing_words: int
    """Columns in which texts such as NA are taken as missing."""
    restyled: int
    """Columns of numbers or dates that are written in another way than 1234.5 and 2024-01-31."""
    merged: int
    """Columns of which some values are taken as one."""
    cut: int
    """Columns of numbers that are cut into intervals."""


@dataclass(frozen=True)
class InputSummary:
    """What was ranked; a row of the count column counts for as many rows as it says."""

    source: str
    target: str
    target_reason: str
    classes: Mapping[str, int]
    labelled_rows: int
    unlabelled_rows: int
    unlabelled_sources: tuple[str, ...]
    features: int
    dropped_rows: int = 0
    """Rows of rare classes, which are not among the labelled ones."""
    basis: Basis | None = None
    """What was done to the table; None in a document of an earlier version."""


class Result:
    """What rankings, selections and comparisons have in common: they can be written."""

    def document(self) -> OutputDocument:
        """The content that is written, in whatever format."""
        raise NotImplementedError

    def to_frame(self) -> pandas.DataFrame:
        """The listed columns as a data frame with the columns of the CSV."""
        return data_frame(self.document())

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, safe: bool = False) -> str:
        """The listed columns as CSV text, also written to ``path`` when one is given.

        With ``safe``, a name that a spreadsheet would take for a formula begins with an apostrophe.
        """
        return deliver_text(csv_text(self.document(), Presentation(safe_csv=safe)), path)

    def to_dict(self) -> dict[str, Any]:
        """The content of the JSON."""
        return self.document().content()

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole result as JSON text, also written to ``path`` when one is given."""
        return deliver_text(json_text(self.to_dict()), path)


class DrawnResult(Result):
    """A result that can be drawn, and read back from its JSON."""

    @classmethod
    def from_json(cls, json: str | os.PathLike[str]) -> Self:
        """The result that ``to_json`` wrote: from its text, or from a file, if a ``pathlib.Path`` is given.

        A number that JSON cannot hold comes back as infinite. What only a report needs is not there, nor are the
        ``ranking`` and the ``unlisted`` features of a selection. Raises a ``DataError`` that names the field if this is
        no such result of probfs.
        """
        return cls.from_dict(*load_json(json))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], source: str = "<dict>") -> Self:
        """The result that ``to_dict`` gave; ``source`` is what messages call it."""
        raise NotImplementedError

    def drawing(self) -> Drawing:
        """The bars and curves of a figure."""
        raise NotImplementedError

    def plot(self, axes: Axes | Iterable[Axes] | None = None, *, top: int | None = None) -> NDArray[np.object_]:
        """Draw the result with matplotlib: bars of the driving score, and how models of fewer and fewer features do.

        Of a selection, noise is pale, and redundant features are hatched and say which kept one they repeat.

        Parameters
        ----------
        axes : matplotlib.axes.Axes or three of them, default: those of a new figure
            Where to draw: the bars alone on one, or bars, log-loss and shares of wrong rows on three. A figure made
            with ``layout="constrained"`` has room for names and remarks. A new one is pyplot's, as large as its content
            needs.
        top : int, default: those that ``top()`` left, else all of up to 50 features and the best 40 of more
            How many bars there are at most, from 1 to 500. A line below them sums up the others; so it does with those
            that given axes have no room for.

        Returns
        -------
        numpy.ndarray of matplotlib.axes.Axes
            The axes drawn on, the bars first; one or three. There are only bars where there is but one round, or where
            all features are noise.
        """
        from probfs.output.figure import plot

        return plot(self.drawing(), axes, top)


@dataclass(frozen=True, repr=False)
class Ranking(DrawnResult):
    """Features from the most to the least important, and every round that led there."""

    features: tuple[RankedFeature, ...]
    rounds: tuple[RoundSummary, ...]
    input: InputSummary
    settings: Settings
    warnings: tuple[Note, ...]
    """What to know of the table and of the models: lines of text with a code and a severity."""
    version: str
    stability: Stability | None = None
    """None unless uncertainty was asked for, and of a single column."""
    background: Background | None = field(default=None, compare=False, repr=False)
    """What a report tells besides; None unless one was asked for."""
    most_listed: int | None = field(default=None, compare=False, repr=False)
    """How many features ``top`` was asked for; None for all."""

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], source: str = "<dict>") -> Self:
        document = Document(content, "ranking", source)
        measured = ("stability",) if "stability" in content else ()
        ranking = document.read(cls, "features", "rounds", "input", "settings", "warnings", "version", *measured)
        rows = {f"rounds[{place}].rows": each.rows for place, each in enumerate(ranking.rounds)}
        document.check(ranking.features, ranking.input, rows)
        if not ranking.rounds:
            document.fail("rounds", "has none")
        for place, feature in enumerate(ranking.features):
            low, high = feature.rank_low, feature.rank_high
            if (low is None) != (high is None) or not (low or 1) <= feature.rank <= (high or feature.rank):
                document.fail(f"features[{place}].rank_low", "and rank_high do not have the rank between them")
        return ranking

    def top(self, number: int | None) -> Ranking:
        """The same ranking with only the best features listed; the rounds stay complete."""
        if number is None:
            return self
        number = check_value("top", TOP, number)
        return replace(self, features=self.features[:number], most_listed=number)

    def document(self) -> OutputDocument:
        return ranking_document(self, header_of(RankedFeature))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The ranking as a page to look at, in one file that needs no other, also written to ``path`` when given.

        With ``report=True``, ``rank`` keeps what the page tells of the table and of the rounds.
        """
        from probfs.output.report import ranking_report

        return deliver_text(ranking_report(self), path)

    def drawing(self) -> Drawing:
        from probfs.output.drawings import ranking_drawing

        return ranking_drawing(self)

    __repr__ = result_repr
    _repr_html_ = result_html
