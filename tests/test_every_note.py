"""Every kind of note comes up: nearly all in recorded commands, which say how it is told, and the others here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.cli.streams import Reporter
from probfs.notes import Note, NoteKind
from probfs.runtime.progress import COMPILING, Progress
from tests.support import ROOT
from tests.support.clusters import InProcessCluster, connect_here
from tests.support.tables import Write

WITH_THEIR_SUBJECT = {
    "classifiers/test_estimators.py": (NoteKind.FIT_WARNINGS, NoteKind.FEWER_COPIES),
    "classifiers/test_naive_bayes.py": (NoteKind.NOT_COMPILED,),
    "api/test_selector.py": (NoteKind.NOISE_KEPT,),
    "test_about_rows.py": (NoteKind.SUBJECT_FOLDS, NoteKind.WEIGHT_FOLDS),
}
HERE = (NoteKind.UNUSABLE, NoteKind.COMPILING, NoteKind.SPILLED, NoteKind.NOT_CONVERGED)


def test_every_kind_of_note_comes_up_in_some_test() -> None:
    recorded = set()
    for path in (ROOT / "tests" / "recorded" / "expected").iterdir():
        notes = path.read_text(encoding="utf-8").splitlines()[2].removeprefix("notes").split(";")
        recorded |= {note.split()[0] for note in notes if note.strip()}
    elsewhere = [kind for kinds in WITH_THEIR_SUBJECT.values() for kind in kinds]
    assert {kind.code for kind in NoteKind} - recorded == {kind.code for kind in (*HERE, *elsewhere)}


@pytest.fixture
def frame() -> pd.DataFrame:
    random = np.random.default_rng(1)
    return pd.DataFrame({**{name: random.normal(size=200).round(3) for name in "abc"}, "y": ["p", "q"] * 100})


def test_a_selector_leaves_out_what_cannot_be_ranked(frame: pd.DataFrame) -> None:
    data = frame.assign(lists=pd.Series([[1, 2]] * 200))
    with pytest.warns(probfs.ProbfsWarning, match="^left out: 'lists' holds ") as caught:
        probfs.ProbabilisticSelector(n_features_to_select=1).fit(data.drop(columns="y"), data["y"])
    notes = [warning.message.args[0] for warning in caught if isinstance(warning.message, probfs.ProbfsWarning)]
    assert [note.columns for note in notes if note.code == "unusable"] == [("lists",)]


def test_loops_that_are_compiled_are_announced(capsys: pytest.CaptureFixture[str]) -> None:
    Reporter(0, None).hear(Progress(COMPILING))
    assert "compil" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [NoteKind.SPILLED, NoteKind.NOT_CONVERGED])
def test_what_goes_wrong_with_very_much_data_is_told(
    kind: NoteKind, frame: pd.DataFrame, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.cluster.connection.connect", connect_here)
    monkeypatch.setattr(InProcessCluster, "limit", 100)
    monkeypatch.setattr("probfs.classifiers.refitting.svm.MOST_ROWS_OF_SVC", 0)
    monkeypatch.setattr("probfs.classifiers.refitting.svm.MOST_LINEAR_ITERATIONS", 2)
    heard: list[Note] = []
    options: dict[str, Any] = {"target": "y", "eliminate": False, "on_note": heard.append}
    if kind is NoteKind.SPILLED:
        probfs.rank(write("t.csv", frame.to_csv(index=False)), engine="dask", **options)
    else:
        probfs.rank(frame, classifier="svm", jobs=1, **options)
    assert [(note.severity, note.columns) for note in heard if note.code == kind.code] == [(kind.severity, ())]
