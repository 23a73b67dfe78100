"""Datasets cut into blocks, as workers would hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from probfs.cluster.connection import identity
from probfs.cluster.engine import ClusterBlocks
from probfs.columns.dataset import Dataset
from probfs.rows.block import Block
from probfs.rows.blocks import Blocks
from tests.support.clusters import InProcessCluster


def cut_rows(dataset: Dataset, cuts: Sequence[int]) -> list[Dataset]:
    """The rows of a dataset in parts that begin at these rows; unlabelled rows are cut at the same places."""
    last = max(len(dataset.labels), len(dataset.unlabelled_counts))
    return [
        replace(
            dataset,
            features=tuple(
                replace(one, labelled=one.labelled[own], unlabelled=one.unlabelled[own]) for one in dataset.features
            ),
            labels=dataset.labels[own],
            counts=dataset.counts[own],
            unlabelled_counts=dataset.unlabelled_counts[own],
        )
        for own in (slice(first, end) for first, end in pairwise([0, *cuts, last]))
    ]


def blocks_of(dataset: Dataset, cuts: Sequence[int]) -> ClusterBlocks:
    """The same parts, on a cluster."""
    cluster: Any = InProcessCluster()
    blocks = [Block(own, number=number) for number, own in enumerate(cut_rows(dataset, cuts))]
    return ClusterBlocks(cluster, [cluster.submit("block", identity, block) for block in blocks])


def held(blocks: Blocks) -> list[Block]:
    """What the workers have."""
    assert isinstance(blocks, ClusterBlocks)
    return list(blocks.cluster.gather(blocks.futures))


def condense(dataset: Dataset) -> Dataset:
    """The dataset with one row for each class, which counts for all of them."""
    return replace(
        dataset,
        labels=np.arange(len(dataset.classes)),
        counts=np.array(list(dataset.class_rows().values())),
        unlabelled_counts=np.array([dataset.unlabelled_rows]),
    )
