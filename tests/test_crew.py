"""Threads that stay: callers side by side, interrupts, and copies of the process."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time

import pytest

from probfs.runtime.threads import Crew, crew


def test_two_callers_do_not_take_each_others_word_for_it() -> None:
    shared = Crew(3)
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


def test_what_an_interrupt_leaves_behind_disturbs_nobody() -> None:
    shared = Crew(2)

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shared.run([interrupted, lambda: time.sleep(0.1)])
    late = threading.Event()

    def slow() -> None:
        time.sleep(0.2)
        late.set()

    shared.run([lambda: None, slow])
    assert late.is_set()


def _work_in_a_copy() -> None:
    crew().run([lambda: None, lambda: None, lambda: None])


@pytest.mark.skipif(sys.platform != "linux", reason="only where processes are copied")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_copy_of_the_process_has_threads_of_its_own() -> None:
    _work_in_a_copy()
    copy = multiprocessing.get_context("fork").Process(target=_work_in_a_copy)
    copy.start()
    copy.join(30)
    assert copy.exitcode == 0
