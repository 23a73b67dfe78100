"""How long a ranking takes, told before it begins if that is long, and again when its first models show otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable

from probfs.classifiers.refitting.fit_plan import FitPlan
from probfs.notes import Note, NoteKind
from probfs.text import counted, duration

LONG_SECONDS = 60.0
"""Rankings that take longer are announced."""
_FAR_OFF = 2.0
"""A forecast is corrected when it was wrong by this factor."""


class TimeForecast:
    """Tells how long all models of a plan take: at first by the plan alone, then by the models fitted so far.

    The plan knows how models of different rounds compare, so a few of them tell how long the others will take.
    """

    def __init__(
        self, plan: FitPlan, on_note: Callable[[Note], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._plan = plan
        self._on_note = on_note
        self._clock = clock
        self._told: float | None = None
        self._start: float | None = None
        self._first: tuple[float, float] | None = None
        """The effort of the first models, and how long they took."""
        self._next_look = 0.0

    def announce(self) -> None:
        """Tell how many models there will be, and how long they take where the plan knows, if that is long or the
        estimate is leave-one-out.
        """
        seconds = self._plan.seconds
        if self._plan.estimate == "loo" or (seconds is not None and seconds > LONG_SECONDS):
            which = f"leave-one-out with {self._plan.model}: " if self._plan.estimate == "loo" else ""
            models = counted(self._plan.models, "model")
            time_needed = "" if seconds is None else f", in about {duration(seconds)}"
            message = f"{which}{models} will be fitted{time_needed}; {self._plan.remedy}"
            self._on_note(NoteKind.TIME.note(message))
            self._told = seconds

    def start(self) -> None:
        """Take the time from now on, unless it is taken already."""
        if self._start is None:
            self._start = self._clock()

    def update(self, models: int) -> None:
        """Look at the clock after the first models, and whenever twice as much is done, and tell what has changed."""
        done = self._plan.effort(models)
        if self._start is None or done < self._next_look or models == self._plan.models:
            return
        self._next_look = 2 * done
        seconds = self._extrapolate(done, self._clock() - self._start)
        if self._is_news(seconds):
            remedy = f"; {self._plan.remedy}" if seconds > LONG_SECONDS else ""
            message = f"by the models fitted so far, the ranking takes about {duration(seconds)}{remedy}"
            self._on_note(NoteKind.TIME.note(message))
            self._told = seconds

    def _extrapolate(self, done: float, elapsed: float) -> float:
        """The seconds of the whole ranking, when models of some effort are done."""
        remaining = self._plan.effort(self._plan.models) - done
        if self._first is None:
            self._first = done, elapsed
            # The first models are fitted one at a time, before worker processes are started.
            return elapsed + remaining * elapsed / done / self._plan.parallel
        first_done, first_elapsed = self._first
        return elapsed + remaining * (elapsed - first_elapsed) / (done - first_done)

    def _is_news(self, seconds: float) -> bool:
        if self._told is None:
            return seconds > LONG_SECONDS
        long_enough = max(seconds, self._told) > LONG_SECONDS
        return long_enough and not self._told / _FAR_OFF < seconds < self._told * _FAR_OFF
