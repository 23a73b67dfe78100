"""Threads: all calls have ended, errors reach the caller, results come in order, contexts and listeners remain."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterator
from functools import partial

import pytest

from probfs.runtime.parallel import count_cores, map_ahead, run_in_threads, split_range, using_cores
from probfs.runtime.progress import Progress, listening, report
from probfs.text import command_line_language, option


def fail(message: str) -> None:
    raise ValueError(message)


@pytest.mark.parametrize("place", [0, 1])
def test_an_error_reaches_the_caller(place: int) -> None:
    calls = [lambda: None, lambda: None]
    calls[place] = partial(fail, "broken")
    with pytest.raises(ValueError, match="broken"):
        run_in_threads(calls)


@pytest.mark.parametrize(
    ("cores", "items", "most", "parts"),
    [(2, 9, 10, [(0, 4), (4, 9)]), (4, 3, 9, [(0, 1), (1, 2), (2, 3)]), (2, 9, 0, [(0, 9)]), (2, 0, 5, [(0, 0)])],
)
def test_a_range_is_split_for_the_threads(cores: int, items: int, most: int, parts: list[tuple[int, int]]) -> None:
    with using_cores(cores):
        assert count_cores() <= cores
        if count_cores() == cores:
            assert split_range(items, most) == parts


def test_results_come_in_order_and_tasks_are_not_taken_too_early() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(6):
            taken.append(number)
            yield number

    def slowest_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        return 10 * number

    results = map_ahead(slowest_first, tasks(), threads=2, ahead=3)
    assert next(results) == 0
    assert taken == [0, 1, 2]
    assert list(results) == [10, 20, 30, 40, 50]


def test_an_error_takes_the_place_of_its_result() -> None:
    results = map_ahead(lambda number: 1 // number, [1, 0, 1], threads=2, ahead=2)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_messages_made_in_threads_are_in_the_callers_language() -> None:
    with command_line_language():
        assert list(map_ahead(option, ["folds", "bins"], threads=2)) == ["--folds", "--bins"]
    assert list(map_ahead(option, ["folds", "bins"], threads=2)) == ["folds=", "bins="]


def test_all_calls_have_ended_when_run_returns() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    run_in_threads([partial(work, number) for number in range(5)])
    assert sorted(done) == [0, 1, 2, 3, 4]
    run_in_threads([])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    run = test_all_calls_have_ended_when_run_returns
    run()
    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(60)
    assert child.exitcode == 0


def test_the_innermost_listener_hears_what_is_reported_meanwhile_also_from_threads() -> None:
    outer: list[Progress] = []
    inner: list[Progress] = []
    report("before")
    with listening(outer.append):
        report("first", 1, 2, "bytes")
        with contextlib.suppress(KeyError), listening(inner.append):
            list(map_ahead(lambda number: report("second", number), [1, 2, 3], 2))
            raise KeyError
        report("third", 3)
    report("after")
    assert outer == [Progress("first", 1, 2, "bytes"), Progress("third", 3, None, "")]
    assert sorted(progress.done for progress in inner) == [1, 2, 3]
