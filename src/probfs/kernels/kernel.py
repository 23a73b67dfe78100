"""Typed kernels: a loop declares its parameters by name and type, and ``bind`` checks arguments against them once.

A kernel is an ordinary Python function whose annotations are the declaration::

    @kernel(lengths={"values": "size", "total": 1}, writes={"total"})
    def add_up(values: Float64Array, size: Int64, total: Float64Array):
        for i in range(size):
            total[0] += values[i]

    add = add_up.bind(values=values, total=total, size=UpTo(len(values)))
    add(size=3)

Nothing here imports numba or LLVM: ``Kernel.load`` does, and only where the machine code is not loaded already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, NoReturn, get_type_hints

import numpy as np
import numpy.typing as npt

from probfs.kernels.unavailable import KernelUnavailable

CODES = "codes"
"""Stands for the dtype of the codes of categories, for each of which a kernel is compiled separately."""
CODE_DTYPES = ("uint8", "uint16")

FAST_MATH = frozenset({"contract", "reassoc", "nsz", "arcp"})
"""Sums may be added in any order, and a·b + c rounded once; NaN and infinity keep their meaning."""


@dataclass(frozen=True)
class Kind:
    """What a parameter is: the type of its number, or of its items."""

    dtype: str


class Scalar(Kind):
    """A parameter that is one number."""


class Array(Kind):
    """A parameter that is a contiguous array; the loop sees its items one after the other, whatever its shape."""


class Matrix(Kind):
    """A parameter that is a matrix of contiguous rows, with a gap of any size between one row and the next."""


@dataclass(frozen=True)
class Stride(Kind):
    """A parameter that ``bind`` fills in: how many items lie between the beginnings of a matrix's rows."""

    matrix: str


@dataclass(frozen=True)
class UpTo:
    """Given to ``bind`` for a scalar that varies from call to call: the largest value that it may have.

    Lengths are checked for this value, so that a call need not check them again: a longer array is always long enough.
    """

    limit: int


# Loops are typed by numba; to a type checker their parameters may be anything.
Int64 = Annotated[Any, Scalar("int64")]
Float64 = Annotated[Any, Scalar("float64")]
CodeArray = Annotated[Any, Array(CODES)]
CodeMatrix = Annotated[Any, Matrix(CODES)]
CodeStride = Annotated[Any, Stride("int64", matrix="codes")]
Uint8Array = Annotated[Any, Array("uint8")]
Int32Array = Annotated[Any, Array("int32")]
Int64Array = Annotated[Any, Array("int64")]
Uint64Array = Annotated[Any, Array("uint64")]
Float32Array = Annotated[Any, Array("float32")]
Float64Array = Annotated[Any, Array("float64")]

Length = int | str | Callable[..., int]
"""How many items an array has at least: a number, a parameter, or a function whose arguments are named as parameters.
A scalar stands for its value, an array for its length, a matrix for the number of its rows.
"""
Function = Callable[..., Any]


@dataclass(frozen=True)
class HelperOptions:
    """How a function that loops call is compiled."""

    fast_math: frozenset[str]
    inline: bool


HELPERS: dict[Function, HelperOptions] = {}
"""The functions that loops call, for the compiler."""


def helper(fast_math: frozenset[str] = frozenset(), inline: bool = False) -> Callable[[Function], Function]:
    """Declare a function that loops call; ``inline`` makes it part of its caller before anything else is compiled."""

    def declare(function: Function) -> Function:
        HELPERS[function] = HelperOptions(fast_math, inline)
        return function

    return declare


def kernel(
    lengths: Mapping[str, Length], writes: Collection[str], fast_math: frozenset[str] = frozenset()
) -> Callable[[Function], Kernel]:
    """Declare a loop: how long its arrays must be (of a matrix: each row), and which of them it writes to."""
    return lambda function: Kernel(function, lengths, writes, fast_math)


