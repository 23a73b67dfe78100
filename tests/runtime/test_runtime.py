"""What a run needs of the machine: files written whole, memory, threads and worker processes, and interrupts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

import probfs
from probfs.runtime import memory
from probfs.runtime.output import write_whole
from probfs.runtime.parallel import Workers, count_cores, map_in_threads, run_in_threads, split_range, using_cores
from probfs.runtime.progress import Progress, listening, report
from probfs.text import command_line_language, option
from tests.support.commands import PATIENCE
from tests.support.tables import Write
from workloads import weston


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_is_replaced_whole_through_its_symlink_and_keeps_its_mode(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(mode)
    link.symlink_to(real)
    modes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: modes.append(os.fstat(descriptor).st_mode & 0o777))
    write_whole(link, b"new")
    assert (real.read_text(), link.is_symlink(), real.stat().st_mode & 0o777) == ("new", True, mode)
    assert modes[0] & ~mode == 0, "what replaces a private file is private from the beginning"


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_is_what_the_umask_makes_of_it(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without setting it: another thread would create its files readable and writable for everybody meanwhile."""
    before, restore = os.umask(umask), os.umask
    try:
        monkeypatch.delattr(os, "umask")
        write_whole(tmp_path / "fresh.csv", b"x")
    finally:
        restore(before)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_failed_write_keeps_the_old_file_and_leaves_no_litter(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("r.csv", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(probfs.OutputError, match="no space left"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


# How much memory a process may take


@pytest.fixture
def control_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the control group that this process seems to be in."""
    read_lines = memory._read_lines

    def read(path: Path) -> list[str]:
        return ["12:cpu:/other", "0::/outer/inner"] if path == Path("/proc/self/cgroup") else read_lines(path)

    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_read_lines", read)
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    return inner


def test_the_limit_of_any_enclosing_control_group_counts_and_a_need_beyond_it_is_refused(control_group: Path) -> None:
    for name, content in (
        ("inner/memory.max", "max\n"),
        ("inner/memory.current", "500\n"),
        ("memory.max", "6000\n"),
        ("memory.current", "5000\n"),
    ):
        (control_group.parent / name).write_text(content)
    assert memory.free_memory() == 1000
    (control_group.parent / "memory.stat").write_text("anon 1\ninactive_file 1048\n")
    memory.require_memory(2048, "this table")
    with pytest.raises(probfs.DataError) as caught:
        memory.require_memory(2049, "this table", "d.csv")
    problem = "d.csv: this table needs about 2 KB of memory, and 2 KB is free"
    assert str(caught.value) == f"{problem}; rank fewer columns or rows at a time, or use a machine with more"


# Threads and worker processes


@pytest.mark.parametrize("place", [0, 1])
def test_all_calls_have_ended_when_run_returns_and_an_error_reaches_the_caller(place: int) -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    run_in_threads([partial(work, number) for number in range(5)])
    assert sorted(done) == [0, 1, 2, 3, 4]
    run_in_threads([])
    calls: list[Callable[[], object]] = [partial(work, 5), partial(work, 6)]
    calls[place] = partial(os.stat, "no such file")
    with pytest.raises(FileNotFoundError):
        run_in_threads(calls)


@pytest.mark.parametrize(
    ("cores", "items", "most", "parts"),
    [(2, 9, 10, [(0, 4), (4, 9)]), (4, 3, 9, [(0, 1), (1, 2), (2, 3)]), (2, 9, 0, [(0, 9)]), (2, 0, 5, [(0, 0)])],
)
def test_a_range_is_split_for_the_threads(
    cores: int, items: int, most: int, parts: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.usable_cores", lambda: 99)
    assert count_cores() == 16
    with using_cores(cores):
        assert split_range(items, most) == parts


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_order_and_tasks_are_not_made_too_early(threads: int) -> None:
    done: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(6):
            assert len(done) > number - threads - 1
            yield number

    def slowest_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        done.append(number)
        return 10 * number

    assert map_in_threads(slowest_first, tasks(), threads) == [0, 10, 20, 30, 40, 50]


def test_the_innermost_listener_hears_what_is_reported_meanwhile_also_from_threads() -> None:
    outer: list[Progress] = []
    inner: list[Progress] = []
    report("before")
    with listening(outer.append):
        report("first", 1, 2, "bytes")
        with contextlib.suppress(KeyError), listening(inner.append), command_line_language():
            # Messages that are made there are in the caller's language.
            map_in_threads(lambda name: report(option(name)), ["folds", "bins"], 2)
            raise KeyError
        report("third", 3)
    report("after")
    assert outer == [Progress("first", 1, 2, "bytes"), Progress("third", 3, None, "")]
    assert sorted(progress.stage for progress in inner) == ["--bins", "--folds"]


COUNT_MODELS = """
import sys

from probfs.cli import main
from probfs.cli.streams import Reporter
from probfs.runtime import parallel

# Every task but the first is for workers.
parallel.SECONDS_WORTH_WORKERS = 0
Reporter.hear = lambda self, progress: progress.unit == "models" and print("fitted", file=sys.stderr, flush=True)
main()
"""
"""The command, which writes a line whenever models have been fitted."""


def _all_gone(group: int) -> bool:
    """Whether no process of the group is left, or will be in a moment."""
    for _ in range(10 * PATIENCE):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("removal", ["retrain", pytest.param("permute", marks=pytest.mark.slow)])
def test_ctrl_c_ends_the_work_and_leaves_nothing(removal: str, tmp_path: Path) -> None:
    weston(500, 60).to_csv(tmp_path / "data.csv", index=False)
    options = f"--classifier svm --removal {removal} --no-screen --kernel rbf --jobs 2 --output out.csv"
    process = subprocess.Popen(
        [sys.executable, "-c", COUNT_MODELS, "rank", "data.csv", *options.split()],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    # The first models of a round are fitted in this process, and with retrain all others by workers.
    for _ in range(3):
        assert "fitted\n" in iter(process.stderr.readline, "")
    os.killpg(process.pid, signal.SIGINT)
    # The whole ranking takes far longer than any machine may need to end it.
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert stderr.replace("fitted\n", "") == "probfs: interrupted\n"
    assert os.listdir(tmp_path) == ["data.csv"]
    assert _all_gone(process.pid)


def test_a_killed_worker_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "_are_workers_worth_it", lambda self, tasks: True)
    with pytest.raises(probfs.DataError, match=r"a worker process was killed.*; use fewer with jobs=, or jobs=1"):
        # A function that workers need import nothing for.
        list(Workers(2, 4).run(os._exit, [1, 2, 3, 4]))


@pytest.mark.parametrize("seconds_worth_workers", [10.0, 0.0])
@pytest.mark.parametrize("filters", ["error", "ignore"])
def test_fits_that_warn_are_counted_wherever_they_run(
    seconds_worth_workers: float, filters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", seconds_worth_workers)
    hasty = LogisticRegression(max_iter=1, C=100.0)
    with warnings.catch_warnings():
        warnings.simplefilter(filters)  # type: ignore[arg-type]
        options = {"classifier": hasty, "folds": 3, "eliminate": False, "jobs": 2}
        ranking = probfs.rank(weston(60, 3), target="y", on_note=lambda note: None, **options)
    (note,) = [note for note in ranking.warnings if "warned" in note]
    assert note.startswith("3 of 3 fits warned: ConvergenceWarning: lbfgs failed to converge")


def test_rankings_in_several_threads_leave_filters_and_blas_alone() -> None:
    frame = weston(60, 3)

    def rank(classifier: str) -> str:
        return probfs.rank(frame, target="y", classifier=classifier, permutations=2, jobs=1).to_csv()

    # The first import of scikit-learn adds filters of its own and loads libraries.
    alone = [rank("logistic"), rank("svm")]
    before = list(warnings.filters), warnings.showwarning, _blas_threads()
    assert map_in_threads(rank, ["logistic", "svm"] * 2, 4) == alone * 2
    assert (list(warnings.filters), warnings.showwarning, _blas_threads()) == before


def _blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
