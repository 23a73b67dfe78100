"""The upper tail of the gamma law, in numpy alone: importing scipy.special takes as long as ranking a small table.

Q(a, x) = Γ(a, x) / Γ(a) by the method that converges where a and x lie (Gil, Segura & Temme 2012, sections 2 and 3):
power series below the mean, a continued fraction above it, and Temme's expansion around the mean of a large shape.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Floats

Mask = npt.NDArray[np.bool_]

_PRECISION = 5e-17
"""A term smaller than this share of a sum changes no digit of it: the answer for one x does not depend on others."""
_SETTLED = 1e-15
"""Rounding keeps the last factors of a continued fraction some units in the last place away from 1."""
_TINY = 1e-300
_SMALL_X = 1.1
_LARGE_SHAPE = 1e5
_NEAR_MEAN = 0.15
"""For larger shapes, the tail beyond this relative distance from the mean is below 1e-300, or is 1."""
_STIRLING_FROM = 10.0
_TAYLOR_BELOW = 5e-3
_TAYLOR_RADIUS = 0.1
_EULER = 0.5772156649015329
_ZETA = (1.6449340668482264, 1.2020569031595942, 1.0823232337111382, 1.0369277551433699, 1.0173430619844491)
"""Riemann's ζ(2) to ζ(6)."""
_TEMME = (
    (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515, -571 / 261273600),
    (-1 / 540, -1 / 288, 25 / 9450, -0.0009902263374485597),
    (0.004133597883597883, -0.0026813271604938273),
)
"""Coefficients of powers of η in the terms 1, 1/a and 1/a² of Temme's expansion."""


def upper_tail(shape: Floats, x: Floats) -> Floats:
    """The probability that a gamma variable of this shape and scale 1 is at least ``x``, element by element.

    >>> upper_tail(np.array([1.0, 0.5]), np.array([2.0, 0.0]))
    array([0.13533528, 1.        ])
    """
    shape, x = np.broadcast_arrays(np.asarray(shape, dtype=np.float64), np.asarray(x, dtype=np.float64))
    tail = np.ones(x.shape)
    positive = x > 0
    near_mean = positive & (shape >= _LARGE_SHAPE) & (np.abs(x - shape) < _NEAR_MEAN * shape)
    small = positive & ~near_mean & (x <= _SMALL_X) & (shape <= _shape_of_even_odds(x))
    below = positive & ~near_mean & ~small & (x < np.maximum(shape, _SMALL_X))
    above = positive & ~(near_mean | small | below)
    for where, method in ((near_mean, _temme), (small, _small_x), (below, _below_mean), (above, _above_mean)):
        if where.any():
            tail[where] = method(shape[where], x[where])
    return np.clip(tail, 0.0, 1.0)


def _shape_of_even_odds(x: Floats) -> Floats:
    """For small x, about the shape at which both tails are equally large; below it, the upper one is the smaller."""
    with np.errstate(divide="ignore"):
        return np.where(x <= 0.5, -0.4 / np.log(np.where(x > 0, x, 0.5)), _SMALL_X * x)


def _small_x(a: Floats, x: Floats) -> Floats:
    """1 - xᵃ/Γ(1+a) - xᵃ/Γ(a) Σ (-x)ⁿ/n!(a+n), in which nothing cancels however small the shape."""
    total, factor, n = np.zeros_like(x), np.ones_like(x), 0
    while np.any(np.abs(factor) > _PRECISION):
        n += 1
        factor = factor * (-x / n)
        total += factor / (a + n)
    log_power = a * np.log(x) - _log_gamma_of_one_plus(a)
    return -np.expm1(log_power) - a * np.exp(log_power) * total


def _below_mean(a: Floats, x: Floats) -> Floats:
    """1 - xᵃe⁻ˣ/Γ(a+1) Σ xⁿ/(a+1)…(a+n): the sum has positive terms only."""
    total, term, n = np.ones_like(x), np.ones_like(x), 0
    while np.any(term > _PRECISION * total):
        n += 1
        term = term * (x / (a + n))
        total += term
    return 1 - _density(a, x) * total


def _above_mean(a: Floats, x: Floats) -> Floats:
    """Legendre's continued fraction, by the modified method of Lentz."""
    b = x + 1 - a
    c = np.full_like(x, 1 / _TINY)
    d = 1 / b
    fraction = d
    n = 0
    settled = np.zeros(x.shape, dtype=np.bool_)
    while not settled.all():
        n += 1
        numerator = -n * (n - a)
        b = b + 2
        d = numerator * d + b
        c = b + numerator / c
        d = 1 / np.where(np.abs(d) < _TINY, _TINY, d)
        c = np.where(np.abs(c) < _TINY, _TINY, c)
        change = np.where(settled, 1.0, c * d)
        fraction = fraction * change
        settled |= np.abs(change - 1) <= _SETTLED
    return a * _density(a, x) * fraction


def _temme(a: Floats, x: Floats) -> Floats:
    mu = (x - a) / a
    half_square = _excess_over_log(mu)
    eta = np.copysign(np.sqrt(2 * half_square), mu)
    normal = np.array([math.erfc(z) / 2 for z in (eta * np.sqrt(a / 2)).tolist()])
    series = np.zeros_like(x)
    for power, coefficients in enumerate(_TEMME):
        series += np.polynomial.polynomial.polyval(eta, coefficients) / a**power
    return normal + np.exp(-a * half_square) / np.sqrt(2 * np.pi * a) * series


def _density(a: Floats, x: Floats) -> Floats:
    """xᵃe⁻ˣ/Γ(a+1), without the digits lost by adding and subtracting logarithms of large shapes."""
    density = np.empty_like(x)
    large = a >= _STIRLING_FROM
    if large.any():
        shape = a[large]
        inverse = 1 / shape**2
        series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / shape
        exponent = -shape * _excess_over_log((x[large] - shape) / shape) - series
        density[large] = np.exp(exponent) / np.sqrt(2 * np.pi * shape)
    rest = a[~large]
    log_gamma = np.array([math.lgamma(shape) for shape in (rest + 1).tolist()])
    density[~large] = np.exp(rest * np.log(x[~large]) - x[~large] - log_gamma)
    return density


def _excess_over_log(mu: Floats) -> Floats:
    """μ - log(1 + μ), by its series where the difference would lose digits."""
    series = np.zeros_like(mu)
    near = np.where(np.abs(mu) < _TAYLOR_RADIUS, mu, 0.0)
    for power in range(17, 1, -1):
        series = 1 / power - near * series
    with np.errstate(divide="ignore"):
        # An x that is nothing beside its shape.
        return np.where(np.abs(mu) < _TAYLOR_RADIUS, near**2 * series, mu - np.log1p(mu))


def _log_gamma_of_one_plus(a: Floats) -> Floats:
    series = np.zeros_like(a)
    for power in range(len(_ZETA) + 1, 1, -1):
        series = _ZETA[power - 2] / power - a * series
    exact = np.array([math.lgamma(shape) for shape in (a + 1).tolist()])
    return np.where(a < _TAYLOR_BELOW, a * (a * series - _EULER), exact)
