"""The solver follows the shape of the table, and rankings do not follow the solver."""

from __future__ import annotations

import pytest

import probfs
from probfs.classifiers.options import KernelName
from probfs.classifiers.svm.linear_svc import LinearSvc
from probfs.classifiers.svm.platt_scaling import SvcInput
from probfs.classifiers.svm.solver import Solver, choose_solver
from tests.support.svm_tables import weston


@pytest.mark.parametrize(
    ("kernel", "rows", "columns", "expected"),
    [
        ("linear", 1_000, 5, Solver.KERNEL_MATRIX),
        ("linear", 1_001, 50, Solver.INTERIOR_POINT),
        ("linear", 1_001, 51, Solver.KERNEL_MATRIX),
        ("linear", 20_000, 50, Solver.INTERIOR_POINT),
        ("linear", 20_000, 1_001, Solver.KERNEL_ON_DEMAND),
        ("rbf", 2_000, 5, Solver.KERNEL_MATRIX),
        ("rbf", 2_001, 5, Solver.KERNEL_ON_DEMAND),
        ("rbf", 5_000, 251, Solver.KERNEL_MATRIX),
        ("rbf", 5_001, 2_000, Solver.KERNEL_ON_DEMAND),
    ],
)
def test_the_shape_of_the_table_decides(kernel: KernelName, rows: int, columns: int, expected: Solver) -> None:
    assert choose_solver(kernel, rows, columns) is expected


@pytest.mark.parametrize("options", [{}, {"estimate": "cv", "folds": 3}, {"removal": "retrain", "step": 0.5}])
def test_both_solvers_give_the_same_ranking(options: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """LIBSVM's usual tolerance leaves the order of noise columns to chance, so a thousandth of it is used here."""
    monkeypatch.setattr("probfs.classifiers.svm.platt_scaling.TOLERANCE", 1e-6)
    frame = weston(400, 12)
    by_libsvm = probfs.rank(frame, target="y", classifier="svm", jobs=1, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("probfs.classifiers.svm.solver._FEW_ROWS_LINEAR", 0)
    by_interior_point = probfs.rank(frame, target="y", classifier="svm", jobs=1, **options)  # type: ignore[arg-type]
    assert by_libsvm != by_interior_point
    assert [own.feature for own in by_libsvm.features] == [own.feature for own in by_interior_point.features]
    for own, other in zip(by_libsvm.features, by_interior_point.features, strict=True):
        assert (own.s_s, own.s_a) == pytest.approx((other.s_s, other.s_a), abs=1e-4)
        assert (own.initial_s_s, own.initial_s_a) == pytest.approx((other.initial_s_s, other.initial_s_a), abs=1e-4)


@pytest.mark.parametrize(
    ("options", "rows_per_column", "solver"),
    [
        ({"removal": "retrain"}, 34, Solver.KERNEL_MATRIX),
        ({"estimate": "cv", "folds": 3}, 33, Solver.INTERIOR_POINT),
        ({"estimate": "cv", "folds": 3, "removal": "retrain"}, 33, Solver.INTERIOR_POINT),
    ],
)
def test_all_models_of_a_round_have_the_solver_of_the_full_one(
    options: dict[str, object], rows_per_column: int, solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 rows have 33.3 for each of 6 columns, without a column 40, and without a third of the rows 22."""
    monkeypatch.setattr("probfs.classifiers.svm.solver._FEW_ROWS_LINEAR", 0)
    monkeypatch.setattr("probfs.classifiers.svm.solver._ROWS_PER_COLUMN", rows_per_column)
    made = []
    make_svc = SvcInput.make_svc

    def noted(svc_input: SvcInput, cost: float) -> object:
        svc = make_svc(svc_input, cost)
        made.append(type(svc))
        return svc

    monkeypatch.setattr(SvcInput, "make_svc", noted)
    probfs.rank(weston(200, 6), target="y", classifier="svm", eliminate=False, jobs=1, **options)  # type: ignore[arg-type]
    assert len(made) > 3
    assert {issubclass(own, LinearSvc) for own in made} == {solver is Solver.INTERIOR_POINT}


def test_fits_that_do_not_converge_are_counted_and_noted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.svm.solver._FEW_ROWS_LINEAR", 0)
    monkeypatch.setattr("probfs.classifiers.svm.interior_point.MOST_STEPS", 2)
    notes: list[str] = []
    probfs.rank(weston(200, 3), target="y", classifier="svm", jobs=1, on_note=notes.append)
    assert [note for note in notes if "converge" in note] == [
        "3 of 3 fits did not converge, so their scores are rough; a smaller C= or count= would help"
    ]


def test_the_order_of_rows_does_not_change_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.svm.solver._FEW_ROWS_LINEAR", 0)
    frame = weston(200, 4)
    shuffled = frame.sample(frac=1, random_state=1)
    first, second = (probfs.rank(own, target="y", classifier="svm", jobs=1).to_csv() for own in (frame, shuffled))
    assert first == second
