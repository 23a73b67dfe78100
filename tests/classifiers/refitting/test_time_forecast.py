"""How long a ranking takes is extrapolated from its first models; the clock is a fake one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probfs.classifiers.refitting.time_forecast import TimeForecast
from probfs.classifiers.svm.fit_plan import SvmFitPlan

QUICK = SvmFitPlan(
    "permute",
    "resubstitution",
    splits=1,
    classes=2,
    labelled_rows=1000,
    rounds=(8, 4, 2, 1),
    jobs=4,
    kernel="rbf",
    columns_per_feature=1,
)
LONG = replace(QUICK, labelled_rows=20_000)
OFFER = 'a larger step=, kernel="linear" or fewer rows take less'


class Story:
    """A ranking under a fake clock, and what its user is told."""

    def __init__(self, plan: SvmFitPlan) -> None:
        self.plan = plan
        self.now = 1000.0
        self.notes: list[str] = []
        self.forecast = TimeForecast(plan, self.notes.append, lambda: self.now)
        self.forecast.announce()
        self.forecast.start()

    def fit(self, models: int, slowness: float) -> None:
        """Let the clock run until one more model is fitted, so many times as slow as the plan expects."""
        self.now += slowness * (self.plan.effort(models) - self.plan.effort(models - 1))
        self.forecast.update(models)


def test_a_quick_ranking_is_told_nothing() -> None:
    story = Story(QUICK)
    for models in range(1, 5):
        story.fit(models, 1.0)
    assert story.notes == []


def test_a_long_ranking_is_announced_and_not_repeated_while_it_holds() -> None:
    story = Story(LONG)
    minutes = round(LONG.seconds / 60)
    assert story.notes == [f"4 models will be fitted, in about {minutes} minutes; {OFFER}"]
    for models in range(1, 5):
        story.fit(models, 1.5)
    assert len(story.notes) == 1


@pytest.mark.parametrize("slowness", [0.1, 3.0])
def test_an_announcement_far_off_is_corrected_after_the_first_model(slowness: float) -> None:
    story = Story(LONG)
    story.fit(1, slowness)
    seconds = LONG.seconds * slowness
    time = f"{round(seconds)} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
    offer = f"; {OFFER}" if seconds > 60 else ""
    assert story.notes[1:] == [f"by the models fitted so far, the ranking takes about {time}{offer}"]
    story.fit(2, slowness)
    assert len(story.notes) == 2


def test_a_ranking_that_turns_out_long_is_told_as_soon_as_the_first_model_is_fitted() -> None:
    story = Story(QUICK)
    story.fit(1, 500)
    minutes = round(QUICK.seconds * 500 / 60)
    assert story.notes == [f"by the models fitted so far, the ranking takes about {minutes} minutes; {OFFER}"]


def test_later_models_that_take_much_longer_are_told_too() -> None:
    many = replace(LONG, rounds=range(40, 0, -1))
    story = Story(many)
    for models in range(1, 20):
        story.fit(models, 1.0 if models == 1 else 3.0)
    assert len(story.notes) == 2
    total = many.effort(1) + 3 * (many.effort(40) - many.effort(1))
    assert f"about {round(total / 60)} minutes" in story.notes[1]


def test_models_after_the_first_are_fitted_in_parallel() -> None:
    """The first model is fitted alone; the others share the cores, and the forecast expects that."""
    cv = replace(LONG, estimate="cv", splits=10)
    story = Story(cv)
    story.fit(1, 1.0)
    for models in range(2, 20):
        story.fit(models, 0.25)
    assert len(story.notes) == 1


def test_the_last_model_leaves_nothing_to_tell() -> None:
    story = Story(replace(QUICK, rounds=(8,)))
    story.fit(1, 10_000)
    assert story.notes == []
