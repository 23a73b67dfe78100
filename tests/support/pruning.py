"""That skipping features which cannot have the lowest scores changes no ranking."""

from __future__ import annotations

from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.columns.dataset import Dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all

PruningSettings = tuple[str, EstimateName, float, float, ShrinkName]
PRUNING_SETTINGS = st.tuples(
    st.sampled_from(["absolute", "unlabeled", "signed"]),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([1, 3, 0.2]),
    st.sampled_from([1.0, 1e-3, 1e-60]),
    st.sampled_from(["off", "on"]),
)


def check_pruning(dataset: Dataset, settings: PruningSettings, compiled: bool) -> None:
    """Rank a dataset with pruning and without."""
    score, estimate, step, smoothing, shrink = settings
    pruned, everything = (
        eliminate_all(dataset, estimate, step, score, smoothing, compiled, prune, shrink) for prune in (True, False)
    )
    assert_same_rounds(pruned, everything)
    for one, other in zip(pruned, everything, strict=True):
        assert one.scores.log_loss == other.scores.log_loss
