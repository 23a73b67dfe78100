"""Tables to measure on: seeded, each under a name that keeps its meaning."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd


def weston(rows: int, features: int, seed: int = 0) -> pd.DataFrame:
    """The linear problem of Weston et al. (2000): six relevant columns, the others noise; the class is ``y``."""
    from probfs.paper import synthetic  # the other tables need no probfs, and compare versions of it

    table = synthetic.weston(rows, np.random.default_rng(seed), noise=max(features - 6, 0))
    *columns, classes = table.columns.values()
    frame = pd.DataFrame({column.name: column.by_row for column in columns[:features]})
    return frame.assign(y=np.where(classes.codes == 1, "yes", "no"))


def many_classes(rows: int, features: int, classes: int, seed: int = 0) -> pd.DataFrame:
    """Columns as in ``categorical``, for any number of classes."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, rows)
    letters = np.array(list("abcdefgh"))
    columns = {}
    for number in range(features):
        values = int(generator.integers(2, 9))
        usual, *others = generator.dirichlet(np.full(values, 3.0), size=classes)
        shares = [usual, *(0.7 * usual + 0.3 * other if number % 5 == 0 else usual for other in others)]
        draws = generator.random(rows)
        codes = np.choose(labels, [_drawn(own, draws) for own in shares])
        columns[f"f{number:04}"] = letters[codes]
    return pd.DataFrame(columns).assign(y=np.array([f"c{label}" for label in range(classes)])[labels])


def categorical(rows: int, features: int, seed: int = 0) -> pd.DataFrame:
    """Columns of two to eight letters, of which the first in five tell something of the class ``y``."""
    generator = np.random.default_rng(seed)
    positive = generator.random(rows) < 0.5
    letters = np.array(list("abcdefgh"))
    columns = {}
    for number in range(features):
        values = int(generator.integers(2, 9))
        usual, other = generator.dirichlet(np.full(values, 3.0), size=2)
        shares = 0.7 * usual + 0.3 * other if number % 5 == 0 else usual
        draws = generator.random(rows)
        codes = np.where(positive, _drawn(usual, draws), _drawn(shares, draws))
        columns[f"f{number:04}"] = letters[codes]
    return pd.DataFrame(columns).assign(y=np.where(positive, "yes", "no"))


def binary(rows: int, features: int, seed: int = 0) -> pd.DataFrame:
    """Columns of 0 and 1, each telling a little more of the class ``y`` than the one before."""
    generator = np.random.default_rng(seed)
    positive = generator.random(rows) < 0.5
    columns = {
        f"b{number:02}": (generator.random(rows) < 0.3 + 0.02 * number * positive).astype(np.uint8)
        for number in range(features)
    }
    return pd.DataFrame(columns).assign(y=positive.astype(np.uint8))


def genes(rows: int, features: int, seed: int = 0, digits: int = 4) -> pd.DataFrame:
    """Measurements of some decimals, of which the first 50 columns are shifted in cases; the class is ``y``."""
    generator = np.random.default_rng(seed)
    cases = generator.random(rows) < 0.5
    numbers = generator.normal(size=(rows, features)).round(digits)
    numbers[:, :50] += 0.5 * cases[:, None]
    frame = pd.DataFrame(numbers, columns=[f"g{number}" for number in range(features)])
    return pd.concat([frame, pd.Series(np.where(cases, "case", "control"), name="y")], axis=1)


def prices(rows: int, columns: int, seed: int = 0, written: str = "{}") -> pd.DataFrame:
    """Prices of two decimals as people write them, such as ``${:,}``; the class ``y`` goes with the first of them."""
    numbers = np.random.default_rng(seed).uniform(0, 100_000, (rows, columns)).round(2)
    cells = {f"p{place}": [written.format(number) for number in own.tolist()] for place, own in enumerate(numbers.T)}
    return pd.DataFrame(cells).assign(y=np.where(numbers[:, 0] > 50_000, "dear", "cheap"))


def _drawn(shares: npt.NDArray[np.float64], draws: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    return np.searchsorted(np.cumsum(shares)[:-1], draws)
