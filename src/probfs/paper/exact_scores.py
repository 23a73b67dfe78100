"""What the paper says of known distributions: the example of section 4.1, the bounds, and figures 1 and 2."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.output.figure import light_grid
from probfs.paper.catalogue import sample_file
from probfs.paper.laboratory import STYLES, Finding, Laboratory
from probfs.paper.theory import Joint, PopulationScores, group_sums, joint_from_table, population_scores
from probfs.tables.arrays import Floats
from probfs.tables.reading import ReadOptions, read_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CLOSE = 1e-12
"""How far sums may be from what they equal."""
_PAPER = {"x1": (0.15, 0.0495), "x2": (12 / 110, 0.0765)}
"""S_S and S_A as section 4.3 has them."""


def example(laboratory: Laboratory) -> Finding:
    """Section 4.1: four cells, and two scores that disagree about them."""
    claim = laboratory.claim
    joint = joint_from_table(read_table(sample_file("joint.csv"), ReadOptions()))
    scores = population_scores(joint)
    # The cells stand as in the paper: (0, 0), (0, 1), (1, 0), (1, 1); without x2 what is left is x1, and vice versa.
    alone = np.array([*joint.positive_without(1)[[0, 2]], *joint.positive_without(0)[[0, 1]]], dtype=float)
    measured = "{:.4g} and {:.4g}; {:.4g} and {:.4g}".format(*alone)
    holds = np.allclose(alone, [0.45, 0.75, 0.66, 0.0], atol=_CLOSE)
    claim("section 4.1", "P(y=1|x1) is 0.45 and 0.75, P(y=1|x2) is 0.66 and 0", measured, holds)
    positive = float(joint.positive[0])
    change = alone[2] - positive
    says = "x1 moves the probability of (0, 0) by 0.165, rightly so 50.5 % of the time"
    holds = abs(change - 0.165) < _CLOSE and abs(positive - 0.495) < _CLOSE
    claim("section 4.1", says, f"{change:.4g}; {1 - positive:.1%}", holds)
    for found, shown in zip(scores, ("0.15", "0.10909… (printed with the bar over the 9 alone)"), strict=True):
        name, (s_s, s_a) = found.feature, _PAPER[found.feature]
        claim("section 4.3", f"S_S({name}) = {shown}", repr(found.s_s), abs(found.s_s - s_s) < _CLOSE)
        claim("section 4.3", f"S_A({name}) = {s_a}", repr(found.s_a), abs(found.s_a - s_a) < _CLOSE)
    names, *values = zip(*map(astuple, scores), strict=True)
    by_s_s, by_s_a, by_s_b = (names[int(np.argmax(of_score))] for of_score in values)
    measured = f"S_S selects {by_s_s}, S_A {by_s_a}; S_B, the gain in accuracy, {by_s_b}"
    claim("section 4.3", "S_S selects x1 and S_A selects x2", measured, (by_s_s, by_s_a) == ("x1", "x2"))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        bars = (("$S_S$", "0.2", ""), ("$S_A$", "0.6", "//"), ("$S_B$", "0.9", ".."))
        for place, (label, shade, hatch) in enumerate(bars):
            at = np.arange(len(names)) + 0.27 * (place - 1)
            drawn = axes.bar(at, values[place], 0.25, label=label, color=shade, edgecolor="black", hatch=hatch)
            axes.bar_label(drawn, fmt="%.4f", padding=2)
        axes.set_xticks(range(len(names)), names)
        title = "Section 4.1: the absolute score prefers x1, the signed one x2"
        axes.set(ylabel="population score", title=title)
        axes.legend()

    return Finding(("feature", "s_s", "s_a", "s_b"), [astuple(each) for each in scores], draw)


def bound(laboratory: Laboratory) -> Finding:
    """Eqs. (7), (9), (15) and (16) on random distributions, those at the limits among them."""
    parts = laboratory.each(_cases, [(laboratory.seed, number) for number in range(laboratory.runs)])
    cases = [case for part in parts for case in part]
    s_s, s_a, s_b, deviation, variance, signed, accuracy = np.array(cases).T[2:]
    root = np.sqrt(s_a / 2)

    def bounded(place: str, says: str, *slacks: Floats) -> None:
        kept = int(np.count_nonzero(np.min(slacks, axis=0) >= -_CLOSE))
        measured = f"kept for {kept:,} of {len(cases):,} features, to {_CLOSE:g}"
        laboratory.claim(place, says, measured, kept == len(cases))

    def identical(place: str, says: str, difference: Floats) -> None:
        largest = float(np.abs(difference).max())
        measured = f"largest difference {largest:.1e} ({len(cases):,} features)"
        laboratory.claim(place, says, measured, largest <= _CLOSE)

    bounded("eq. 7", "S_B ≤ S_S", s_s - s_b)
    identical("eq. 9", "S_S is the expected mean absolute deviation of P(y=1|x)", s_s - deviation)
    identical("eq. 15", "S_A is twice the expected variance of P(y=1|x)", s_a - variance)
    identical("eqs. 12–15", "S_A as (12) defines it is the same", signed - s_a)
    identical("eqs. 5–6", "S_B is the gain in accuracy of the best classifier", accuracy - s_b)
    slacks = (s_a, s_b, s_s - s_a, s_s - s_b, root - s_s, 0.5 - root)
    bounded("eq. 16", "0 ≤ S_A, S_B ≤ S_S ≤ √(S_A/2) ≤ ½", *slacks)

    def draw(figure: Figure) -> None:
        panels = (
            (root, "$\\sqrt{S_A/2}$", "$S_S \\leq \\sqrt{S_A/2}$: below the line"),
            (s_b, "$S_B$", "$S_B \\leq S_S$: above the line"),
        )
        for axes, (x, label, title) in zip(figure.subplots(1, 2), panels, strict=True):
            axes.plot(x, s_s, "k.", markersize=2, rasterized=True)
            axes.plot([0, 0.5], [0, 0.5], color="0.4", linestyle="--")
            axes.set(xlabel=label, title=title, ylabel="$S_S$", aspect="equal")
            light_grid(axes)

    # The right-hand sides of (9) and (15), and (12) and (5) as they are written, come last.
    others = ("mean_deviation", "twice_variance", "signed", "accuracy")
    return Finding(("features", "cells", "s_s", "s_a", "s_b", *others), cases, draw, size=(6.8, 3.4))


def _cases(task: tuple[int, int]) -> list[tuple[float, ...]]:
    """Every feature of a random distribution: its scores beside the paper's other ways to write them."""
    joint = random_joint(np.random.default_rng(task))
    cases = []
    for feature, scores in enumerate(population_scores(joint)):
        with_it, without = joint.positive, joint.positive_without(feature)
        # E MAD and 2 E Var by the means of groups of cells; what never happens has no mean, and counts for nothing.
        groups, cell = joint.groups_without(feature), joint.cell
        weight = np.maximum(group_sums(groups, cell), np.finfo(float).tiny)
        mean, square = (group_sums(groups, cell * with_it**power) / weight for power in (1, 2))
        deviation = group_sums(groups, cell * np.abs(with_it - mean[groups])).sum()
        variance = weight @ (square - mean**2)
        signed = joint.cell @ ((2 * with_it - 1) * (with_it - without))
        accuracy = joint.cell @ (np.maximum(with_it, 1 - with_it) - np.maximum(without, 1 - without))
        others = map(float, (deviation, 2 * variance, signed, accuracy))
        cases.append((*joint.codes.shape, *astuple(scores)[1:], *others))
    return cases


