"""The paper's random tables are drawn as it says."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.paper import synthetic
from probfs.paper.catalogue import Sampling


@pytest.mark.parametrize(
    ("sampling", "first"),
    [
        ("proportionate", (1 / 4, 1 / 2, 1 / 4)),
        ("oversampling", (1 / 3, 1 / 3, 1 / 3)),
        ("undersampling", (1 / 8, 3 / 4, 1 / 8)),
    ],
)
def test_nominal_is_drawn_as_section_5_2_says(sampling: Sampling, first: tuple[float, ...]) -> None:
    sample = synthetic.nominal(200_000, np.random.default_rng(0), sampling=sampling)
    shares = [first, (1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4)]
    for column, expected in zip(sample.columns.values(), shares, strict=True):
        assert [float(np.mean(column == letter)) for letter in "abc"] == pytest.approx(expected, abs=0.005)
    for letter, positive in (("a", 1 / 4), ("b", 1 / 2), ("c", 3 / 4)):
        assert sample.positive[sample.columns["x1"] == letter].mean() == pytest.approx(positive, abs=0.01)
        assert sample.positive[sample.columns["x2"] == letter].mean() == pytest.approx(0.5, abs=0.01)


def test_xcp_is_drawn_as_footnote_1_says() -> None:
    random = np.random.default_rng(0)
    sample = synthetic.shifted_columns(100_000, random, c=2.0, p=0.6, relevant=1, noise=1, balance=0.3)
    assert sample.positive.sum() == 30_000
    signed = np.where(sample.positive, 1, -1) * sample.columns["relevant_1"]
    assert signed.mean() == pytest.approx(2.0 * 0.6, abs=0.02)
    assert signed.var() == pytest.approx(1 + 4 * 0.6 * 0.4, abs=0.03)
    assert sample.columns["noise_001"].mean() == pytest.approx(0, abs=0.02)


def test_weston_is_drawn_as_it_was_published() -> None:
    sample = synthetic.weston(100_000, np.random.default_rng(0), noise=1)
    assert sample.positive.sum() == 50_000
    signs = np.where(sample.positive, 1, -1)
    for number, share in zip(range(1, 7), (0.7, 0.7, 0.7, 0.3, 0.3, 0.3), strict=True):
        shift = (number - 1) % 3 + 1
        assert (signs * sample.columns[f"relevant_{number}"]).mean() == pytest.approx(share * shift, abs=0.03)
    assert sample.columns["noise_001"].var() == pytest.approx(20, rel=0.03)
