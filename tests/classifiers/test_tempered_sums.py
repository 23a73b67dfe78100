"""The compiled sums over rows against those in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.row_odds import RowOdds, least_probability
from probfs.classifiers.tempered_sums import compile_sums, row_losses, sum_losses
from probfs.kernels.kernel import Kernel
from probfs.kernels.unavailable import KernelUnavailable
from probfs.selection.temperature import fit_temperature
from tests.support.row_odds import random_odds


@pytest.mark.parametrize("classes", [2, 3, 30])
@pytest.mark.parametrize("rows", [1, 7, 4096, 300_000])
def test_compiled_sums_are_those_of_numpy(rows: int, classes: int) -> None:
    if rows * classes > 10**6:
        rows //= 20
    for seed, size in enumerate((0.1, 3.0, 500.0)):
        odds = random_odds(seed, rows, classes, size, 0.3, zeros=False)
        least = least_probability(odds.rows)
        compiled = compile_sums(odds, least)
        assert compiled is not None
        for temperature in (0.0, 0.37, 1.0):
            np.testing.assert_allclose(
                compiled(temperature), sum_losses(odds, least, temperature), rtol=1e-11, atol=1e-9 * odds.rows
            )


def test_rows_with_classes_of_weight_0_are_left_to_numpy() -> None:
    odds = random_odds(0, 50, 3, 1.0, 0.3, zeros=True)
    assert compile_sums(odds, least_probability(odds.rows)) is None


def test_where_the_loop_is_not_available_numpy_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Kernel, **arguments: object) -> None:
        raise KernelUnavailable(self.name, ImportError("no compiler"))

    odds = random_odds(0, 50, 3, 1.0, 0.3, zeros=False)
    expected = fit_temperature(odds, 0.01, compiled=True)
    monkeypatch.setattr(Kernel, "bind", fail)
    assert compile_sums(odds, 0.01) is None
    found = fit_temperature(odds, 0.01, compiled=True)
    assert found.temperature == pytest.approx(expected.temperature, abs=1e-6)
    assert found.log_loss == pytest.approx(expected.log_loss)


def test_losses_by_hand() -> None:
    odds = RowOdds(np.log([[3.0, 1e9, 1.0], [4.0, 1.0, 1.0]]), np.ones(3), 1)
    odds.against_own[1, 2] = -np.inf
    np.testing.assert_allclose(row_losses(odds, 1.0, 1 / 6), [np.log(6), np.log(6), np.log(2)])
    np.testing.assert_allclose(row_losses(odds, 1.0, 1 / 20), [np.log(8), np.log(20), np.log(2)])
    np.testing.assert_allclose(row_losses(odds, 0.5, 1 / 6), [np.log(3 + 3**0.5), np.log(6), np.log(2)])
