"""p to ten digits in tables that need every way to it: all tables of few rows, drawn tables, shuffled rows, the gamma
law, counted rows, weights and subjects. The other tests here say why these are right; this one sees what changes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs

COLUMNS = ("many", "number", "rare", "ties", "values", "zeros")


def table(rows: int, rarest: int, seed: int) -> pd.DataFrame:
    """Two classes of nearly equal size, and perhaps a rare one, with columns of all kinds that follow them."""
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(rows) % 2)
    labels[random.permutation(rows)[:rarest]] = 2
    told = random.random(rows) < 0.35
    rare = np.flatnonzero(labels == labels.max())[:4]
    columns = {
        "values": np.array(["u", "v", "w", "x"])[np.where(told, labels, random.integers(0, 4, rows))],
        "many": [f"m{own}" for own in np.where(told, labels, random.integers(0, max(rows // 2, 2), rows))],
        "rare": np.where(np.isin(np.arange(rows), [*rare, 7]), "a", "b"),
        "number": random.normal(size=rows) + 0.6 * labels,
        "ties": np.round(random.normal(size=rows) + 0.5 * labels),
        "zeros": np.where(np.isin(np.arange(rows), [*rare[:3], 5]), np.arange(rows) + 0.5, 0.0),
    }
    about_rows = {"w": np.round(np.linspace(0.5, 2, rows), 2), "g": np.arange(rows) // 3, "n": 1 + np.arange(rows) % 2}
    return pd.DataFrame(columns).assign(y=[f"k{own}" for own in labels], **about_rows)


@pytest.mark.parametrize(
    ("option", "name", "key", "expected"),
    [
        (None, "", (19, 0, 1), [0.0403559289, 0.01911929692, 0.03250773994, 0.1510965814, 0.663908244, 0.173374613]),
        (None, "", (20, 0, 1), [0.1263478994, 0.05472285475, 0.02274546892, 0.6777999957, 0.7556132603, 0.1078507728]),
        (
            *(None, "", (19, 3, 6)),
            [0.004995836803, 0.04538265409, 0.004127966976, 0.9556867069, 0.5686398392, 0.002063983488],
        ),
        (
            *(None, "", (90, 6, 2)),
            [0.0008326394671, 0.002514072768, 0.0008326394671, 0.000472566964, 0.0008326394671, 0.001665278934],
        ),
        (
            *(None, "", (300, 15, 3)),
            [0.0008326394671, 7.389344098e-09, 0.0008326394671, 3.925530586e-05, 5.643850434e-17, 0.001665278934],
        ),
        (
            *("count", "n", (90, 6, 2)),
            [0.0008326394671, 1.43110273e-05, 0.0008326394671, 4.6512315e-07, 3.565089543e-08, 0.001665278934],
        ),
        (
            *("weight", "w", (90, 6, 2)),
            [0.0245617031, 0.004823305325, 3.341128145e-07, 0.001884945642, 0.0005821663054, 0.0002247725199],
        ),
        (
            *("group", "g", (90, 6, 2)),
            [0.0005424993521, 0.004, 0.039, 0.0001077877013, 0.0002828282725, 0.212],
        ),
    ],
)
def test_p_of_every_kind_of_column(
    option: str | None, name: str, key: tuple[int, int, int], expected: list[float]
) -> None:
    said: dict[str, Any] = {} if option is None else {option: name}
    frame = table(*key).drop(columns=[other for other in "wgn" if other != name])
    ranking = probfs.rank(frame, target="y", screen=False, keep_identifiers=True, **said)
    found = {feature.feature: feature.p for feature in ranking.features}
    assert [found[column] for column in COLUMNS] == pytest.approx(expected, rel=1e-9)


def test_of_subjects_999_tables_are_drawn_unless_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each p that ten drawn tables reach is a number of them."""
    for draws in (999, 199):
        frame = table(300, 0, 5).drop(columns=["w", "n"])
        found = [feature.p for feature in probfs.rank(frame, target="y", group="g", screen=False).features]
        of_draws = [p * (draws + 1) for p in found if p is not None and 20 / 200 < p < 1]
        assert of_draws
        assert of_draws == pytest.approx(np.round(of_draws), abs=1e-9)
        assert any(round(hits) % 5 for hits in of_draws) or draws == 199, "as fine as a thousand tables"
        monkeypatch.setattr("probfs.screening.subjects._MOST_WORK", 1000)
