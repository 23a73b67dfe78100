"""Datasets cut into blocks, as workers would hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from probfs.cluster.block import Block
from probfs.cluster.coded_rows import CodedRows

from probfs.cluster.blocks import Blocks
from probfs.cluster.connection import as_it_is
from probfs.columns.dataset import Dataset
from tests.support.in_process_cluster import InProcessCluster


def blocks_of(dataset: Dataset, cuts: Sequence[int], cluster: Any = None) -> Blocks:
    """The rows of a dataset in blocks that begin at these rows; unlabelled rows are cut at the same places."""
    dtype = np.min_scalar_type(max(feature.values for feature in dataset.features))
    codes = np.stack([feature.labelled.astype(dtype) for feature in dataset.features])
    others = np.stack([feature.unlabelled.astype(dtype) for feature in dataset.features])
    none = np.zeros(len(dataset.unlabelled_counts), dtype=np.int8)
    blocks = [
        Block(
            CodedRows.sorted(dataset.labels[own], dataset.counts[own], codes[:, own]),
            CodedRows.sorted(none[own], dataset.unlabelled_counts[own], others[:, own]),
        )
        for own in (slice(first, end) for first, end in zip([0, *cuts], [*cuts, None], strict=True))
    ]
    cluster = cluster or InProcessCluster()
    return Blocks(cluster, [cluster.submit("block", as_it_is, block) for block in blocks])


def condense(dataset: Dataset) -> Dataset:
    """The dataset with one row for each class, which counts for all of them."""
    return replace(
        dataset,
        labels=np.arange(len(dataset.classes)),
        counts=np.array(list(dataset.class_rows().values())),
        unlabelled_counts=np.array([dataset.unlabelled_rows]),
    )
