"""probfs.compare: rankings, selections, files and tables."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB

import probfs
from probfs.text import command_line_language
from tests.support.comparisons import ranking_document, write_document
from tests.support.hostile_names import HOSTILE_NAMES, hostile_csv
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

CANCER = SAMPLES / "breast_cancer.csv"


@pytest.fixture(scope="module")
def ranking() -> probfs.Ranking:
    return probfs.rank(CANCER, target="class", score="signed")


@pytest.fixture(scope="module")
def selection() -> probfs.Selection:
    return probfs.select(CANCER, target="class", folds=0)


def shuffled(path: Path, seed: int = 3) -> str:
    header, *rows = path.read_text().splitlines(keepends=True)
    random.Random(seed).shuffle(rows)
    return "".join([header, *rows])


def assert_nothing_changed(comparison: probfs.Comparison) -> None:
    assert comparison.changed == ()
    assert comparison.same_scores
    assert comparison.differences == ()
    assert comparison.measures["spearman"] == comparison.measures["kendall"] == comparison.measures["overlap"] == 1


def test_nothing_changed_from_a_result_to_itself(ranking: probfs.Ranking, selection: probfs.Selection) -> None:
    assert_nothing_changed(probfs.compare(ranking, ranking))
    assert_nothing_changed(probfs.compare(selection, selection))


def test_nothing_changed_if_rows_or_columns_were_shuffled(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    table = write("shuffled.csv", shuffled(CANCER))
    assert_nothing_changed(probfs.compare(ranking, table))
    assert_nothing_changed(probfs.compare(table, ranking))
    assert_nothing_changed(probfs.compare(selection, table))
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    assert_nothing_changed(probfs.compare(ranking, frame[sorted(map(str, frame))]))


def test_every_column_that_is_renamed_is_named(
    ranking: probfs.Ranking, selection: probfs.Selection, write: Write
) -> None:
    text = shuffled(CANCER)
    for result in (ranking, selection):
        for feature in result.features:
            renamed = text.replace(feature.feature, "another_name", 1)
            comparison = probfs.compare(result, write("renamed.csv", renamed))
            assert comparison.renamed == {feature.feature: "another_name"}
            assert len(comparison.changes("same")) == len(result.features) - 1


def test_a_column_of_an_svm_that_is_renamed_is_named(write: Write) -> None:
    options = {"classifier": "svm", "eliminate": False, "permutations": 3, "target": "cracked"}
    text = "".join((SAMPLES / "kiln.csv").read_text().splitlines(keepends=True)[:60])
    ranking = probfs.rank(write("t.csv", text), **options)  # type: ignore[arg-type]  # options of many types
    name = ranking.features[2].feature
    assert probfs.compare(ranking, write("t.csv", text.replace(name, "renamed", 1))).renamed == {name: "renamed"}


def test_results_of_estimators_are_compared(write: Write) -> None:
    def ranked(table: Path, own: object) -> probfs.Ranking:
        return probfs.rank(table, target="cracked", classifier=own, eliminate=False, permutations=1)

    kiln = SAMPLES / "kiln.csv"
    old = ranked(kiln, BernoulliNB())
    assert_nothing_changed(probfs.compare(old, old))
    again = write("again.json", old.to_json())
    assert_nothing_changed(probfs.compare(again, ranked(write("t.csv", shuffled(kiln)), BernoulliNB())))
    (warning,) = probfs.compare(again, ranked(kiln, BernoulliNB(alpha=3))).warnings
    said = f"estimator: BernoulliNB() in {again}, but BernoulliNB(alpha=3) in <new>; ranks are hard to compare"
    assert warning.message == said
    (warning,) = probfs.compare(again, ranked(kiln, "logistic")).warnings
    assert warning.message.startswith(f"classifier: estimator in {again}, but logistic in <new>;")
    with pytest.raises(probfs.DataError, match=r"again\.json: was made in Python with BernoulliNB\(\), an object that"):
        probfs.compare(again, kiln, on_note=pytest.fail)


def test_a_column_that_came_or_went_is_not_taken_for_another(ranking: probfs.Ranking) -> None:
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    fewer = probfs.compare(ranking, frame.drop(columns="mitoses"))
    assert [column.column for column in fewer.changes("vanished")] == ["mitoses"]
    more = probfs.compare(ranking, frame.assign(copy=frame["mitoses"])[["copy", *frame]])
    assert [column.column for column in more.changes("appeared")] == ["copy"]
    swapped = frame.drop(columns="mitoses").assign(copy=frame["bare_nuclei"])
    assert probfs.compare(ranking, swapped[["copy", *swapped.columns[:-1]]]).renamed == {}


def test_intervals_tell_change_from_chance() -> None:
    old = probfs.rank(SAMPLES / "commute.csv", target="mode", uncertainty=True)
    comparison = probfs.compare(old, probfs.rank(SAMPLES / "commute.csv", target="mode", score="signed"))
    beyond = comparison.measures["beyond"]
    assert beyond == sum(column.beyond is True for column in comparison.columns)
    for column in comparison.columns:
        assert column.old_rank_low is not None
        assert column.old_rank_high is not None
        assert column.new_rank is not None
        assert column.beyond == (not column.old_rank_low <= column.new_rank <= column.old_rank_high)


def test_files_objects_and_both_shapes_of_documents_compare_alike(ranking: probfs.Ranking, tmp_path: Path) -> None:
    ranking.to_json(tmp_path / "r.json")
    from_file = probfs.compare(tmp_path / "r.json", ranking)
    assert_nothing_changed(from_file)
    assert (from_file.old.source, from_file.new.source) == (str(tmp_path / "r.json"), "<new>")
    assert_nothing_changed(probfs.compare(str(tmp_path / "r.json"), CANCER))


def test_hostile_names_are_compared_as_they_are(write: Write) -> None:
    table = write("t.csv", hostile_csv())
    old = probfs.rank(table, target="y")
    comparison = probfs.compare(old, table)
    assert {column.column for column in comparison.columns} == set(HOSTILE_NAMES)
    assert_nothing_changed(comparison)


def test_warnings_and_notes_are_heard() -> None:
    notes: list[str] = []
    old, new = probfs.rank(CANCER, target="class"), probfs.rank(CANCER, target="class", score="signed")
    probfs.compare(old, new, on_note=notes.append)
    assert notes == ["score: absolute in <old>, but signed in <new>; ranks are hard to compare"]
    probfs.compare(old, CANCER, on_note=notes.append)
    assert notes[1] == f"{CANCER} is read with the target and the settings of <old>"
    frame = pd.read_csv(CANCER, dtype=str, keep_default_na=False)
    progress: list[probfs.Progress] = []
    probfs.compare(frame, old, on_note=notes.append, on_progress=progress.append)
    assert "a data frame is read with the target and the settings of <new>" in notes
    assert "ranking" in {step.stage for step in progress}


def test_two_tables_are_refused() -> None:
    with pytest.raises(probfs.UsageError, match=r"^t\.csv and u\.csv are both tables; one of the two must be the JSON"):
        probfs.compare("t.csv", "u.csv")
    with pytest.raises(probfs.UsageError, match=r"^a data frame and t\.csv are both tables"):
        probfs.compare(pd.DataFrame({"a": [1]}), "t.csv")


def test_standard_input_cannot_be_both() -> None:
    with pytest.raises(probfs.UsageError, match="standard input can be read only once; name a file for the other"):
        probfs.compare("-", "-")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"delimiter": ";"}, "--delimiter ;"),
        ({"decimal": ","}, "--decimal ,"),
        ({"encoding": "latin-1"}, "--encoding latin-1"),
        ({"input_format": "csv"}, "--input-format csv"),
    ],
)
def test_how_to_read_a_table_is_refused_where_there_is_none(tmp_path: Path, options: dict[str, str], said: str) -> None:
    path = write_document(tmp_path / "r.json", ranking_document("abc"))
    with command_line_language(), pytest.raises(probfs.UsageError) as caught:
        probfs.compare(path, path, **options)  # type: ignore[arg-type]  # options of many types
    assert str(caught.value) == f"{said}: both are JSON of probfs, and there is no table to read"


@pytest.mark.parametrize("top", [0, -1, 2.0, "5", True])
def test_a_number_of_first_columns_that_is_none_is_refused(ranking: probfs.Ranking, top: object) -> None:
    with pytest.raises(probfs.UsageError, match=r"^top=: "):
        probfs.compare(ranking, ranking, top=top)  # type: ignore[arg-type]  # the point of the test


def test_a_document_against_a_document_needs_no_numpy(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = write_document(tmp_path / "r.json", ranking_document("abc"))
    program = (
        f"import sys, probfs\nprint(probfs.compare({str(path)!r}, {str(path)!r}).to_json()[:1])\nprint(*sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(shown.split()).isdisjoint({"numpy", "pandas", "pyarrow", "scipy", "sklearn", "rich"})
