"""Who hears of progress: the innermost listener, also from threads of the pool."""

from __future__ import annotations

from probfs.runtime.parallel import in_threads
from probfs.runtime.progress import Progress, current_listener, listening, report


def test_the_innermost_listener_hears_what_is_reported_meanwhile() -> None:
    outer: list[Progress] = []
    inner: list[Progress] = []
    report("before")
    with listening(outer.append):
        report("first", 1, 2, "bytes")
        with listening(inner.append):
            report("second")
        report("third", 3)
    report("after")
    assert outer == [Progress("first", 1, 2, "bytes"), Progress("third", 3, None, "")]
    assert inner == [Progress("second", 0, None, "")]


def test_what_threads_of_the_pool_report_is_heard() -> None:
    heard: list[Progress] = []
    with listening(heard.append):
        in_threads(lambda number: report("working", number), [1, 2, 3], 2)
    assert sorted(progress.done for progress in heard) == [1, 2, 3]


def test_a_listener_is_gone_after_an_error() -> None:
    before = current_listener()
    try:
        with listening(lambda progress: None):
            raise KeyError
    except KeyError:
        pass
    assert current_listener() is before
