"""The loops' own arithmetic, run as plain Python, and as machine code against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.kernels.kernel import HELPERS
from probfs.kernels.loops.numerics import add_exactly, bits, count_blocks, exp
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK, count_checks
from probfs.kernels.loops.sieve_scan import gather_cells
from tests.support.kernels import every_kernel


def test_exp_is_as_good_as_the_librarys() -> None:
    numbers = -np.concatenate([np.random.default_rng(0).random(2_000) * 708, 10.0 ** -np.arange(0, 20.0), [0.0]])
    found = np.array([exp(x) for x in numbers])
    assert found == pytest.approx(np.exp(numbers), rel=5e-16, abs=0)
    assert exp(-709.0) == exp(-np.inf) == 0.0


def test_bits_are_in_the_order_of_sizes() -> None:
    sizes = [0.0, 5e-324, -1e-300, 0.5, -1.0, 1.5, 1e300, -np.inf]
    assert [int(bits(size)) for size in sizes] == sorted(int(bits(size)) for size in sizes)


def test_nothing_is_lost_by_adding_exactly() -> None:
    high, low = np.array([1e16]), np.zeros(1)
    for term in (1.0, 2.0**-10, -1e16, -1.0):
        add_exactly(high, low, 0, term)
    assert high[0] + low[0] == 2.0**-10


@pytest.mark.parametrize(("rows", "blocks", "checks"), [(0, 0, 0), (1, 1, 1), (4096, 1, 32), (4097, 2, 33)])
def test_the_last_block_may_be_smaller(rows: int, blocks: int, checks: int) -> None:
    assert (count_blocks(rows), count_checks(rows)) == (blocks, checks)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_gathering_cells_in_machine_code_and_in_plain_python(dtype: type[np.unsignedinteger]) -> None:
    random = np.random.default_rng(0)
    rows, features = ROWS_PER_CHECK + 5, np.array([3, 0, 2])
    widths = np.full(4, 20 if dtype is np.uint8 else 300)
    codes = random.integers(0, widths[0], (4, rows)).astype(dtype)
    order, table = random.permutation(rows), random.integers(0, 4, rows)
    expected = np.zeros((2, 3, ROWS_PER_CHECK), dtype=dtype)
    places = table * widths[0] + codes[features][:, order]
    expected[0], expected[1, :, :5] = places[:, :ROWS_PER_CHECK], places[:, ROWS_PER_CHECK:]
    found, plain = np.full((2, 2, 3, ROWS_PER_CHECK), 77, dtype=dtype)
    gather_cells.bind(
        codes=codes, rows=rows, features=features, count=3, widths=widths, order=order, table=table, cells=found
    )()
    flat = plain.reshape(-1)
    gather_cells.function(codes.ravel(), rows, rows, features, 3, widths, order, table, flat)
    assert (found == expected).all()
    assert (plain == expected).all()
    assert expected.max() > (60 if dtype is np.uint8 else 255)


def test_every_function_that_a_loop_calls_is_declared_a_helper() -> None:
    """Otherwise numba could not compile the loop, or would run it with other options."""
    for function in [kernel.function for kernel in every_kernel()] + list(HELPERS):
        own = {
            name: value
            for name in function.__code__.co_names
            if callable(value := function.__globals__.get(name))
            and getattr(value, "__module__", "").startswith("probfs")
        }
        assert all(value in HELPERS for value in own.values()), (function.__name__, own)
