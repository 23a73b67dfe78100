"""A block's answers follow from its rows and from what happened, wherever it has been meanwhile."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
from probfs.cluster.block import Activated, Block, Dropped, History, Model, Question, Shrunk, active_after
from probfs.cluster.coded_rows import CodedRows

from probfs.classifiers.naive_bayes.grouping import Grouping
from probfs.classifiers.naive_bayes.model import ClassCounts, SlotLayout
from probfs.classifiers.options import EstimateName
from probfs.screening.screen import count_values
from tests.support.datasets import random_dataset

DATASET = random_dataset(500, 6, 3, 2, 0)
HISTORY: History = (
    Activated(6),
    Shrunk(0.5),
    Dropped((2,)),
    Dropped((0, 5)),
    Shrunk(0.75),
)
QUESTIONS = (Question("sum_changes", (np.array([1, 3]),)), Question("fit"))


def block_of_all() -> Block:
    codes = np.stack([feature.labelled for feature in DATASET.features])
    return Block(CodedRows.sorted(DATASET.labels, DATASET.counts, codes), CodedRows.of_nothing(codes))


def model(run: str = "run", estimate: EstimateName = "loo") -> Model:
    counts = count_values(DATASET)
    layout = SlotLayout.of([feature.values for feature in DATASET.features])
    grouping = Grouping(layout, 1.0, estimate, 0, 0, compiled=False)
    return Model(run, grouping, DATASET.classes, ClassCounts(counts.class_rows, counts.by_slot))


def told(answers: list[Any] | None) -> tuple[Any, ...]:
    assert answers is not None
    sums, fit = answers
    return sums.absolute.tolist(), sums.signed.tolist(), fit


def test_a_state_begun_anew_is_the_one_that_was_lost() -> None:
    block = block_of_all()
    for events in range(1, len(HISTORY)):
        block.answer(model(), "labelled", HISTORY[:events], QUESTIONS)
    expected = told(block.answer(model(), "labelled", HISTORY, QUESTIONS))
    assert told(block_of_all().answer(model(), "labelled", HISTORY, QUESTIONS)) == expected
    travelled = pickle.loads(pickle.dumps(block))
    assert told(travelled.answer(model(), "labelled", HISTORY, QUESTIONS)) == expected


def test_a_question_about_what_was_before_is_answered() -> None:
    block = block_of_all()
    before = told(block.answer(model(), "labelled", HISTORY[:3], QUESTIONS))
    after = told(block.answer(model(), "labelled", HISTORY, QUESTIONS))
    assert before != after
    assert told(block.answer(model(), "labelled", HISTORY[:3], QUESTIONS)) == before


def test_another_ranking_begins_anew() -> None:
    block = block_of_all()
    first = told(block.answer(model(), "labelled", HISTORY, QUESTIONS))
    other = told(block.answer(model("other", "resubstitution"), "labelled", HISTORY, QUESTIONS))
    assert other != first
    assert told(block.answer(model(), "labelled", HISTORY, QUESTIONS)) == first


def test_a_side_without_rows_has_no_answer() -> None:
    assert block_of_all().answer(model(), "unlabelled", HISTORY[:1], (Question("fit"),)) is None


def test_rows_that_count_for_nothing_are_left_out() -> None:
    rows = CodedRows.sorted(np.array([1, 0, 1]), np.array([2, 0, 1]), np.array([[5, 6, 7]], dtype=np.uint8))
    assert (rows.labels.tolist(), rows.counts.tolist(), rows.codes.tolist()) == ([1, 1], [2, 1], [[5, 7]])


def test_active_features_follow_from_the_history() -> None:
    assert active_after(HISTORY).tolist() == [1, 3, 4]


def test_dask_is_told_of_the_memory_that_a_state_will_take() -> None:
    block = block_of_all()
    assert sys.getsizeof(block) >= block.labelled.codes.nbytes + 40 * 500
