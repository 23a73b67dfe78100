"""What figures and reports draw of a result: a bar for each column, and curves over the number of columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from probfs.classifiers.scores import SCORES, Score
from probfs.output.documents import NOISE_MARK, reason_for_verdict
from probfs.output.sentences import describe_model, errors_of, is_noise, rest_of_ranking, rest_of_selection
from probfs.text import counted, shorten_middle

if TYPE_CHECKING:
    from probfs.ranking.result import RankedFeature, Ranking
    from probfs.selection.result import SelectedFeature, Selection, Size

Look = Literal["strong", "weak", "hatched", "dim"]
LineStyle = Literal["solid", "dashed", "dotted", "dashdot"]
_LOOKS: dict[str, Look] = {"keep": "strong", "redundant": "hatched", "weak": "weak", "noise": "dim"}
_LONGEST_NAME = 24
"""Of another column, in a remark."""
_DWARFED = 2.0
"""How many times the spread of the other losses that of no columns may be away."""


@dataclass(frozen=True)
class Bar:
    """A column, and what its bar shows."""

    name: str
    rank: int
    value: float | None
    look: Look
    remark: str = ""
    error: float | None = None
    """One standard error of the value."""
    interval: tuple[int, int] | None = None
    """Of ranks."""


@dataclass(frozen=True)
class Curve:
    """One value for each of some numbers of columns."""

    label: str
    points: tuple[tuple[int, float], ...]
    style: LineStyle = "solid"


@dataclass(frozen=True)
class Level:
    """A value that does not depend on the number of columns."""

    label: str
    value: float
    style: LineStyle


@dataclass(frozen=True)
class Estimate:
    """A value on unseen rows, for one number of columns, with one standard error."""

    label: str
    size: int
    value: float
    error: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return self.value - self.error, self.value + self.error


@dataclass(frozen=True)
class Panel:
    """Curves of one quantity."""

    title: str
    curves: tuple[Curve, ...]
    levels: tuple[Level, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    is_share: bool = False
    """Whether values are shares, written in per cent."""

    @property
    def value_range(self) -> tuple[float, float]:
        """The least value, or zero where that is near, and the largest; differences of rounding are no range."""
        reached = [value for curve in self.curves for _, value in curve.points]
        reached += [value for estimate in self.estimates for value in estimate.interval]
        finite = [value for value in (*reached, *(level.value for level in self.levels)) if math.isfinite(value)]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        low = 0.0 if 0 <= low <= high / 2 else low
        return low, max(high, low + 1e-3 * abs(high), low + 1e-9)

    def show(self, value: float) -> str:
        """A value as an axis has it."""
        return f"{100 * value:.4g}%" if self.is_share else f"{value:.4g}"


@dataclass(frozen=True)
class Drawing:
    """What a figure of a result shows."""

    title: tuple[str, ...]
    score: Score
    when: str
    """In which round the score was taken, or how sure it is."""
    bars: tuple[Bar, ...]
    describe_rest: Callable[[int], str]
    """What is said of the columns behind the first so many; nothing where there is none."""
    panels: tuple[Panel, ...] = ()
    """None where there is only one number of columns."""
    size_label: str = "columns in the model"
    cut: tuple[str, int] | None = None
    """The number of columns to keep, with its label."""
    least: tuple[str, int] | None = None
    """The number of columns with the least loss, unless the cut is there."""
    informative: int | None = None
    """How many of the first bars differ in more than their names; None if all do."""
    asked: int | None = None
    """How many columns whoever made the result asked for; None if that was not said."""

    @property
    def legend(self) -> dict[str, str]:
        """What needs to be explained, and how it looks; the title of a panel may name its curve."""
        every = [(curve, panel) for panel in self.panels for curve in panel.curves]
        curves = {curve.label: curve.style for curve, panel in every if curve.label != panel.title}
        marks = {mark[0]: look for mark, look in ((self.cut, "cut"), (self.least, "least")) if mark is not None}
        estimates = {estimate.label: "estimate" for panel in self.panels for estimate in panel.estimates}
        levels = {level.label: level.style for panel in self.panels for level in panel.levels}
        return {**curves, **marks, **estimates, **levels}


def ranking_drawing(ranking: Ranking) -> Drawing:
    settings, data = ranking.settings, ranking.input
    score = SCORES[settings.score]
    when = ""
    if settings.eliminate:
        when = "when the column left"
    elif settings.uncertainty and not score.needs_unlabelled:
        when = "± standard error"
    way = "recursive elimination" if settings.eliminate else "one round"
    return Drawing(
        (f"{data.source}, target {data.target}", f"{describe_model(ranking)}, {way}"),
        score,
        when,
        tuple(_ranked_bar(feature, ranking) for feature in ranking.features),
        partial(rest_of_ranking, ranking),
        _ranking_panels(ranking),
        size_label="columns in the model (chosen on the same rows)",
        asked=ranking.most_listed,
    )


def _ranked_bar(feature: RankedFeature, ranking: Ranking) -> Bar:
    key = SCORES[ranking.settings.score].key
    noise = is_noise(feature, ranking)
    low, high = feature.rank_low, feature.rank_high
    return Bar(
        feature.feature,
        feature.rank,
        getattr(feature, key),
        "dim" if noise else "strong",
        NOISE_MARK if noise else "",
        # Standard errors are those of the first round, in which no column has left yet.
        None if ranking.settings.eliminate else getattr(feature, f"se_initial_{key}", None),
        None if low is None or high is None else (low, high),
    )


def _ranking_panels(ranking: Ranking) -> tuple[Panel, ...]:
    rounds = ranking.rounds
    if len(rounds) < 2:
        return ()
    estimate = ranking.settings.estimate
    # Losses of rows that a model was trained on are no losses of rows that were held out.
    trained = " on training rows" if estimate == "resubstitution" else ""
    held_out = rounds[0].held_out_errors(estimate) is not None
    wrong = "rows wrong when held out" if held_out else f"rows wrong{trained}"
    shares = tuple((summary.features, errors_of(summary, ranking) / summary.rows) for summary in rounds)
    absolute = tuple((summary.features, summary.absolute_loss) for summary in rounds)
    loss = Curve(f"log-loss{trained}", tuple((summary.features, summary.log_loss) for summary in rounds))
    return (
        Panel(loss.label, (loss,)),
        Panel(
            "rows wrong, and absolute loss",
            (Curve(wrong, shares), Curve(f"absolute loss{trained}", absolute, "dashed")),
            is_share=True,
        ),
    )


def selection_drawing(selection: Selection) -> Drawing:
    settings, data = selection.settings, selection.input
    kept = len(selection.kept)
    keep = f"keep {kept:,} of {counted(data.features, 'column')}"
    rule = f" (the {settings.keep} within a standard error)" if settings.keep in ("fewest", "most") else ""
    least = selection.best_size
    return Drawing(
        (f"{data.source}, target {data.target}", f"{settings.model.summary}, {keep}"),
        SCORES[settings.score],
        "when the column left",
        tuple(_selected_bar(feature, selection) for feature in selection.features),
        partial(rest_of_selection, selection),
        _selection_panels(selection),
        cut=(f"keep {kept:,}{rule}", kept),
        least=None if least == kept else (f"least log-loss: {counted(least, 'column')}", least),
        informative=sum(feature.verdict != "noise" for feature in selection.features),
        asked=selection.most_listed,
    )


def _selected_bar(feature: SelectedFeature, selection: Selection) -> Bar:
    instead = feature.instead and shorten_middle(feature.instead, _LONGEST_NAME)
    reason = reason_for_verdict(replace(feature, instead=instead), selection)
    verdict = "" if feature.verdict == "keep" else feature.verdict
    value: float | None = getattr(feature, SCORES[selection.settings.score].key)
    return Bar(
        feature.feature, feature.rank, value, _LOOKS[feature.verdict], ": ".join(filter(None, [verdict, reason]))
    )


def _selection_panels(selection: Selection) -> tuple[Panel, ...]:
    sizes, rows = _informative_sizes(selection), selection.input.labelled_rows
    if len(sizes) < 2:
        return ()
    model = "best columns, on the rows that chose them"
    losses = tuple((size.features, size.log_loss) for size in sizes)
    # Without columns, errors are those of always guessing the largest class: a row that is held out makes its own
    # class the smaller of two equal ones, and would always be wrong.
    guessing = rows - max(selection.input.classes.values())
    wrong = tuple((size.features, (size.errors if size.features else guessing) / rows) for size in sizes)
    loss_panel = Panel("log-loss", (Curve(model, losses),))
    wrong_panel = Panel("rows wrong", (Curve(model, wrong),), is_share=True)
    honest = selection.honest
    if honest is None:
        return loss_panel, wrong_panel
    chosen = f"chosen this way, on unseen rows ({honest.folds} folds)"
    kept, judged = len(selection.kept), honest.kept
    styles: dict[LineStyle, str] = {"dotted": f"all {counted(selection.input.features, 'column')}, on unseen rows"}
    if sizes[0].features == 0:
        styles["dashdot"] = "no columns, on unseen rows"
    levels = [(label, honest.all if style == "dotted" else honest.none, style) for style, label in styles.items()]
    return (
        replace(
            loss_panel,
            levels=tuple(Level(label, result.log_loss, style) for label, result, style in levels),
            estimates=(Estimate(chosen, kept, judged.log_loss, judged.se),),
        ),
        replace(
            wrong_panel,
            levels=tuple(Level(label, result.errors / result.rows, style) for label, result, style in levels),
            estimates=(Estimate(chosen, kept, judged.errors / judged.rows),),
        ),
    )


def _informative_sizes(selection: Selection) -> tuple[Size, ...]:
    """All numbers of columns; without 0 where the loss of no columns would leave the others no room to differ."""
    none, *others = selection.sizes
    if not selection.kept or len(others) < 2:
        return selection.sizes
    losses = [size.log_loss for size in others]
    spread = max(losses) - min(losses)
    return tuple(others) if none.log_loss > min(losses) + _DWARFED * spread else selection.sizes
