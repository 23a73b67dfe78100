"""Two columns as one: a feature of their joint values, in the place of the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.columns.dataset import Dataset, DeferredLabels, Feature
from probfs.errors import UsageError
from probfs.tables.arrays import code_type, looked_up, text_array
from probfs.text import option, quoted


def join_features(dataset: Dataset, pairs: Sequence[str]) -> Dataset:
    """The dataset with a feature called ``a+b`` in the place of the features a and b, for each ``"a+b"``."""
    if not pairs:
        return dataset
    features = {feature.name: feature for feature in dataset.features}
    taken: set[str] = set()
    for pair in pairs:
        names = _split(pair, features)
        if pair in features:
            raise UsageError(f"{option('join')}: there is a column {quoted(pair)} already; leave it out or rename it")
        for name in names:
            if name in taken:
                raise UsageError(f"{option('join')}: column {quoted(name)} is in two pairs; keep one of them")
            if features[name].numbers is not None:
                hint = "cut it in a mapping, or use Naive Bayes"
                raise UsageError(f"{option('join')}: column {quoted(name)} is numbers to this classifier; {hint}")
        taken.update(names)
        features = {
            name: _join(pair, features[names[0]], features[names[1]]) if name == names[0] else feature
            for name, feature in features.items()
            if name != names[1]
        }
    return replace(dataset, features=tuple(features.values()))


def _split(pair: str, features: Mapping[str, Feature]) -> tuple[str, str]:
    """The two columns that a text names."""
    first, _, second = pair.partition("+")
    if first != second and first in features and second in features:
        return first, second
    problem = f"{quoted(pair)} does not name two columns that are ranked, as a+b does"
    raise UsageError(f"{option('join')}: {problem}")


def _join(name: str, first: Feature, second: Feature) -> Feature:
    """One feature of the pairs of values that some labelled row holds; all others are missing."""
    width = second.values + 1
    joint = first.labelled.astype(np.int64) * width + second.labelled
    known = (first.labelled < first.values) & (second.labelled < second.values)
    seen = np.unique(joint[known])
    codes = np.full((first.values + 1) * width, len(seen), dtype=code_type(len(seen)))
    codes[seen] = np.arange(len(seen))

    def labels() -> pa.StringArray:
        texts = [feature.labels.to_pylist() for feature in (first, second)]
        return text_array([f"{texts[0][pair // width]}, {texts[1][pair % width]}" for pair in seen.tolist()])

    return Feature(
        name,
        DeferredLabels(len(seen), labels),
        looked_up(codes, joint),
        looked_up(codes, first.unlabelled.astype(np.int64) * width + second.unlabelled),
    )
