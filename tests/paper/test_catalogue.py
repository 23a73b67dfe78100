"""The list of experiments."""

from __future__ import annotations

import importlib

import pytest

from probfs.paper.catalogue import EXPERIMENTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_planned_and_says_what_it_is(name: str) -> None:
    module = importlib.import_module(f"probfs.paper.experiments.{EXPERIMENTS[name].module}")
    assert module.__doc__
    plan = EXPERIMENTS[name]
    assert plan.quick <= plan.runs
