"""Models of estimators are counted; how long they take, only the first of them tell."""

from __future__ import annotations

from probfs.classifiers.estimators.fit_plan import EstimatorFitPlan
from probfs.classifiers.refitting.time_forecast import TimeForecast

PLAN = EstimatorFitPlan("permute", "cv", splits=3, rounds=(8, 4, 1), jobs=2, name="the forest")


def test_a_long_ranking_is_told_after_its_first_model_and_not_before() -> None:
    notes: list[str] = []
    now = 100.0
    forecast = TimeForecast(PLAN, notes.append, lambda: now)
    forecast.announce()
    forecast.start()
    assert notes == []
    assert PLAN.models == 9
    now += 90.0
    forecast.update(1)
    # Nine units of effort took 90 s, alone; the others are shared by two.
    remaining = (2 * 9 + 3 * 5 + 3 * 2) * 10 / 2
    minutes = round((90 + remaining) / 60)
    assert notes == [
        f"by the models fitted so far, the ranking takes about {minutes} minutes; a larger step= takes less"
    ]


def test_leave_one_out_is_announced_without_a_time() -> None:
    notes: list[str] = []
    plan = EstimatorFitPlan("retrain", "loo", splits=30, rounds=(2, 1), jobs=2, name="the forest")
    TimeForecast(plan, notes.append).announce()
    assert notes == [
        'leave-one-out with the forest: 150 models will be fitted; estimate="cv" takes less',
    ]
