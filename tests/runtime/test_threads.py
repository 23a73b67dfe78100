"""The pool of threads: errors, callers side by side, nesting, interrupts, contexts and copies of the process."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from probfs.runtime.threads import ThreadPool, thread_pool
from probfs.text import command_line_language, option
from tests.support.commands import PATIENCE


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def fail(message: str) -> None:
    raise ValueError(message)


# --- run ------------------------------------------------------------------------------------------------------------


def test_all_calls_have_ended_when_run_returns() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    ThreadPool(2).run([partial(work, number) for number in range(5)])
    assert sorted(done) == [0, 1, 2, 3, 4]
    ThreadPool(2).run([])


def test_two_callers_do_not_take_each_others_word_for_it() -> None:
    shared = ThreadPool(3)
    finished: list[bool] = []

    def caller(seconds: float) -> None:
        done = threading.Event()

        def slow() -> None:
            time.sleep(seconds)
            done.set()

        shared.run([lambda: None, slow])
        finished.append(done.is_set())

    callers = [threading.Thread(target=caller, args=(seconds,)) for seconds in (0.3, 0.05)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert finished == [True, True]


@pytest.mark.parametrize("failing", [[0], [1], [2], [0, 1, 2], [1, 2]])
def test_an_error_reaches_the_caller_once_all_calls_have_ended(failing: list[int]) -> None:
    pool = ThreadPool(2)
    ended: list[int] = []

    def work(number: int) -> None:
        if number in failing:
            fail(f"call {number}")
        time.sleep(0.05)
        ended.append(number)

    with pytest.raises(ValueError, match=f"call {failing[0]}"):
        pool.run([partial(work, number) for number in range(3)])
    assert sorted(ended) == sorted({0, 1, 2} - set(failing))
    pool.run([lambda: None, lambda: None])


def test_a_thread_that_would_exit_only_raises() -> None:
    with pytest.raises(SystemExit):
        ThreadPool(2).run([lambda: None, sys.exit])


def test_what_an_interrupt_leaves_behind_disturbs_nobody() -> None:
    shared = ThreadPool(2)
    end = threading.Event()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shared.run([interrupted, end.wait])
    late = threading.Event()

    def slow() -> None:
        time.sleep(0.1)
        late.set()

    shared.run([lambda: None, slow])
    assert late.is_set()
    end.set()


def test_calls_may_use_the_pool_themselves() -> None:
    """With threads of a fixed number, all of them would wait for one another."""
    pool = ThreadPool(1)
    done: list[int] = []

    def nest(depth: int) -> None:
        if depth:
            pool.run([lambda: nest(depth - 1), lambda: nest(depth - 1)])
        else:
            done.append(1)

    nest(4)
    assert len(done) == 16


def test_threads_are_kept_for_the_next_call_but_not_more_than_can_work() -> None:
    pool = ThreadPool(2)
    used: set[int] = set()
    for _ in range(20):
        pool.run([lambda: None, lambda: used.add(threading.get_ident())])
    assert len(used) == 1
    pool.run([lambda: time.sleep(0.02)] * 8)
    wait_until(lambda: len(pool._idle) == 2)


def test_what_a_call_worked_on_is_freed_while_threads_are_idle() -> None:
    class Array:
        pass

    pool = ThreadPool(2)
    array = Array()
    alive = weakref.ref(array)
    pool.run([lambda: None, lambda array=array: None])  # type: ignore[misc]
    list(pool.map_in_order(lambda item: None, [array], threads=1, ahead=1))
    del array

    def is_freed() -> bool:
        gc.collect()
        return alive() is None

    wait_until(is_freed)


# --- map_in_order ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("ahead", [1, 3, 100])
def test_results_come_in_the_order_of_the_tasks(threads: int, ahead: int) -> None:
    def work(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(thread_pool().map_in_order(work, range(12), threads, ahead)) == [n * n for n in range(12)]
    assert list(thread_pool().map_in_order(work, [], threads, ahead)) == []


def test_no_more_tasks_are_taken_than_asked_for() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in itertools.count():
            taken.append(number)
            yield number

    results = thread_pool().map_in_order(lambda number: number, tasks(), threads=2, ahead=3)
    assert next(results) == 0
    assert taken == [0, 1, 2]
    assert next(results) == 1
    assert taken == [0, 1, 2, 3]
    results.close()  # type: ignore[attr-defined]  # a generator


def test_while_the_caller_is_busy_threads_go_on() -> None:
    done: list[int] = []
    results = thread_pool().map_in_order(done.append, range(5), threads=1, ahead=4)
    next(results)
    wait_until(lambda: len(done) == 4)
    list(results)


def test_an_error_takes_the_place_of_its_result() -> None:
    def work(number: int) -> int:
        return number if number < 3 else 1 // 0

    results = thread_pool().map_in_order(work, range(9), threads=2, ahead=4)
    assert list(itertools.islice(results, 3)) == [0, 1, 2]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_tasks_that_nobody_waits_for_any_more_are_not_begun() -> None:
    pool = ThreadPool(2)
    begun: list[int] = []
    gate = threading.Event()

    def work(number: int) -> None:
        begun.append(number)
        if number:
            gate.wait()

    results = pool.map_in_order(work, range(50), threads=2, ahead=50)
    next(results)
    wait_until(lambda: len(begun) == 3)
    results.close()  # type: ignore[attr-defined]  # a generator
    gate.set()
    wait_until(lambda: len(pool._idle) == 2)
    assert begun == [0, 1, 2]


# --- contexts and processes -----------------------------------------------------------------------------------------


def test_threads_speak_the_language_of_their_caller() -> None:
    pool = ThreadPool(2)
    said: list[str] = []
    with command_line_language():
        pool.run([lambda: None, lambda: said.append(option("exclude"))])
        said += pool.map_in_order(lambda name: option(name), ["folds"], threads=1, ahead=1)
    pool.run([lambda: None, lambda: said.append(option("exclude"))])
    assert said == ["--exclude", "--folds", "exclude="]


def _work_in_a_copy() -> None:
    thread_pool().run([lambda: None, lambda: None, lambda: None])


@pytest.mark.skipif(sys.platform != "linux", reason="only where processes are copied")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_copy_of_the_process_has_threads_of_its_own() -> None:
    _work_in_a_copy()
    copy = multiprocessing.get_context("fork").Process(target=_work_in_a_copy)
    copy.start()
    copy.join(PATIENCE)
    assert copy.exitcode == 0
