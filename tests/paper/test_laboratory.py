"""What every experiment is given."""

from __future__ import annotations

from probfs.paper.experiments.laboratory import Laboratory, portions


def test_portions_hold_every_run_once() -> None:
    assert [run for part in portions(53) for run in part] == list(range(53))


def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    Laboratory("test", 1, 0, 1, lambda done, total: seen.append((done, total))).each(abs, [1, -2, 3])
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