def random_joint(random: np.random.Generator) -> Joint:
    """A distribution over up to four features; probabilities crowd at 0 and 1, about ½, or nowhere."""
    values = random.integers(2, 5, size=random.integers(1, 5))
    codes = np.indices(tuple(values)).reshape(len(values), -1)
    cells = codes.shape[1]
    cell = random.dirichlet(np.full(cells, random.choice([0.1, 1.0, 10.0])))
    shape = random.choice([0.05, 0.5, 1.0, 5.0])
    positive = random.beta(shape, shape * random.choice([0.2, 1.0, 3.0]), cells)
    if random.random() < 0.2:
        positive = np.rint(positive)
    names = tuple(f"x{number + 1}" for number in range(len(values)))
    return Joint(names, codes, (cell / cell.sum()).astype(np.longdouble), positive.astype(np.longdouble))


_WIDTH, _CELLS = 10.0, 20_000


def figure1(laboratory: Laboratory) -> Finding:
    """Figure 1: the mean absolute deviation as an area."""
    positive = _dependence((np.arange(_CELLS) + 0.5) * _WIDTH / _CELLS)
    scores = _score_alone(np.full(_CELLS, 1 / _CELLS), positive)
    mean = float(positive.mean())
    grid = np.linspace(0, _WIDTH, 200_001)
    area = float(np.trapezoid(np.abs(_dependence(grid) - mean), grid))
    says = "the grey region, for a uniform feature, is the mean absolute deviation, and so S_S"
    measured = f"area / width {area / _WIDTH:.6f}, S_S {scores.s_s:.6f}"
    laboratory.claim("figure 1", says, measured, abs(area / _WIDTH - scores.s_s) < 1e-6)
    x = np.linspace(0, _WIDTH, 201)
    rows = [(float(at), float(p), mean) for at, p in zip(x, _dependence(x), strict=True)]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.fill_between(x, _dependence(x), mean, color="0.8")
        axes.plot(x, _dependence(x), color="black")
        axes.axhline(mean, color="black", linestyle="--")
        axes.annotate("$P(y=1\\mid x)$", (5.6, 0.745), ha="center")
        axes.annotate("$P(y=1\\mid x^{-j})$", (0.1, mean + 0.02))
        axes.set(xlim=(0, _WIDTH), ylim=(0, 1), xlabel="$x^j$, uniform", ylabel="probability of the positive class")
        axes.set_title("Figure 1: $S_S(j)$ is the grey area, divided by the width")

    return Finding(("x", "p_y", "p_y_without"), rows, draw)


