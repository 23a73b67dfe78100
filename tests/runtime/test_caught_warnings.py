"""Warnings of fits are collected, and those of the rest of the program, its filters too, are left alone."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.runtime.caught_warnings import collect_warnings, dispatch_warnings
from probfs.runtime.processes import in_threads, run_interruptibly


def warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=1)


def collect(texts: list[str]) -> list[str]:
    with collect_warnings() as caught:
        in_threads(warn, texts, 2)
    assert {own.category for own in caught} <= {UserWarning}
    return sorted(own.message for own in caught)


@pytest.mark.parametrize("action", ["error", "ignore", "default"])
def test_warnings_of_a_task_and_its_threads_are_collected_whatever_the_filters(action: Any) -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter(action)
        for _ in range(2):
            assert run_interruptibly(collect, ["one", "two", "two"]) == ["one", "two", "two"]
    assert shown == []


def test_warnings_of_others_go_where_they_went() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with dispatch_warnings:
            warn("own")
            thread = threading.Thread(target=warn, args=("another thread's",))
            thread.start()
            thread.join()
    assert [str(own.message) for own in shown] == ["own", "another thread's"]
    with dispatch_warnings, pytest.raises(UserWarning, match="strict"):
        warn("strict")


def test_filters_are_as_before_after_several_threads() -> None:
    before, show = list(warnings.filters), warnings.showwarning

    def work(number: int) -> None:
        for _ in range(30):
            run_interruptibly(collect, [str(number)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before
    assert warnings.showwarning is show


def test_filters_are_as_before_even_if_a_fit_empties_them() -> None:
    before = list(warnings.filters)
    with dispatch_warnings:
        warnings.resetwarnings()
    assert list(warnings.filters) == before


def test_rankings_in_several_threads_leave_filters_alone() -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(60, 2)), columns=["a", "b"]).assign(y=["n", "p"] * 30)

    def work() -> None:
        probfs.rank(frame, target="y", classifier="logistic", permutations=2, folds=3, jobs=1)

    # The first imports scikit-learn, which adds filters of its own.
    work()
    before = list(warnings.filters)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


def test_ctrl_c_leaves_filters_alone_and_an_abandoned_task_does_not_touch_them_later() -> None:
    leaving, left = threading.Event(), threading.Event()

    def wait(_: None) -> None:
        try:
            with collect_warnings(), warnings.catch_warnings():
                leaving.wait(10)
        finally:
            left.set()

    before, show = list(warnings.filters), warnings.showwarning
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(wait, None)
    assert time.monotonic() - start < 5
    assert list(warnings.filters) == before
    assert warnings.showwarning is show
    leaving.set()
    assert left.wait(5)
    try:
        # The task restored what it had found; that has to be harmless.
        assert list(warnings.filters) == before
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            warn("seen")
        assert [str(own.message) for own in shown] == ["seen"]
    finally:
        warnings.showwarning = show