class Kernel:
    """A compiled loop and what it takes."""

    def __init__(
        self, function: Function, lengths: Mapping[str, Length], writes: Collection[str], fast_math: frozenset[str]
    ) -> None:
        self.name = function.__name__
        self.function = function
        self.fast_math = fast_math
        self.parameters = _declared_parameters(function)
        self._lengths = {name: _LengthRule.of(length) for name, length in lengths.items()}
        self._writes = frozenset(writes)
        self._loaded: dict[str, Function] = {}
        arrays = {name for name, kind in self.parameters.items() if isinstance(kind, Array | Matrix)}
        used = {name for rule in self._lengths.values() for name in rule.parameters}
        if self._lengths.keys() != arrays or not self._writes <= arrays or not used <= self.parameters.keys():
            raise ValueError(f"{self.name}: lengths and writes must name its arrays, and lengths use its parameters")

    @property
    def has_codes(self) -> bool:
        """Whether there is machine code for each dtype of codes."""
        return any(kind.dtype == CODES for kind in self.parameters.values())

    def load(self, code_dtype: str = CODE_DTYPES[0]) -> Function:
        """The machine code, compiled if there is none yet; KernelUnavailable where that cannot be done."""
        loaded = self._loaded.get(code_dtype)
        if loaded is None:
            try:
                from probfs.kernels.loader import load_kernel

                loaded = load_kernel(self, code_dtype)
            except Exception as error:
                # numba, LLVM, the file system and a lack of memory each raise errors of their own.
                raise KernelUnavailable(self.name, error) from error
            self._loaded[code_dtype] = loaded
        return loaded

    def bind(self, **arguments: Any) -> BoundKernel:
        """The loop with these arguments: all of its arrays, and the scalars that stay the same from call to call.

        Scalars that are left out, or given as ``UpTo``, vary: the calls pass them by name. An array of another dtype,
        with gaps, read-only where it is written to, or too short is refused here. KernelUnavailable is raised where
        there is no machine code for the loop.
        """
        code_dtype = self._code_dtype(arguments)
        values: list[Any] = []
        varying: list[tuple[str, int, float]] = []
        sizes: dict[str, float] = {}
        for position, (name, kind) in enumerate(self.parameters.items()):
            value: Any = arguments.get(name)
            if isinstance(kind, Stride):
                value = arguments[kind.matrix].strides[0] // arguments[kind.matrix].itemsize
            elif isinstance(kind, Array | Matrix):
                self._check_array(name, kind, value, code_dtype)
                sizes[name] = len(value) if isinstance(kind, Matrix) else value.size
                value = _address(value)
            elif value is None:
                varying.append((name, position, math.inf))
            elif isinstance(value, UpTo):
                sizes[name] = value.limit
                varying.append((name, position, value.limit))
            else:
                value = sizes[name] = _convert_scalar(kind, value)
            values.append(value)
        if unknown := arguments.keys() - self.parameters.keys():
            raise TypeError(f"{self.name}: no parameter is called {', '.join(sorted(unknown))}")
        for name, rule in self._lengths.items():
            self._check_length(name, arguments[name], rule, sizes)
        return BoundKernel(self.name, self.load(code_dtype), values, varying, tuple(arguments.values()))

    def _code_dtype(self, arguments: Mapping[str, Any]) -> str:
        if not self.has_codes:
            return CODE_DTYPES[0]
        found = {
            str(getattr(arguments.get(name), "dtype", None))
            for name, kind in self.parameters.items()
            if kind.dtype == CODES
        }
        if len(found) > 1 or not found <= set(CODE_DTYPES):
            raise TypeError(f"{self.name}: codes must all be {' or all '.join(CODE_DTYPES)}, not {sorted(found)}")
        return found.pop()

    def _check_array(self, name: str, kind: Array | Matrix, array: Any, code_dtype: str) -> None:
        dtype = code_dtype if kind.dtype == CODES else kind.dtype
        if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype):
            self._refuse(name, f"must be an array of {dtype}, not {getattr(array, 'dtype', type(array).__name__)}")
        if isinstance(kind, Matrix) and array.ndim != 2:
            self._refuse(name, f"must be a matrix, and has {array.ndim} dimensions")
        contiguous = array[:1] if isinstance(kind, Matrix) else array
        if not (contiguous.flags.c_contiguous and array.flags.aligned):
            self._refuse(name, "must be contiguous")
        if name in self._writes and not array.flags.writeable:
            self._refuse(name, "is written to, but read-only")

    def _check_length(self, name: str, array: npt.NDArray[Any], rule: _LengthRule, sizes: Mapping[str, float]) -> None:
        if missing := [parameter for parameter in rule.parameters if parameter not in sizes]:
            raise TypeError(f"{self.name}: the length of {name} depends on {', '.join(missing)}; give it, or its UpTo")
        length = array.shape[1] if isinstance(self.parameters[name], Matrix) else array.size
        needed = rule.length(*[sizes[parameter] for parameter in rule.parameters])
        if length < needed:
            raise ValueError(f"{self.name}: {name} has {length} items, and needs {needed}")

    def _refuse(self, name: str, problem: str) -> NoReturn:
        raise TypeError(f"{self.name}: {name} {problem}")


class BoundKernel:
    """A kernel with its arrays: a call takes the scalars that were left open, by name.

    It keeps the arrays alive, so that a thread which is still in a call when nobody waits for it any more works on
    memory that is there.
    """

    def __init__(
        self, name: str, function: Function, values: list[Any], varying: list[tuple[str, int, float]], kept: object
    ) -> None:
        self._name = name
        self._function = function
        self._values = values
        self._varying = varying
        self._kept = kept

    def __call__(self, **varying: float) -> None:
        values = self._values.copy()
        try:
            for name, position, limit in self._varying:
                values[position] = value = varying[name]
                if value > limit:
                    raise ValueError(f"{self._name}: {name} is {value}, and was to be at most {limit}")
        except KeyError as error:
            raise TypeError(f"{self._name}: {error} is missing") from None
        if len(varying) > len(self._varying):
            raise TypeError(f"{self._name}: only {', '.join(name for name, _, _ in self._varying)} may vary")
        self._function(*values)


class _LengthRule(NamedTuple):
    """A length as a function of some parameters."""

    length: Callable[..., float]
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, length: Length) -> _LengthRule:
        if isinstance(length, int):
            return cls(lambda: length, ())
        if isinstance(length, str):
            return cls(lambda size: size, (length,))
        code = length.__code__
        return cls(length, code.co_varnames[: code.co_argcount])


def _declared_parameters(function: Function) -> dict[str, Kind]:
    hints = get_type_hints(function, include_extras=True)
    code = function.__code__
    parameters: dict[str, Kind] = {}
    for name in code.co_varnames[: code.co_argcount]:
        (kind,) = getattr(hints.get(name), "__metadata__", (None,))
        if not isinstance(kind, Kind):
            raise TypeError(f"{function.__name__}: parameter {name!r} has no kernel type")
        parameters[name] = kind
    return parameters


def _convert_scalar(kind: Kind, value: Any) -> float:
    return float(value) if kind.dtype == "float64" else value.__index__()


def _address(array: npt.NDArray[Any]) -> int:
    # As array.ctypes.data, in a third of the time.
    address: int = array.__array_interface__["data"][0]
    return address
