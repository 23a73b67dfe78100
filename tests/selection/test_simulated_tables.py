"""Tables whose truth is known: what is kept of them, and whether the honest estimate is honest.

Ten columns tell the class; in some tables there are two noisy copies of each, and the rest is noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from probfs.classifiers.naive_bayes.classifier import judge_held_out
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import least_probability
from probfs.columns.dataset import Dataset
from probfs.selection.choice import choose_columns
from probfs.selection.nested import nested_cross_validation
from tests.selection.test_choice import candidates, dealt
from tests.support.datasets import feature_of

FRESH_ROWS = 20_000


@dataclass(frozen=True)
class Regime:
    """What tables are drawn, how many, and how much of their noise may be kept, on average."""

    rows: int
    columns: int
    copies: int
    positive: float
    effect: float
    tables: int
    most_noise: float
    classes: int = 2

    def draw(self, seed: int) -> Dataset:
        """A table, followed by fresh rows; the informative columns come first, then their copies, then noise."""
        random = np.random.default_rng(seed)
        rows = self.rows + FRESH_ROWS
        shares = [1 - self.positive * (self.classes - 1), *[self.positive] * (self.classes - 1)]
        labels = random.choice(self.classes, rows, p=shares)
        columns = []
        for number in range(10):
            values = 2 + number % 4
            # All columns tell about equally much: a slope that differs from class to class.
            slopes = self.effect * random.permutation(np.linspace(-1, 1, self.classes))
            weights = np.exp(np.outer(slopes, np.linspace(-1, 1, values)))
            cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
            codes = (random.random(rows)[:, None] > cumulative[labels, :-1]).sum(axis=1)
            columns.append(feature_of(f"true{number}", values, codes))
        for number in range(10 * self.copies):
            codes = columns[number % 10].labelled.astype(np.int64)
            changed = np.flatnonzero(random.random(rows) < 0.15)
            codes[changed] = codes[random.permutation(changed)]
            columns.append(feature_of(f"copy{number}", columns[number % 10].values, codes))
        for number in range(self.columns - len(columns)):
            values = 2 + number % 4
            columns.append(feature_of(f"noise{number}", values, random.integers(0, values, rows)))
        classes = tuple(f"c{label}" for label in range(self.classes))
        return Dataset(tuple(columns), classes, labels, np.ones(rows, np.int64), np.empty(0, np.int64))


REGIMES = {
    "indep 500x50": Regime(500, 50, 0, 0.5, 0.3, 12, 1.5),
    "copies 500x50": Regime(500, 50, 2, 0.5, 0.4, 12, 2.0),
    "copies 3000x40": Regime(3000, 40, 2, 0.5, 0.4, 6, 2.0),
    "indep 100x200": Regime(100, 200, 0, 0.5, 0.6, 60, 2.0),
    "10 % positive 500x50": Regime(500, 50, 0, 0.1, 0.4, 12, 1.5),
    "indep 200x2000": Regime(200, 2000, 0, 0.5, 0.6, 40, 2.0),
    "3 classes 500x50": Regime(500, 50, 0, 1 / 3, 0.4, 12, 1.5, classes=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_the_honest_estimate_comes_true_and_little_noise_is_kept(name: str) -> None:
    regime, found = REGIMES[name], []
    for seed in range(regime.tables):
        dataset = regime.draw(seed)
        fresh = (np.arange(len(dataset.labels)) >= regime.rows).astype(np.int64)
        features = tuple(replace(one, labelled=one.labelled[: regime.rows]) for one in dataset.features)
        labels, counts = dataset.labels[: regime.rows], dataset.counts[: regime.rows]
        chosen = candidates(replace(dataset, features=features, labels=labels, counts=counts))
        choice = choose_columns(chosen, "best")
        estimate, _ = nested_cross_validation(*dealt(chosen, 10), "best")
        size = choice.curve.sizes[choice.size]
        assert size.temperature is not None
        odds = judge_held_out(HoldOutRequest(dataset, choice.kept, chosen.counts, fresh, 0), 1.0)
        delivered = float(odds.losses(size.temperature, least_probability(regime.rows)).mean())
        noise = sum(dataset.features[place].name.startswith("noise") for place in choice.kept)
        found.append((len(choice.kept), noise, size.log_loss, estimate.kept.log_loss, delivered, estimate.all.log_loss))
    kept, noise, promised, honest, delivered, of_all = np.mean(found, axis=0)
    print(f"{name}: kept {kept:.1f} ({noise:.1f} noise); log-loss leave-one-out {promised:.3f}, ", end="")
    print(f"honest {honest:.3f}, fresh rows {delivered:.3f}; all columns, honest {of_all:.3f}")
    assert noise <= regime.most_noise
    assert honest == pytest.approx(delivered, rel=0.1)
    assert honest <= of_all * 1.05
