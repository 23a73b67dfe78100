"""The upper tail of the gamma law, against scipy and against sums in fifty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from probfs.screening.gamma_tail import upper_tail
from scipy.special import gammaincc, gammainccinv


@pytest.mark.parametrize("least", range(-7, 9))
def test_the_tail_is_that_of_scipy(least: int) -> None:
    random = np.random.default_rng(least + 7)
    shape = 10 ** random.uniform(least, least + 1, 2000)
    wanted = np.concatenate([random.uniform(0, 1, 1000), 10 ** random.uniform(-290, 0, 1000)])
    x = gammainccinv(shape, wanted)
    # Far from the mean of a large shape, scipy itself is right to fewer digits: some seven below it, eleven above.
    sure = np.isfinite(x) & (x > 0) & ((shape < 200) | (np.abs(x - shape) < 4.4 * np.sqrt(shape)))
    assert np.count_nonzero(sure) > 100
    assert upper_tail(shape[sure], x[sure]) == pytest.approx(gammaincc(shape[sure], x[sure]), rel=1e-12, abs=0)


FAR = [(40, 300), (2000, 4000), (7545, 11032), (20_000, 25_000), (99_999, 111_000), (400_000, 420_000)]


@pytest.mark.parametrize(("shape", "x"), FAR)
def test_a_whole_shape_is_a_sum_of_poisson_terms(shape: int, x: int) -> None:
    with localcontext() as context:
        context.prec = 50
        term = total = Decimal(1)
        for k in range(1, shape):
            term *= Decimal(x) / k
            total += term
        wanted = total * (-Decimal(x)).exp()
        assert float(abs(Decimal(float(upper_tail(np.array([shape]), np.array([x]))[0])) / wanted - 1)) < 1e-12


def test_the_ends_of_the_law() -> None:
    x = np.array([-1.0, 0.0, 1e-300, 1e6, np.inf])
    assert upper_tail(np.full(4, 0.5), x[:4]) == pytest.approx([1, 1, 1, 0])
    assert upper_tail(np.full(4, 1e7), x[:4]).tolist() == [1, 1, 1, 1]


def test_the_tail_of_one_number_does_not_depend_on_its_company() -> None:
    random = np.random.default_rng(0)
    shape = 10 ** random.uniform(-4, 6, 500)
    x = shape * random.uniform(0, 2.5, 500)
    together = upper_tail(shape, x)
    assert together.tolist() == [float(upper_tail(shape[i : i + 1], x[i : i + 1])[0]) for i in range(500)]
