"""Whether a model is warned of that hardly beats guessing, and only such a one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.notes import Note, NoteKind


def xor(seed: int, rows: int = 300) -> pd.DataFrame:
    one, other = np.random.default_rng(seed).integers(0, 2, (2, rows))
    return pd.DataFrame({"one": np.array(["a", "b"])[one], "other": np.array(["u", "v"])[other], "y": one ^ other})


def follower(seed: int, rows: int = 300, positive: float = 0.5) -> pd.DataFrame:
    """A number that follows the class, and noise."""
    random = np.random.default_rng(seed)
    labels = random.random(rows) < positive
    return pd.DataFrame({"x": random.normal(size=rows) + labels, "noise": random.normal(size=rows), "y": labels})


def is_warned(frame: pd.DataFrame, call: Any = probfs.rank, **options: Any) -> bool:
    heard: list[Note] = []
    result = call(frame, target="y", on_note=heard.append, **options)
    said = [note for note in heard if note.code == NoteKind.WEAK_MODEL.code]
    assert all(note in result.warnings for note in said)
    return bool(said)


def test_columns_that_tell_only_together_are_warned_of_and_a_forest_sees_them() -> None:
    assert is_warned(xor(0))
    assert is_warned(xor(0), probfs.select, folds=0)
    assert not is_warned(xor(0), classifier="forest", trees=5, permutations=1, folds=2, jobs=1)


def test_neither_a_useful_model_nor_one_of_a_rare_class_nor_a_tiny_table_is_warned_of() -> None:
    assert not is_warned(follower(0))
    assert not is_warned(follower(0), screen=False, score="absolute")
    assert not is_warned(follower(1, rows=2000, positive=0.05))
    assert not is_warned(xor(0, rows=19))
    assert is_warned(xor(0, rows=20))


def test_real_choices_are_warned_of() -> None:
    """Naive Bayes gets 23.5 % wrong, and guessing 25 %."""
    datasets = pytest.importorskip("statsmodels.datasets")
    frame = datasets.modechoice.load_pandas().data.rename(columns={"choice": "y"})
    assert is_warned(frame)


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_a_class_that_begins_so_late_that_less_than_a_third_of_the_rows_is_judged_is_named(call: Any) -> None:
    """A class is known once it has had two rows, and one more row only teaches."""
    for begins, judged in ((37, 20), (38, 19)):
        labels = [*(["p", "q"] * 30)[:begins], *["r"] * (60 - begins)]
        frame = pd.DataFrame({"x": np.arange(60) * 7 % 10, "when": range(60), "y": labels})
        result = call(frame, target="y", time="when", on_note=lambda note: None)
        rounds = result.rounds if isinstance(result, probfs.Ranking) else result.ranking.rounds
        assert rounds[0].rows == judged
        said = [note for note in result.warnings if note.code == "late-class"]
        assert bool(said) == (judged < 20)
        assert all(note.startswith("only 19 of 60 rows are judged: class 'r' begins late in time=") for note in said)


@pytest.mark.slow
def test_rates_over_many_tables(capsys: pytest.CaptureFixture[str]) -> None:
    found = [is_warned(xor(seed)) for seed in range(100)]
    wrong = [is_warned(follower(seed)) for seed in range(100)]
    with capsys.disabled():
        print(f"\nwarned of: {np.mean(found):.2f} of XOR, {np.mean(wrong):.2f} of tables with a column that tells")
    assert np.mean(found) >= 0.95
    assert np.mean(wrong) <= 0.05
