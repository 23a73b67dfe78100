"""The list of experiments and of problems, from which help is made."""

from __future__ import annotations

import importlib
import inspect

import pytest

from probfs.paper import synthetic
from probfs.paper.catalogue import EXPERIMENTS, PROBLEMS, SAMPLINGS, Experiment


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_planned_and_says_what_it_is(name: str) -> None:
    module = importlib.import_module(f"probfs.paper.experiments.{EXPERIMENTS[name].module}")
    assert module.__doc__
    plan = EXPERIMENTS[name]
    assert plan.quick <= plan.runs


def test_what_is_random_is_repeated_as_often_as_asked() -> None:
    for experiment, repetitions in ((Experiment("m", 500, 20), [500, 20, 7]), (Experiment("m"), [1, 1, 1])):
        asked = ((None, False), (None, True), (7, False))
        assert [experiment.repetitions(runs, quick) for runs, quick in asked] == repetitions


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_is_drawn_with_its_defaults(problem: str) -> None:
    labelled, unlabelled = synthetic.draw_sample(problem, 10, 4, 0, PROBLEMS[problem])
    assert (labelled.rows, unlabelled.rows) == (10, 4)
    assert list(labelled.columns) == list(unlabelled.columns)


def test_the_ways_of_sampling_are_those_of_the_nominal_problem() -> None:
    assert PROBLEMS["nominal"]["sampling"] == SAMPLINGS[0]
    assert inspect.signature(synthetic.nominal).parameters["sampling"].default == SAMPLINGS[0]
    for sampling in SAMPLINGS:
        assert synthetic.draw_sample("nominal", 5, 0, 0, {"sampling": sampling})[0].rows == 5
