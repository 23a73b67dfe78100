"""Every kind of note, as it comes up: a small table, or call, for each."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.cli import run as run_command
from probfs.cli.streams import Reporter
from probfs.notes import Note, NoteKind
from probfs.runtime.progress import COMPILING, Progress
from tests.support import SAMPLES
from tests.support.clusters import InProcessCluster, connect_here
from tests.support.datasets import fit_naive_bayes, random_dataset
from tests.support.tables import Write, workbook_bytes

COMMUTE = SAMPLES / "commute.csv"
ROWS = 24
CLASSES = ["p", "q"] * (ROWS // 2)


class Stage:
    """Where notes come up: files, changes to the program, and whoever listens."""

    def __init__(self, write: Write, patch: pytest.MonkeyPatch) -> None:
        self.write, self.patch, self.heard = write, patch, list[Note]()

    def rank(self, data: Any, target: str | None = "y", **options: Any) -> None:
        probfs.rank(data, target=target, on_note=self.heard.append, **options)

    def rank_text(self, name: str, content: str | bytes, **options: Any) -> None:
        self.rank(self.write(name, content), **options)

    def select(self, data: Any, **options: Any) -> None:
        probfs.select(data, target="y", on_note=self.heard.append, **options)

    def compare(self, old: probfs.Ranking, new: Any, **options: Any) -> None:
        probfs.compare(old, new, on_note=self.heard.append, **options)

    def fit_selector(self, frame: pd.DataFrame, **parameters: Any) -> None:
        """Fit a selector, whose warnings are notes."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            probfs.ProbabilisticSelector(**parameters).fit(frame.drop(columns="y"), frame["y"])
        self.heard += [own.message.args[0] for own in caught if isinstance(own.message, probfs.ProbfsWarning)]

    def run(self, *words: object) -> None:
        self.patch.setattr(Reporter, "note", lambda reporter, note: self.heard.append(note))
        assert run_command([str(word) for word in words]) == 0


def make_frame(**columns: Any) -> pd.DataFrame:
    """A plain column, others, and the target."""
    plain = [["u", "v", "w"][place * place % 3] for place in range(ROWS)]
    return pd.DataFrame({"plain": plain, **columns, "y": CLASSES})


def numbers(seed: int = 0, rows: int = ROWS) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(size=rows).round(3)


