"""What is asked of every column before anything is decided about it, found for all columns of numbers together.

A wide table has thousands of columns of a few rows each, for which a call of numpy takes longer than its work; so
numbers are looked at as the rows of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from probfs.runtime.threads import count_cores, map_ahead
from probfs.tables.arrays import EXACT, Integers
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import number_groups, number_matrix


@dataclass(frozen=True, slots=True)
class Profile:
    """A few facts about a column in some rows, each of which counts for some."""

    distinct: int
    """How many different values there are."""
    missing: int
    """How many rows have none."""
    whole: bool
    """Whether no number has a fraction."""
    repeats: bool
    """Whether some value may stand in as many rows as was asked for; of numbers, each row counts once."""


def profile_columns(columns: Iterable[Column], weights: Integers | None, times: int = 2) -> dict[str, Profile]:
    """The profiles of columns by their names.

    ``weights`` says for how many rows each row counts, None where each is one; ``times`` is how often a value must
    repeat to be of interest.
    """
    every = list(columns)
    profiles = {column.name: _profile_values(column, weights) for column in every if not column.is_numeric}
    threads = count_cores()
    look = partial(_profile_numbers, weights=weights, times=times)
    for found in map_ahead(look, number_groups(every), threads, ahead=threads):
        profiles |= found
    return profiles


def _profile_values(column: Column, weights: Integers | None) -> Profile:
    counts = column.counts(weights)
    numbers = column.numbers() if column.kind is Kind.NUMBER and column.problem is None else None
    held = counts[:-1] > 0
    whole = numbers is None or bool(np.all(numbers[held] == np.rint(numbers[held])))
    return Profile(column.distinct(weights), int(counts[-1]), whole, repeats=True)


def _profile_numbers(columns: Sequence[Column], weights: Integers | None, times: int) -> dict[str, Profile]:
    numbers = number_matrix(columns)
    # As doubles, neighbours beyond 2^53 are the same; whole numbers and texts tell them apart.
    exact = [place for place, column in enumerate(columns) if not pa.types.is_floating(column.cells.type)]
    beyond = np.any(np.abs(numbers[exact]) >= EXACT, axis=1).tolist()
    merged = (columns[place] for place, is_beyond in zip(exact, beyond, strict=True) if is_beyond)
    apart = {column.name: _profile_values(column, weights) for column in merged}
    if weights is not None:
        rows = np.flatnonzero(weights > 0)
        numbers, weights = numbers[:, rows], weights[rows]
    absent = np.isnan(numbers)
    missing = np.count_nonzero(absent, axis=1) if weights is None else absent @ weights
    whole = np.all((numbers == np.rint(numbers)) | absent, axis=1)
    ordered = np.sort(numbers, axis=1)
    # NaN, which is last, is not greater than anything, and equal to nothing.
    distinct = np.count_nonzero(ordered[:, 1:] > ordered[:, :-1], axis=1) + ~absent.all(axis=1)
    later = ordered[:, times - 1 :]
    repeats = np.any(later == ordered[:, : later.shape[1]], axis=1)
    facts = zip(distinct.tolist(), missing.tolist(), whole.tolist(), repeats.tolist(), strict=True)
    return {column.name: Profile(*own) for column, own in zip(columns, facts, strict=True)} | apart