def _dependence(x: Floats) -> Floats:
    """A dependence of P(y=1|x) on one feature; the paper's is hypothetical too, and its formula is not given."""
    return 0.15 + 0.6 / (1 + np.exp(-1.6 * (x - 3.2))) - 0.35 / (1 + np.exp(-2.0 * (x - 7.4)))


def _score_alone(cell: Floats, positive: Floats) -> PopulationScores:
    """The scores of one feature that has a value in each cell."""
    weights = cell.astype(np.longdouble)
    joint = Joint(("x",), np.arange(len(cell))[None, :], weights / weights.sum(), positive.astype(np.longdouble))
    return population_scores(joint)[0]


_SHIFTS = (0.2, 0.6, 1.0, 1.4)
_EXACT = 1e-8


def figure2(laboratory: Laboratory) -> Finding:
    """Figure 2: the population scores of X_{c,0.7} in isolation, at every balance of the classes."""
    places = [(c, percent) for c in _SHIFTS for percent in range(1, 100)]
    rows = [(c, percent, *astuple(shifted_scores(c, 0.7, percent / 100))[1:]) for c, percent in places]
    table = np.array(rows)
    _, percents, s_s, s_a, s_b = table.T
    apart = float(np.abs(s_s - s_b)[percents == 50].max())
    measured = f"they differ by at most {apart:.2g} (to {_EXACT:g})"
    laboratory.claim("figure 2", "when the classes are balanced, S_S and S_B are equal", measured, apart <= _EXACT)
    least_a, least_b = float((s_s - s_a).min()), float((s_s - s_b).min())
    measured = (
        f"in {len(rows)} places S_S − S_A ≥ {least_a:.2g} and S_S − S_B ≥ {least_b:.2g}; off balance "
        f"S_S − S_B ≥ {(s_s - s_b)[percents != 50].min():.2g}"
    )
    holds = min(least_a, least_b) >= -_EXACT
    laboratory.claim("figure 2", "S_S is always at least as large as S_A and S_B", measured, holds)

    def draw(figure: Figure) -> None:
        panels: Any = figure.subplots(2, 2, sharex=True)
        for axes, c in zip(panels.flat, _SHIFTS, strict=True):
            _, percents, *scores = table[table[:, 0] == c].T
            for values, style, label in zip(scores, STYLES.values(), ("$S_S$", "$S_A$", "$S_B$"), strict=True):
                axes.plot(percents, values, label=label, markevery=(9, 20), **style)
            axes.set_title(f"c = {c}")
            light_grid(axes)
        panels[0, 0].legend()
        figure.supxlabel("positive rows, %")
        figure.supylabel("population score of $X_{c,\\,0.7}$")

    return Finding(("c", "percent_positive", "s_s", "s_a", "s_b"), rows, draw, size=(6.8, 5.2))


def shifted_scores(c: float, p: float, balance: float) -> PopulationScores:
    """S_S, S_A and S_B of one feature X_{c,p}, by the midpoints of narrow intervals, right to six digits."""
    # Beyond 12 standard deviations a normal density does not count in double precision.
    x = np.linspace(-c - 12, c + 12, 4_000)
    positive, negative = (p * np.exp(-((x - mean) ** 2) / 2) + (1 - p) * np.exp(-(x**2) / 2) for mean in (c, -c))
    density = balance * positive + (1 - balance) * negative
    return _score_alone(density, balance * positive / density)