def noise(rows: int = 60) -> pd.DataFrame:
    cells = {name: numbers(seed, rows) for seed, name in enumerate("abc", 1)}
    return pd.DataFrame({**cells, "y": ["p", "q"] * (rows // 2)})


def csv_with_missing_that_tells() -> str:
    chance = random.Random(0)
    rows = [(chance.choice("AB") if place % 2 else "", chance.choice("uv"), "pq"[place % 2]) for place in range(40)]
    return "".join(f"{','.join(row)}\n" for row in [("boat", "b", "y"), *rows])


def csv_of(cells: list[str]) -> str:
    rows = "".join(f'"{cell}",{"uv"[place % 3 == 0]},{CLASSES[place]}\n' for place, cell in enumerate(cells))
    return f"a,b,y\n{rows}"


def arff_of(attribute: str, cell: str, weight: str = "") -> str:
    rows = "".join(f"{cell},{'uv'[place % 2]}{weight}\n" for place in range(4))
    return f"@relation r\n@attribute a {attribute}\n@attribute y {{u,v}}\n@data\n{rows}"


def _counted_once(stage: Stage) -> None:
    frame = make_frame(n=1)
    stage.rank(frame, count="n", unlabeled=frame.drop(columns=["n", "y"]))


def _refused(stage: Stage) -> None:
    mapping = stage.write("m.toml", '[columns]\nb = "numeric"\n')
    stage.run("inspect", stage.write("t.csv", csv_of(["x", "z"] * 4)), "--mapping", mapping)


def _compiling(stage: Stage) -> None:
    stage.patch.setattr(Reporter, "note", lambda reporter, note: stage.heard.append(note))
    Reporter(0, None).hear(Progress(COMPILING))


def _not_compiled(stage: Stage) -> None:
    stage.patch.setattr("probfs.classifiers.compiling.why_not_compiled", lambda: "no compiler")
    stage.heard += fit_naive_bayes(random_dataset(60, 3, 3, 2, seed=0), "loo", 3, 1.0, 0, compiled=True).notes


def _sigmoid(stage: Stage) -> None:
    for seed in range(3):
        cells = np.random.default_rng(seed).normal(size=(24, 6))
        frame = pd.DataFrame(cells, columns=list("abcdef")).assign(y=CLASSES)
        stage.rank(frame, classifier="svm", removal="retrain", eliminate=False, jobs=1)


def _patched(changes: dict[str, Any], data: Callable[[], Any], **options: Any) -> Callable[[Stage], None]:
    """A ranking with other constants of the package."""

    def situation(stage: Stage) -> None:
        for name, value in changes.items():
            stage.patch.setattr(f"probfs.{name}", value)
        stage.rank(data(), **options)

    return situation


def _ranked(data: Callable[[], Any], **options: Any) -> Callable[[Stage], None]:
    return _patched({}, data, **options)


def _spilled(stage: Stage) -> None:
    stage.patch.setattr("probfs.cluster.connection.connect", connect_here)
    stage.patch.setattr(InProcessCluster, "limit", 100)
    stage.rank(stage.write("t.csv", make_frame().to_csv(index=False)), engine="dask")


def _compare(stage: Stage) -> None:
    stage.compare(probfs.rank(COMMUTE, target="mode").top(3), COMMUTE, top=99)


def _difference(stage: Stage) -> None:
    stage.compare(*(probfs.rank(COMMUTE, target="mode", score=score) for score in ("signed", "absolute")))


def _reproduce(stage: Stage) -> None:
    stage.run("reproduce", "bound", "--runs", 2, "--output", stage.write("x", "").parent / "paper")


LATE = pd.concat([make_frame(late=["yes" if own == "p" else "no" for own in CLASSES])] * 3, ignore_index=True)
FEW_SUBJECTS = {"classifiers.naive_bayes.classifier._MOST_CELLS_LEFT_OUT": 1}
FEW_ROWS = {
    "classifiers.refitting.svm.MOST_ROWS_OF_SVC": 0,
    "classifiers.refitting.svm.MOST_LINEAR_ITERATIONS": 2,
}
ONE_HOT = {name: [int(place % 3 == own) for place in range(ROWS)] for own, name in enumerate(("s_a", "s_b", "s_c"))}
LATE_CLASS = {"x": numbers(rows=60), "when": range(60), "y": ["p", "q"] * 25 + ["r"] * 10}
TWO_SHEETS = [["a", "y"], *([["u", "p"], ["v", "q"]] * 2)], [["b"]]

CSV_FILES: dict[NoteKind, tuple[str | bytes, tuple[str, ...]]] = {
    NoteKind.DELIMITER: ("a;y\nu;p\nv;q\nu;p\nw;q\n", ()),
    NoteKind.ROW_INDEX: (",a,y\n0,u,p\n1,v,q\n2,u,p\n3,v,q\n", ("",)),
    NoteKind.UNNAMED_COLUMNS: ("a,,y\nu,s,p\nv,t,q\nu,s,p\nv,s,q\n", ("column 2",)),
    NoteKind.EQUAL_NAMES: ("a,a,y\nu,s,p\nv,t,q\nu,s,p\nv,s,q\n", ("a.1",)),
    NoteKind.TITLES: ("Report\na,b,y\nu,s,p\nv,t,q\nu,s,p\nv,s,q\n", ()),
    NoteKind.BLANK_ROWS: ("a,b,y\nu,s,p\nv,t,q\n,,\nu,s,p\nv,s,q\n,,\n", ()),
    NoteKind.NO_HEADER: ("7,y\n3,p\n4,q\n3,p\n4,q\n", ()),
    NoteKind.ENCODING: ("ä,y\nü,p\nv,q\nü,p\nv,q\n".encode("cp1252"), ()),
    NoteKind.NUMBER_STYLE: (csv_of(["$1.5", "$2", "$3"] * 4), ("a",)),
    NoteKind.MAY_BE_NUMBERS: (csv_of(["1,234", "2", "3"] * 4), ("a",)),
    NoteKind.MAY_BE_THOUSANDS: (csv_of(["1.234", "2", "3"] * 4), ("a",)),
    NoteKind.DATE_STYLE: (csv_of([f"{day}.01.2024" for day in range(1, ROWS)]), ("a",)),
    NoteKind.MAY_BE_DATES: (csv_of([f"{day % 12 + 1}/{day // 12 + 1}/24" for day in range(ROWS)]), ("a",)),
    NoteKind.MERGED_VALUES: (csv_of(["u", "u ", "v"] * 4), ("a",)),
    NoteKind.MIXED_CASE: (csv_of(["u", "U", "v"] * 4), ("a",)),
    NoteKind.NEARLY_NUMBERS: (csv_of([*(f"{place % 20}.5" for place in range(ROWS - 1)), "x"]), ("a",)),
    NoteKind.MISSING_TEXTS: (csv_of(["1", "2", "3", "NA"] * 4), ("a",)),
    NoteKind.MAY_BE_MISSING: (csv_of(["u", "v", "NA"] * 4), ("a",)),
    NoteKind.MISSING_CELLS: (csv_with_missing_that_tells(), ("boat",)),
}
"""Files that are ranked, and the columns that the note is about."""
SITUATIONS: dict[NoteKind, tuple[Callable[[Stage], None], tuple[str, ...]]] = {
    NoteKind.SHEETS: (lambda stage: stage.rank_text("t.xlsx", workbook_bytes(*TWO_SHEETS)), ()),
    NoteKind.DATE_FORMAT: (lambda stage: stage.rank_text("t.arff", arff_of("date 'kk'", "s")), ("a",)),
    NoteKind.IGNORED: (lambda stage: stage.rank_text("t.arff", arff_of("{s}", "s", ", {2}")), ()),
    NoteKind.UNUSABLE: (
        lambda stage: stage.fit_selector(make_frame(lists=[[1, 2]] * ROWS), n_features_to_select=1),
        ("lists",),
    ),
    NoteKind.TARGET: (_ranked(make_frame), ("y",)),
    NoteKind.TARGET_BY_DEFAULT: (_ranked(make_frame, target=None), ("y",)),
    NoteKind.DROPPED_ROWS: (_ranked(lambda: make_frame().assign(y=[*CLASSES[:-1], "rare"])), ("y",)),
    NoteKind.UNUSED_NA: (_ranked(make_frame, na="-9"), ()),
    NoteKind.CODE_FOR_MISSING: (_ranked(lambda: make_frame(x=[-999, 1, 2, 3] * (ROWS // 4))), ("x",)),
    NoteKind.WORD_FOR_MISSING: (
        lambda stage: stage.rank_text("t.csv", csv_of(["manual", "auto"] * 4), na="auto"),
        ("a",),
    ),
    NoteKind.UNKNOWN_MEMBERS: (
        _ranked(make_frame, mapping={"columns": {"plain": {"groups": {"first": ["u", "V"]}}}}),
        ("plain",),
    ),
    NoteKind.IDENTIFIER: (_ranked(lambda: make_frame(row=range(ROWS))), ("row",)),
    NoteKind.IDENTIFIER_RANKED: (_ranked(lambda: make_frame(row=range(ROWS)), keep_identifiers=True), ("row",)),
    NoteKind.COUNTED_ONCE: (_counted_once, ("n",)),
    NoteKind.UNSEEN: (_ranked(make_frame, unlabeled=pd.DataFrame({"plain": ["U", "V"] * 10})), ("plain",)),
    NoteKind.CUT: (_ranked(lambda: make_frame(x=numbers(), z=numbers(1))), ("x", "z")),
    NoteKind.EMPTY: (_ranked(lambda: make_frame(none=[None] * ROWS)), ("none",)),
    NoteKind.CONSTANT: (_ranked(lambda: make_frame(same="s")), ("same",)),
    NoteKind.DISTINCT: (_ranked(lambda: pd.DataFrame({"a": list("uvwx"), "y": list("pqpq")})), ("a",)),
    NoteKind.ONE_HOT: (_ranked(lambda: make_frame(**ONE_HOT)), ("s_a", "s_b", "s_c")),
    NoteKind.EFFECTIVE_ROWS: (_ranked(lambda: make_frame(w=[1, 2] * (ROWS // 2)), weight="w"), ("w",)),
    NoteKind.TIME_ORDER: (_ranked(lambda: make_frame(when=range(ROWS)), time="when"), ("when",)),
    NoteKind.SUBJECTS: (_ranked(lambda: make_frame(patient=[f"p{n // 3}" for n in range(ROWS)])), ("patient",)),
    NoteKind.LEAKAGE: (_ranked(lambda: LATE), ("late",)),
    NoteKind.REFUSED: (_refused, ("b",)),
    NoteKind.SHRINKAGE: (_ranked(make_frame, shrink="on"), ()),
    NoteKind.COMPILING: (_compiling, ()),
    NoteKind.NOT_COMPILED: (_not_compiled, ()),
    NoteKind.TIME: (_ranked(make_frame, classifier="svm", estimate="loo", jobs=1), ()),
    NoteKind.SPILLED: (_spilled, ()),
    NoteKind.SIGMOID: (_sigmoid, ()),
    NoteKind.SUBJECT_FOLDS: (
        _patched(FEW_SUBJECTS, lambda: make_frame(who=[n // 2 for n in range(1, ROWS + 1)]), group="who"),
        (),
    ),
    NoteKind.WEIGHT_FOLDS: (
        _patched(FEW_SUBJECTS, lambda: make_frame(w=[1 + n % 7 for n in range(ROWS)]), weight="w"),
        (),
    ),
    NoteKind.NOT_CONVERGED: (
        _patched(FEW_ROWS, lambda: noise(200), classifier="svm", eliminate=False, jobs=1),
        (),
    ),
    NoteKind.GUESSING: (_ranked(noise, classifier="svm", eliminate=False, jobs=1), ()),
    NoteKind.FIT_WARNINGS: (_ranked(noise, classifier=LogisticRegression(max_iter=1, C=100.0), folds=2), ()),
    NoteKind.WEAK_MODEL: (_ranked(noise, folds=2, estimate="cv"), ()),
    NoteKind.FEWER_COPIES: (
        _patched(
            {"classifiers.refitting.estimators.MOST_COPIES": 10},
            make_frame,
            classifier=DecisionTreeClassifier(max_depth=2),
            folds=3,
            jobs=1,
        ),
        (),
    ),
    NoteKind.UNJUDGED: (_ranked(noise, classifier="forest", trees=1, estimate="oob"), ()),
    NoteKind.LATE_CLASS: (_ranked(lambda: pd.DataFrame(LATE_CLASS), time="when"), ()),
    NoteKind.FEW_FOLDS: (lambda stage: stage.select(LATE[:8], folds=10), ()),
    NoteKind.LEAK_KEPT: (lambda stage: stage.select(LATE, folds=0), ("late",)),
    NoteKind.FEWER_KEPT: (lambda stage: stage.select(noise(), keep=3, folds=0), ()),
    NoteKind.NOISE_KEPT: (lambda stage: stage.fit_selector(noise()[["b", "y"]]), ("b",)),
    NoteKind.NOTHING_KEPT: (
        lambda stage: stage.run("select", stage.write("t.csv", noise().to_csv(index=False)), "--names"),
        (),
    ),
    NoteKind.SETTINGS_REUSED: (_compare, ()),
    NoteKind.DIFFERENCE: (_difference, ()),
    NoteKind.PARTIAL: (_compare, ()),
    NoteKind.TOP: (_compare, ()),
    NoteKind.FEW_RUNS: (_reproduce, ()),
    NoteKind.WRITTEN: (_reproduce, ()),
}


@pytest.mark.parametrize("kind", NoteKind, ids=lambda kind: kind.code)
def test_it_comes_up(kind: NoteKind, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(write, monkeypatch)
    if kind in CSV_FILES:
        content, columns = CSV_FILES[kind]
        stage.rank_text("t.csv", content)
    else:
        situation, columns = SITUATIONS[kind]
        situation(stage)
    assert {type(note) for note in stage.heard} == {Note}
    found = [note for note in stage.heard if note.code == kind.code]
    assert found, [(note.code, note) for note in stage.heard]
    assert (found[0].severity, found[0].columns) == (kind.severity, columns)
