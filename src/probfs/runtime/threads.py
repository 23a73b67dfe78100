"""One pool of threads for the whole program: compiled loops, long fits and blocks of a file all run in it.

Three hazards shape it:

* Ctrl-C may arrive at any moment, also while the main thread waits for results. So nobody ever joins a thread or closes
  the pool: threads are daemons, what they still work on is abandoned, and each task keeps alive what it works on.
* Tasks may themselves use the pool, and abandoned tasks may take minutes. So the pool has no fixed size: a task gets an
  idle thread or a new one, and never waits for another task to end.
* A forked process inherits the pool but not its threads. So it gets a pool of its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import cache, partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Call = Callable[[], object]

MAX_CORES = 16
"""Beyond this many threads, loops over a table in memory gain nothing."""


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What a call returned, or the error that it raised."""

    value: Result | None = None
    error: BaseException | None = None

    @classmethod
    def of(cls, call: Callable[[], Result]) -> Outcome[Result]:
        try:
            return cls(call())
        except BaseException as error:  # handed on to whoever waits for the call
            return cls(error=error)

    def result(self) -> Result:
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # without an error there is a value


_TaskQueue = SimpleQueue[tuple[Task, SimpleQueue[Outcome[Result]]] | None]
_Inbox = SimpleQueue[tuple[Call, Callable[[Outcome[Any]], None]]]


_most_cores: ContextVar[int | None] = ContextVar("_most_cores", default=None)


@contextlib.contextmanager
def using_cores(most: int) -> Iterator[None]:
    """Use no more threads than this meanwhile, in this thread: others use the rest of the cores."""
    token = _most_cores.set(most)
    try:
        yield
    finally:
        _most_cores.reset(token)


class ThreadPool:
    """Daemon threads that are kept for the next task: a round of elimination may take less time than starting one."""

    def __init__(self, cores: int) -> None:
        """``cores`` is how many threads can work at the same time, and so how many idle ones are worth keeping."""
        self._cores = cores
        self._idle: list[_Inbox] = []

    @property
    def cores(self) -> int:
        """How many threads the caller may use at the same time."""
        most = _most_cores.get()
        return self._cores if most is None else min(most, self._cores)

    def run(self, calls: Sequence[Call]) -> None:
        """Make all calls, the first of them in the caller's thread, and return when the last has ended.

        If calls raise, the error of the earliest one in the list is raised, once all have ended. Ctrl-C does not wait
        for them: whatever a call works on must be kept alive by the call itself.
        """
        if len(calls) == 1:
            calls[0]()
            return
        outcomes = [self._submit(call) for call in calls[1:]]
        errors: list[BaseException | None] = []
        for call in calls[:1]:
            try:
                call()
            except Exception as error:  # raised below, after the other calls
                errors.append(error)
        errors += [outcome.get().error for outcome in outcomes]
        for first in errors:
            if first is not None:
                raise first

    def map_in_order(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], threads: int, ahead: int
    ) -> Iterator[Result]:
        """The results of ``work``, in the order of the tasks, computed by some threads while the caller uses earlier
        results. At most ``ahead`` tasks are taken from the iterable before their results are asked for.

        An error is raised in place of the result of its task. Tasks that no thread has begun by then, or when the
        caller is interrupted or stops iterating, are never begun.
        """
        queue: _TaskQueue[Task, Result] = SimpleQueue()
        waiting: deque[SimpleQueue[Outcome[Result]]] = deque()
        try:
            for _ in range(threads):
                self._submit(partial(_serve, work, queue))
            for task in tasks:
                waiting.append(SimpleQueue())
                queue.put((task, waiting[-1]))
                if len(waiting) >= ahead:
                    yield waiting.popleft().get().result()
            while waiting:
                yield waiting.popleft().get().result()
        finally:
            with contextlib.suppress(Empty):
                while True:
                    queue.get_nowait()
            for _ in range(threads):
                queue.put(None)

    def _submit(self, call: Callable[[], Result]) -> SimpleQueue[Outcome[Result]]:
        """Hand a call to an idle thread or a new one; its outcome will be the queue's only item.

        The call runs in a copy of the caller's context, so that messages made there are in the same language.
        """
        try:
            inbox = self._idle.pop()
        except IndexError:
            inbox = SimpleQueue()
            threading.Thread(target=self._work, args=(inbox,), daemon=True).start()
        outcome: SimpleQueue[Outcome[Result]] = SimpleQueue()
        inbox.put((partial(copy_context().run, call), outcome.put))
        return outcome

    def _work(self, inbox: _Inbox) -> None:
        kept = True
        while kept:
            call, deliver = inbox.get()
            outcome = Outcome.of(call)
            kept = len(self._idle) < self.cores
            if kept:
                # Before the outcome is delivered: the caller may have its next task ready at once.
                self._idle.append(inbox)
            deliver(outcome)
            # While the thread is idle it must not keep alive what the call worked on.
            del call, deliver, outcome


def _serve(work: Callable[[Task], Result], queue: _TaskQueue[Task, Result]) -> None:
    """Work on tasks until there is a None in the queue."""
    while (item := queue.get()) is not None:
        task, outcome = item
        outcome.put(Outcome.of(partial(work, task)))
        del item, task, outcome


@cache
def thread_pool() -> ThreadPool:
    """The pool of this process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPool(min(cores, MAX_CORES))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=thread_pool.cache_clear)
