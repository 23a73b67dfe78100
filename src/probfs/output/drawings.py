"""What figures and reports draw of a result: a bar for each column, and curves over the number of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from probfs.classifiers.scores import SCORES
from probfs.output.documents import NOISE_MARK, reason_for_verdict
from probfs.output.sentences import describe_model, errors_of, is_noise
from probfs.text import counted, printable, shorten_middle

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Judged, Selection

BarStyle = Literal["strong", "weak", "hatched", "dim"]
CurveStyle = Literal["solid", "dashed", "dotted", "dashdot", "cut", "least", "estimate"]
"""Four kinds of lines; a vertical line where the table is cut; a ring where the loss is least; and a point with its
standard error."""
_MOST_LINEAR = 60
"""With more columns than this, the axis is logarithmic: what matters happens among the first few."""
_STYLES: Mapping[str, BarStyle] = {"keep": "strong", "redundant": "hatched", "weak": "weak", "noise": "dim"}
_LONGEST_NAME = 24
"""Of another column, in a remark."""
_DWARFED = 2.0
"""The loss of no columns is not drawn if it lies more than this many spreads of the other losses above these."""


@dataclass(frozen=True)
class Bar:
    """A column, and what its bar shows."""

    name: str
    rank: int
    value: float | None
    style: BarStyle
    remark: str = ""
    error: float | None = None
    """One standard error of the value."""


@dataclass(frozen=True)
class Curve:
    """Values for some numbers of columns; a single one for a mark."""

    label: str
    points: tuple[tuple[int, float], ...]
    style: CurveStyle = "solid"
    error: float = 0.0
    """One standard error, of an estimate."""


@dataclass(frozen=True)
class Panel:
    """Curves of one quantity over the number of columns, and the axes that they are drawn in."""

    title: str
    curves: tuple[Curve, ...]
    is_share: bool = False
    """Whether values are shares, written in per cent."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The least and the largest number of columns."""
        sizes = [size for size, _ in self.curves[0].points]
        return min(sizes), max(sizes)

    @property
    def is_logarithmic(self) -> bool:
        """Whether numbers of columns stand where the logarithms of one more do."""
        return self.sizes[1] > _MOST_LINEAR

    @property
    def size_ticks(self) -> list[int]:
        fewest, most = self.sizes
        if self.is_logarithmic:
            return [fewest, *(10**power for power in range(7) if fewest < 10**power < most / 2), most]
        step = next(step for step in (1, 2, 5, 10) if (most - fewest) / step <= 6)
        return [size for size in range(fewest, most + 1) if size % step == 0]

    @property
    def value_range(self) -> tuple[float, float]:
        """The least value, or zero where that is near, and the largest; differences of rounding are no range."""
        ends = [
            value + end for curve in self.curves for _, value in curve.points for end in (-curve.error, curve.error)
        ]
        finite = [value for value in ends if math.isfinite(value)]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        low = 0.0 if 0 <= low <= high / 2 else low
        return low, max(high, low + 1e-3 * abs(high), low + 1e-9)

    def show(self, value: float) -> str:
        """A value as an axis has it."""
        return f"{100 * value:.4g}%" if self.is_share else f"{value:.4g}"


@dataclass(frozen=True)
class Drawing:
    """What a figure of a result shows."""

    result: Ranking | Selection
    method: str
    when: str
    """Of which round the scores are, or that they have standard errors."""
    bars: tuple[Bar, ...]
    panels: tuple[Panel, ...] = ()
    """None where there is only one number of columns."""
    size_label: str = "columns in the model"

    @property
    def legend(self) -> dict[str, CurveStyle]:
        """The curves that a legend has to explain, and how they look; the title of a panel names its own curve."""
        every = [(curve, panel) for panel in self.panels for curve in panel.curves]
        return {curve.label: curve.style for curve, panel in every if curve.label != panel.title}


def round_values(low: float, high: float) -> list[float]:
    """A few round numbers within a range.

    >>> round_values(0.0, 1.7), round_values(-0.03, 0.05)
    ([0.0, 0.5, 1.0, 1.5], [-0.02, 0.0, 0.02, 0.04])
    """
    least = (high - low) / 4
    magnitude: float = 10 ** math.floor(math.log10(least))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= least)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Adding 0 makes -0 plain zero.
    return [number * step + 0.0 for number in range(first, last + 1)]


