"""Declaring kernels and binding arguments to them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from probfs.kernels.kernel import (
    CodeArray,
    CodeMatrix,
    CodeStride,
    Float64Array,
    Function,
    Int64,
    Int64Array,
    Kernel,
    UpTo,
    kernel,
)
from probfs.kernels.unavailable import KernelUnavailable


@kernel(lengths={"codes": "rows", "features": "count", "totals": "count"}, writes={"totals"})
def sum_codes(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, totals: Float64Array
) -> None:
    for k in range(count):
        totals[k] = 0.0
        for row in range(rows):
            totals[k] += codes[features[k] * stride + row]


CODES = np.arange(12, dtype=np.uint8).reshape(3, 4)


def arguments(**others: Any) -> dict[str, Any]:
    return {
        "codes": CODES[:, 1:3],
        "rows": 2,
        "features": np.array([2, 0]),
        "count": UpTo(2),
        "totals": np.zeros(2),
        **others,
    }


def without_machine_code(loop: Kernel) -> list[tuple[Any, ...]]:
    """Let a kernel record its calls; what they would get is returned."""
    calls: list[tuple[Any, ...]] = []
    loop._loaded = {dtype: lambda *values: calls.append(values) for dtype in ("uint8", "uint16")}
    return calls


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    monkeypatch.setattr(sum_codes, "_loaded", {})
    return without_machine_code(sum_codes)


def test_parameters_are_the_annotations_in_order() -> None:
    assert list(sum_codes.parameters) == ["codes", "stride", "rows", "features", "count", "totals"]
    assert sum_codes.has_codes


def test_a_call_gets_addresses_and_numbers_in_the_declared_order(calls: list[tuple[Any, ...]]) -> None:
    bound = arguments()
    run = sum_codes.bind(**bound)
    run(count=1)
    run(count=2)
    first = tuple(bound[name].ctypes.data for name in ("codes", "features", "totals"))
    assert calls == [(first[0], 4, 2, first[1], count, first[2]) for count in (1, 2)]


def test_what_is_bound_stays_alive(calls: list[tuple[Any, ...]]) -> None:
    bound = arguments()
    totals = weakref.ref(bound["totals"])
    run = sum_codes.bind(**bound)
    del bound
    gc.collect()
    assert totals() is not None
    del run
    gc.collect()
    assert totals() is None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"codes": CODES.astype(np.int64)}, "codes must all be uint8 or all uint16, not .*int64"),
        ({"codes": CODES[0]}, "codes must be a matrix, and has 1 dimensions"),
        ({"codes": CODES[:, ::2]}, "codes must be contiguous"),
        ({"features": np.array([2, 0], dtype=np.int32)}, "features must be an array of int64, not int32"),
        ({"features": [2, 0]}, "features must be an array of int64, not list"),
        ({"features": None}, "features must be an array of int64, not NoneType"),
        ({"features": np.array([2, 9, 0, 9])[::2]}, "features must be contiguous"),
        ({"totals": np.frombuffer(bytes(16))}, "totals is written to, but read-only"),
        ({"count": None}, "the length of features depends on count"),
        ({"other": 1}, "no parameter is called other"),
    ],
)
def test_arguments_of_the_wrong_type_are_refused(
    wrong: dict[str, Any], problem: str, calls: list[tuple[Any, ...]]
) -> None:
    with pytest.raises(TypeError, match=f"sum_codes: .*{problem}"):
        sum_codes.bind(**arguments(**wrong))


@pytest.mark.parametrize(
    ("short", "problem"),
    [
        ({"rows": 3}, "codes has 2 items, and needs 3"),
        ({"count": 3}, "features has 2 items, and needs 3"),
        ({"totals": np.zeros(1)}, "totals has 1 items, and needs 2"),
    ],
)
def test_arrays_that_are_too_short_are_refused(
    short: dict[str, Any], problem: str, calls: list[tuple[Any, ...]]
) -> None:
    with pytest.raises(ValueError, match=f"sum_codes: {problem}"):
        sum_codes.bind(**arguments(**short))


def test_calls_pass_exactly_what_varies_and_no_more_than_was_announced(calls: list[tuple[Any, ...]]) -> None:
    run = sum_codes.bind(**arguments())
    with pytest.raises(TypeError, match="'count' is missing"):
        run()
    with pytest.raises(TypeError, match="only count may vary"):
        run(count=1, rows=1)
    with pytest.raises(ValueError, match="count is 3, and was to be at most 2"):
        run(count=3)
    assert calls == []


def test_codes_of_two_dtypes_are_refused() -> None:
    @kernel(lengths={"one": 1, "other": 1}, writes=())
    def two_codes(one: CodeArray, other: CodeArray) -> None: ...

    without_machine_code(two_codes)
    two_codes.bind(one=np.zeros(1, np.uint16), other=np.zeros(1, np.uint16))()
    with pytest.raises(TypeError, match="codes must all be"):
        two_codes.bind(one=np.zeros(1, np.uint8), other=np.zeros(1, np.uint16))


def test_declarations_must_be_complete() -> None:
    def loop(values: Float64Array, size: Int64) -> None: ...

    def untyped(values: Float64Array, size: int) -> None: ...

    kernel(lengths={"values": "size"}, writes={"values"})(loop)
    for lengths, writes in (
        ({}, ()),
        ({"values": "length"}, ()),
        ({"values": 1}, ("size",)),
        ({"values": 1, "size": 1}, ()),
    ):
        with pytest.raises(ValueError, match="lengths and writes must name its arrays"):
            kernel(lengths=lengths, writes=writes)(loop)
    with pytest.raises(TypeError, match="parameter 'size' has no kernel type"):
        kernel(lengths={"values": 1}, writes=())(untyped)


@pytest.mark.parametrize(
    "error", [OSError("disk"), ImportError("numba"), RuntimeError("LLVM"), MemoryError(), ValueError("x")]
)
def test_every_failure_is_one_exception(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Function:
        raise error

    monkeypatch.setattr("probfs.kernels.loader.load_kernel", fail)
    monkeypatch.setattr(sum_codes, "_loaded", {})
    with pytest.raises(KernelUnavailable, match="sum_codes") as caught:
        sum_codes.bind(**arguments())
    assert caught.value.__cause__ is error


def test_a_loop_is_also_plain_python() -> None:
    totals = np.zeros(2)
    sum_codes.function(CODES.ravel(), 4, 4, np.array([2, 0]), 2, totals)
    assert totals.tolist() == [38, 6]
