"""Categorical Naive Bayes: leave-one-out by table look-up, removal by division, no refit anywhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np
import numpy.typing as npt

from probfs.backends import Features, RoundScores
from probfs.backends.counts import ClassCounts, Layout, Model
from probfs.backends.many_classes import FactorTables, ManyClassRows
from probfs.backends.rows import LN2, Rows
from probfs.backends.sums import Sums
from probfs.backends.two_class import OddsTables, TwoClassRows
from probfs.choices import Estimate
from probfs.encoding import Dataset
from probfs.folds import check_class_sizes, deal_folds
from probfs.scaled import Scaled
from probfs.table import Codes, Floats, Integers

# Below this a sum has lost digits to underflow, or is 0, and is taken again in smaller units.
_UNDERFLOWING = 2.0**-900
_SATURATED = 600.0
"""When even the least certain row is surer than e^-600, a round works in units that fit that row from the start."""


class NaiveBayes:
    """A fitted Naive Bayes model and the features it still uses."""

    def __init__(self, dataset: Dataset, estimate: Estimate, folds: int, smoothing: float, seed: int) -> None:
        self._rows = dataset.rows
        self._unlabelled_rows = dataset.unlabelled_rows
        self._smoothing = smoothing
        self._layout = Layout.of([feature.values for feature in dataset.features])
        self._active: Features = np.arange(len(dataset.features))
        if estimate != "resubstitution":
            check_class_sizes(dataset)
        self._labelled = self._labelled_rows(dataset, estimate, folds, seed)
        self._unlabelled = self._unlabelled_group(dataset)
        for rows in (*self._labelled, *self._unlabelled):
            rows.add(self._active)

    @property
    def active(self) -> Features:
        return self._active

    def drop(self, features: Features) -> None:
        for rows in (*self._labelled, *self._unlabelled):
            rows.add(features, sign=-1)
        self._active = np.setdiff1d(self._active, features, assume_unique=True)

    @property
    def notes(self) -> tuple[str, ...]:
        # Nothing is fitted step by step, so nothing can go wrong on the way.
        return ()

    def score(self) -> RoundScores:
        absolute, signed = _scaled_sums(self._labelled, self._active)
        s_su = None
        if self._unlabelled:
            more, _ = _scaled_sums(self._unlabelled, self._active)
            s_su = (absolute + more) / (self._rows + self._unlabelled_rows)
        fit = reduce(add, (rows.fit() for rows in self._labelled))
        return RoundScores(
            absolute / self._rows,
            signed / self._rows,
            s_su,
            self._rows,
            round(fit.errors),
            fit.absolute_loss / self._rows,
            fit.log_loss / self._rows,
        )

    # --- which rows are scored by which model -----------------------------------------------------------------------

    def _labelled_rows(self, dataset: Dataset, estimate: Estimate, folds: int, seed: int) -> list[Rows]:
        codes = _matrix([feature.labelled for feature in dataset.features], self._layout)
        by_class = [np.flatnonzero(dataset.labels == label) for label in range(len(dataset.classes))]
        counts = dataset.counts.astype(np.float64)
        self._counts = self._count(codes, by_class, counts)
        if estimate == "cv":
            return self._held_out_rows(codes, by_class, deal_folds(dataset, folds, seed))
        groups = []
        for label, members in enumerate(by_class):
            left_out = label if estimate == "loo" else None
            model = Model.of(self._counts, self._layout, self._smoothing, left_out)
            groups.append(self._group(codes[:, members], counts[members], label, model))
        return groups

    def _held_out_rows(self, codes: Codes, by_class: Sequence[Integers], dealt: Integers) -> list[Rows]:
        """Each fold's rows, scored by the model of all other folds."""
        groups = []
        for copies in dealt:
            in_fold = [members[copies[members] > 0] for members in by_class]
            held_out = self._count(codes, in_fold, copies.astype(np.float64))
            model = Model.of(self._counts.without(held_out), self._layout, self._smoothing)
            for label, members in enumerate(in_fold):
                if len(members):
                    groups.append(self._group(codes[:, members], copies[members].astype(np.float64), label, model))
        return groups

    def _unlabelled_group(self, dataset: Dataset) -> list[Rows]:
        if not self._unlabelled_rows:
            return []
        codes = _matrix([feature.unlabelled for feature in dataset.features], self._layout)
        model = Model.of(self._counts, self._layout, self._smoothing)
        return [self._group(codes, dataset.unlabelled_counts.astype(np.float64), None, model)]

    def _count(self, codes: Codes, by_class: Sequence[npt.NDArray[np.intp]], counts: Floats) -> ClassCounts:
        by_slot = [self._layout.count(codes[:, members], counts[members]) for members in by_class]
        rows = [counts[members].sum() for members in by_class]
        return ClassCounts(np.array(rows), np.stack(by_slot, axis=1))

    def _group(self, codes: Codes, counts: Floats, label: int | None, model: Model) -> Rows:
        if len(model.log_prior) == 2:
            return TwoClassRows(codes, counts, label, self._layout, OddsTables.of(model))
        return ManyClassRows(codes, counts, label, self._layout, FactorTables.of(model))


def _matrix(columns: Sequence[Codes], layout: Layout) -> Codes:
    """The codes, a row for each feature, in the narrowest type that all of them fit."""
    return np.stack(columns).astype(np.min_scalar_type(int(layout.values.max())), copy=False)


def _scaled_sums(groups: Sequence[Rows], features: Features) -> tuple[Scaled, Scaled]:
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature, however small."""
    least = min(rows.least_gap() for rows in groups)
    shift = int(least / LN2) if _SATURATED < least < math.inf else 0
    sums = _total(rows.sums(features, shift) for rows in groups)
    absolute, signed = Scaled.of(sums.absolute, -shift), Scaled.of(sums.signed, -shift)
    tiny = np.flatnonzero(sums.absolute < _UNDERFLOWING)
    while len(tiny):
        # In units that fit the features whose changes are largest; the others are left for another turn.
        nearest = np.minimum.reduce([rows.nearest_changes(features[tiny]) for rows in groups])
        tiny = tiny[np.isfinite(nearest)]
        if not len(tiny):
            break
        shift = int(nearest.min() / LN2)
        sums = _total(rows.sums(features[tiny], shift) for rows in groups)
        done = sums.absolute >= _UNDERFLOWING
        if not done.any():
            break
        absolute = absolute.replaced(tiny[done], Scaled.of(sums.absolute[done], -shift))
        signed = signed.replaced(tiny[done], Scaled.of(sums.signed[done], -shift))
        tiny = tiny[~done]
    return absolute, signed


def _total(parts: Iterable[Sums]) -> Sums:
    return reduce(add, parts)
