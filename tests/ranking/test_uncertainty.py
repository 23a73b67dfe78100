"""How sure a ranking is: samples of the rows, ranked and scored anew."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.errors import DataError
from probfs.ranking.result import RankedFeature, Stability
from probfs.ranking.uncertainty import PAIRS
from probfs.rows.blocks import Block, RandomSample
from probfs.text import command_line_language
from tests.support.datasets import frame_of, random_dataset


def table(seed: int, rows: int = 120, classes: int = 2) -> pd.DataFrame:
    return frame_of(random_dataset(rows, features=5, values=2, classes=classes, seed=seed))


def shown(ranking: probfs.Ranking) -> dict[tuple[str, str], Any]:
    keys = ("se_initial_s_s", "se_initial_s_a", "rank_low", "rank_high")
    return {(feature.feature, key): getattr(feature, key) for feature in ranking.features for key in keys}


@pytest.mark.parametrize(("score", "screen"), [("absolute", False), ("signed", True)])
def test_it_is_what_a_plain_loop_over_the_samples_finds(
    score: Any, screen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[int, pd.DataFrame] = {}
    counts = RandomSample.counts

    def recorded(own: RandomSample, block: Block) -> Any:
        found = counts(own, block)
        rows = np.repeat(np.arange(len(found[0])), found[0])
        drawn[own.number] = frame_of(block.dataset).loc[rows]
        return found

    monkeypatch.setattr(RandomSample, "counts", recorded)
    heard: list[probfs.Progress] = []
    options: dict[str, Any] = {"target": "y", "score": score, "screen": screen}
    found = probfs.rank(table(7), uncertainty=True, on_progress=heard.append, **options)
    measured = [(own.done, own.total) for own in heard if own.stage == "measuring uncertainty"]
    assert measured == [(number, 70) for number in range(71)]
    samples = [drawn[number] for number in range(len(drawn))]
    halves, groups = samples[: 2 * PAIRS], samples[2 * PAIRS :]
    assert (len(halves), len(groups)) == (50, 20)
    ranked = [probfs.rank(half, **options).features for half in halves]
    scored = [probfs.rank(rest, target="y", eliminate=False).features for rest in groups]

    def values(runs: list[tuple[RankedFeature, ...]], name: str, key: str) -> list[float]:
        return [getattr(feature, key) for run in runs for feature in run if feature.feature == name]

    told = sum(feature.q is not None and feature.q <= 0.1 for feature in found.features)
    k = told if screen else 2
    assert 0 < k < 5
    firsts = [{feature.feature for feature in run if feature.rank <= k} for run in ranked]
    # For sets of one size it is the mean of Kuncheva's index over all pairs of them.
    agreement = np.mean([len(one & other) for one, other in combinations(firsts, 2)])
    assert found.stability is not None
    assert (found.stability.k, found.stability.halves) == (k, 50)
    assert found.stability.value == pytest.approx((agreement - k**2 / 5) / (k - k**2 / 5))
    for feature in found.features:
        assert feature.in_first_k == np.mean([feature.feature in first for first in firsts])
        ranks = sorted(values(ranked, feature.feature, "rank"))
        assert feature.rank_low == min(ranks[2], feature.rank)
        assert feature.rank_high == max(ranks[47], feature.rank)
        for key in ("initial_s_s", "initial_s_a"):
            scores = np.array(values(scored, feature.feature, key))
            expected = np.sqrt(19 / 20 * ((scores - scores.mean()) ** 2).sum())
            assert getattr(feature, f"se_{key}") == pytest.approx(expected)


def test_neither_order_nor_counting_of_rows_matters() -> None:
    frame = table(2, rows=60, classes=3)
    counts = np.random.default_rng(3).integers(1, 4, 60)
    repeated = frame.loc[np.repeat(np.arange(60), counts)]
    shuffled = repeated.sample(frac=1, random_state=1)[[*frame.columns[::-1]]]
    first = shown(probfs.rank(frame.assign(n=counts), target="y", count="n", uncertainty=True))
    for other in (repeated, shuffled):
        assert shown(probfs.rank(other, target="y", uncertainty=True)) == pytest.approx(first)


def test_stability_is_1_of_columns_that_always_come_first_and_none_of_a_single_one() -> None:
    frame = frame_of(random_dataset(120, 3, 2, 2, seed=1, signal=0.0))
    frame["twin"], frame["clear"] = frame["y"], np.where(np.arange(120) % 10 > 0, frame["y"], "u")
    ranking = probfs.rank(frame, target="y", screen=False, uncertainty=True)
    assert ranking.stability == Stability(1.0, 2, 50)
    assert [feature.in_first_k for feature in ranking.features] == [1, 1, 0, 0, 0]
    document = ranking.to_json()
    assert probfs.Ranking.from_json(document) == ranking
    without = {key: value for key, value in ranking.to_dict().items() if key != "stability"}
    assert probfs.Ranking.from_dict(without).stability is None
    said = "Stability of the first 2 columns in 50 rankings of half of the rows: 1.00"
    assert said in repr(ranking) or said in ranking.to_html()
    two = probfs.rank(frame[["twin", "clear", "y"]], target="y", screen=False, uncertainty=True)
    assert two.stability is not None
    assert two.stability.k == 1
    alone = probfs.rank(frame[["clear", "y"]], target="y", uncertainty=True)
    assert (alone.stability, alone.features[0].in_first_k) == (None, 1)
    plain = probfs.rank(frame, target="y")
    assert (set(shown(plain).values()), plain.stability, plain.settings.uncertainty) == ({None}, None, False)
    empty = plain.to_frame()[["rank_low", "in_first_k", "s_su"]]
    assert empty.isna().all(axis=None)
    assert empty["s_su"].dtype == float


@pytest.mark.parametrize(
    ("classes", "problem"),
    [
        ("p" * 10 + "q" * 9, "needs 20 labelled rows, and there are 19"),
        ("p" * 16 + "q" * 4, None),
        ("p" * 20 + "q" * 3, "needs 4 rows of each class, and 'q' has 3"),
        ("p" * 20 + "q" * 9 + "r" * 3, "needs 4 rows of each class, and 'r' has 3; drop the class with min_class=4"),
    ],
)
def test_too_few_rows_are_one_clear_line(classes: str, problem: str | None) -> None:
    frame = pd.DataFrame({"a": ["u", "v", "w"] * 20, "y": [*classes, *[None] * (60 - len(classes))]})
    if problem is None:
        assert probfs.rank(frame, target="y", uncertainty=True).features[0].rank_low == 1
        return
    with pytest.raises(DataError) as caught:
        probfs.rank(frame, target="y", uncertainty=True)
    assert str(caught.value) == f"<frame>: uncertainty=True {problem}"
    with command_line_language(), pytest.raises(DataError, match="--uncertainty needs"):
        probfs.rank(frame, target="y", uncertainty=True)


def test_unlabelled_rows_are_halved_where_they_decide() -> None:
    frame = pd.concat([table(6), table(7).assign(y=None)])
    assert all(f.rank_low for f in probfs.rank(frame, target="y", score="unlabeled", uncertainty=True).features)
    few = pd.concat([table(6), table(7)[:1].assign(y=None)])
    with pytest.raises(DataError, match="needs 2 unlabelled rows, and there is one"):
        probfs.rank(few, target="y", score="unlabeled", uncertainty=True)
    two = pd.concat([table(6), table(7)[:2].assign(y=None)])
    assert probfs.rank(two, target="y", score="unlabeled", uncertainty=True).stability is not None
    signed = probfs.rank(frame, target="y", uncertainty=True)
    assert shown(signed) == shown(probfs.rank(table(6), target="y", uncertainty=True))


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "draws"), [(50, 60), (200, 40), (1000, 25)])
def test_intervals_cover_what_they_promise(rows: int, draws: int) -> None:
    """Of ten columns that follow the class more and more, and ten of noise: the shares of 95 % intervals that hold the
    mean score over tables of as many rows, and of rank intervals that hold the place in the order of mean ranks.
    """
    random, rankings = np.random.default_rng(rows), []
    for _ in range(draws):
        labels = random.integers(0, 2, rows)
        labels[:8] = np.arange(8) % 2
        columns: dict[str, Any] = {"y": np.where(labels, "yes", "no")}
        for number in range(20):
            values, name = 2 + number % 4, f"{'told' if number < 10 else 'noise'}{number}"
            told = random.random(rows) < (0.08 * (number + 1) if number < 10 else 0)
            columns[name] = np.where(told, labels % values, random.integers(0, values, rows)).astype(str)
        ranking = probfs.rank(pd.DataFrame(columns), target="y", uncertainty=True)
        rankings.append(ranking.to_frame().set_index("feature").sort_index())
    ranks = pd.concat([own["rank"] for own in rankings], axis=1).mean(axis=1).rank()
    shares = {"rank": np.mean([(own["rank_low"] <= ranks) & (ranks <= own["rank_high"]) for own in rankings], axis=0)}
    for key in ("s_s", "s_a"):
        scores, errors = (np.array([own[f"{what}_{key}"] for own in rankings]) for what in ("initial", "se_initial"))
        # The 97.5 % quantile of Student's law of 19 degrees of freedom.
        shares[key] = (np.abs(scores - scores.mean(axis=0)) <= 2.093 * errors).mean(axis=0)
    told_first = rankings[0].index.str.startswith("told")
    for key, own in shares.items():
        groups = own[told_first].mean(), own[~told_first].mean()
        print(f"{rows} rows, {key}: covered {groups[0]:.2f} of informative columns, {groups[1]:.2f} of noise")
        assert min(groups) > (0.85 if key == "rank" else 0.8)