def ranking_drawing(ranking: Ranking) -> Drawing:
    settings, rounds = ranking.settings, ranking.rounds
    score, when = SCORES[settings.score], ""
    if settings.eliminate:
        when = "when the column left"
    elif settings.uncertainty and not score.needs_unlabelled:
        when = "± standard error"
    bars = []
    for feature in ranking.features:
        noise = is_noise(feature, ranking)
        interval = "" if feature.rank_low is None else f"rank {feature.rank_low}–{feature.rank_high}"
        # Standard errors are those of the first round, in which no column has left yet.
        error = None if settings.eliminate else getattr(feature, f"se_initial_{score.key}", None)
        style: BarStyle = "dim" if noise else "strong"
        remark = "  ".join(filter(None, [interval, NOISE_MARK if noise else ""]))
        bars.append(Bar(feature.feature, feature.rank, getattr(feature, score.key), style, remark, error))
    panels: tuple[Panel, ...] = ()
    if len(rounds) > 1:
        # Losses of rows that a model was trained on are no losses of rows that were held out.
        trained = " on training rows" if settings.estimate == "resubstitution" else ""
        held_out = rounds[0].held_out_errors(settings.estimate) is not None
        wrong = "rows wrong when held out" if held_out else f"rows wrong{trained}"
        shares = tuple((each.features, errors_of(each, ranking) / each.rows) for each in rounds)
        absolute = tuple((each.features, each.absolute_loss) for each in rounds)
        loss = Curve(f"log-loss{trained}", tuple((each.features, each.log_loss) for each in rounds))
        both = (Curve(wrong, shares), Curve(f"absolute loss{trained}", absolute, "dashed"))
        panels = Panel(loss.label, (loss,)), Panel("rows wrong, and absolute loss", both, is_share=True)
    way = "recursive elimination" if settings.eliminate else "one round"
    size_label = "columns in the model (chosen on the same rows)"
    return Drawing(ranking, f"{describe_model(ranking)}, {way}", when, tuple(bars), panels, size_label)


def selection_drawing(selection: Selection) -> Drawing:
    settings, score = selection.settings, SCORES[selection.settings.score]
    bars = []
    for feature in selection.features:
        instead = feature.instead and shorten_middle(printable(feature.instead), _LONGEST_NAME)
        reason = reason_for_verdict(replace(feature, instead=instead), selection)
        remark = ": ".join(filter(None, ["" if feature.verdict == "keep" else feature.verdict, reason]))
        bars.append(Bar(feature.feature, feature.rank, getattr(feature, score.key), _STYLES[feature.verdict], remark))
    keep = f"keep {len(selection.kept):,} of {counted(selection.input.features, 'column')}"
    method, panels = f"{settings.model.summary}, {keep}", _selection_panels(selection)
    return Drawing(selection, method, "when the column left", tuple(bars), panels)


def rows_judged(selection: Selection) -> int | None:
    """How many rows the errors of each number of columns were counted on; None where a document lacks it."""
    if selection.ranking is not None:
        return selection.ranking.rounds[0].rows
    # Of rows in the order of time, the first are not judged.
    return selection.input.labelled_rows if selection.settings.time is None else None


def _selection_panels(selection: Selection) -> tuple[Panel, ...]:
    """Log-loss and wrong rows by the number of columns, with the cut, the least loss, and what unseen rows say."""
    sizes, rows, honest = selection.sizes, rows_judged(selection), selection.honest
    losses = [size.log_loss for size in sizes[1:]]
    if selection.kept and len(losses) > 1 and sizes[0].log_loss > min(losses) + _DWARFED * (max(losses) - min(losses)):
        # The loss of no columns would leave the others no room to differ.
        sizes = sizes[1:]
    if len(sizes) < 2 or rows is None:
        return ()
    kept, least = len(selection.kept), selection.best_size

    def panel(title: str, values: list[float], unseen: Callable[[Judged], float], is_share: bool = False) -> Panel:
        by_size = dict(zip((size.features for size in sizes), values, strict=True))
        curves = [
            Curve("best columns, on the rows that chose them", tuple(by_size.items())),
            Curve(f"keep {kept:,}", ((kept, math.nan),), "cut"),
        ]
        if least != kept:
            label = f"least log-loss: {counted(least, 'column')}"
            curves.append(Curve(label, ((least, by_size.get(least, math.nan)),), "least"))
        if honest is not None:
            chosen, every, none = map(unseen, (honest.kept, honest.all, honest.none))
            error = 0.0 if is_share else honest.kept.se
            ends = min(by_size), max(by_size)
            label = f"chosen this way, on unseen rows ({honest.folds} folds)"
            all_label = f"all {counted(selection.input.features, 'column')}, on unseen rows"
            curves.append(Curve(label, ((kept, chosen),), "estimate", error))
            curves.append(Curve(all_label, tuple((end, every) for end in ends), "dotted"))
            if 0 in by_size:
                curves.append(Curve("no columns, on unseen rows", tuple((end, none) for end in ends), "dashdot"))
        return Panel(title, tuple(curves), is_share)

    wrong = [size.errors / rows for size in sizes]
    if sizes[0].features == 0 and selection.settings.time is None:
        # Errors of always guessing the largest class: a row that is left out makes its own class the smaller of two
        # equal ones, and would always be wrong.
        wrong[0] = 1 - max(selection.input.classes.values()) / rows
    return (
        panel("log-loss", [size.log_loss for size in sizes], lambda judged: judged.log_loss),
        panel("rows wrong", wrong, lambda judged: judged.errors / judged.rows, is_share=True),
    )
