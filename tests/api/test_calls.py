"""probfs.rank, select and read: what they understand, refuse and warn of; and what the package exports."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import probfs
from probfs.api.options import CELLS, READING
from tests.support import ROOT
from tests.support.tables import Write, workbook_bytes

MESSY = "id;price;seen;zip;note;y\n" + "".join(
    f"{row};{row % 23},5;2024-01-{row % 28 + 1:02};{row % 7:03};{'ok' if row % 5 else 'NA'};{'ny'[row % 2]}\n"
    for row in range(1, 61)
)
ARFF = "@relation r\n@attribute class {p,q}\n@attribute a {x,z}\n@data\n" + "p,x\np,z\nq,x\nq,z\n"
BOTH = pytest.mark.parametrize("call", [probfs.rank, partial(probfs.select, folds=0)], ids=["rank", "select"])


@pytest.fixture
def messy(write: Write) -> Path:
    return write("messy.csv", MESSY)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": ["y"]}, r"target=: \['y'\] is not the name of a column"),
        ({"exclude": [None]}, r"exclude=: \[None\] is neither a text nor a list of texts"),
        ({"folds": 5}, 'folds= goes with estimate="cv" only'),
        ({"estimate": "cv", "folds": 1}, "1 is not a whole number from 2 on"),
        ({"na": object()}, "na=: <object object at .* is neither a text nor a list of texts"),
        ({"exclude": b"a"}, "exclude=: b'a' is neither a text nor a list of texts"),
        ({"false_discoveries": 9e-7}, "false_discoveries=: 9e-07 is not a number from 1e-06 to 1"),
        ({"together": {"ab": ["a", 3.5, None]}}, "together=: .* is not a dictionary of groups, each a list of columns"),
        ({"bins": 1}, "bins=: 1 is not a whole number from 2 to 10000"),
        ({"seed": -1}, "seed=: "),
        ({"mapping": 3}, "mapping=: 3 is not a path or a dictionary"),
        ({"eliminate": "no"}, "eliminate=: 'no' is not True or False"),
        ({"keep_identifiers": 1}, "keep_identifiers=: 1 is not True or False"),
        ({"union": None}, "union=: None is not True or False"),
        ({"delimiter": 3}, "delimiter=: 3 is not a text"),
        ({"max_unpacked": -1}, "max_unpacked=: -1 is not a whole number from 1 on"),
        ({"feature_names": 3}, "feature_names=: 3 is not a list of names"),
        ({"on_note": 3}, "on_note=: 3 is not a function"),
        ({"engine": None}, "engine=: None is not one of local, dask"),
        ({"scheduler": "tcp://x:1"}, 'scheduler= goes with engine="dask" only'),
        ({"workers": 2}, 'workers= goes with engine="dask" only'),
        ({"engine": "dask", "workers": 0}, "workers=: 0 is not a whole number from 1 on"),
        ({"engine": "dask", "workers": 2, "scheduler": "tcp://x:1"}, "keep one of the two"),
        ({"delimiter": ";"}, "delimiter= says how to read a file, but data is a table in memory"),
    ],
)
def test_a_wrong_argument_is_a_usage_error_that_names_it(
    frame: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(probfs.UsageError, match=message) as caught:
        probfs.rank(frame, **{"target": "y", **options})
    assert "\n" not in str(caught.value)


def test_a_number_of_features_is_whole_and_a_path_is_a_path(frame: pd.DataFrame) -> None:
    for result in (probfs.rank(frame, target="y"), probfs.select(frame, target="y", folds=0)):
        for number in (-1, "a", 1.5, True):
            with pytest.raises(probfs.UsageError, match=r"^top=: "):
                result.top(number)  # type: ignore[arg-type]  # the point of the test
        for path in (3, b"x", "a\0b"):
            with pytest.raises(probfs.UsageError, match=r"^path=: .* is not a path$"):
                result.to_csv(path)  # type: ignore[arg-type]  # the point of the test
        with pytest.raises(probfs.UsageError, match=r"^json=: .* is neither a text nor a path object$"):
            type(result).from_json(3)  # type: ignore[arg-type]  # the point of the test


def test_an_unknown_keyword_is_a_type_error_with_the_nearest_one(frame: pd.DataFrame) -> None:
    for wrong, right in (("targt", "target"), ("delimitr", "delimiter"), ("smothing", "smoothing")):
        with pytest.raises(TypeError, match=rf"unexpected keyword argument '{wrong}'; did you mean '{right}'\?"):
            probfs.rank(frame, **{wrong: 1})  # type: ignore[arg-type]  # the point of the test


def test_names_are_told_in_several_ways(frame: pd.DataFrame) -> None:
    numbered = frame.rename(columns={"a": 0, "y": 7})

    def ranked(**options: Any) -> list[str]:
        return [feature.feature for feature in probfs.rank(numbered, target=7, **options).features]  # type: ignore[arg-type]

    assert ranked(include=0) == ranked(include=[0]) == ranked(include=pd.Index([0])) == ["0"]
    assert ranked(exclude=0) == ranked(exclude="0") == ranked(exclude=iter(["0"]))
    assert "0" not in ranked(exclude=0)
    assert set(ranked(include=None)) == set(ranked(include=())) == set(ranked(na=None)) == set(ranked())
    one = probfs.rank(frame, target="y", step=np.float64(0.5), eliminate=np.True_, unlabeled=frame)  # type: ignore[arg-type]
    assert one == probfs.rank(frame, target="y", step=0.5, unlabeled=[frame])


def test_options_of_a_classifier_go_with_its_name_or_into_the_object(frame: pd.DataFrame) -> None:
    frame = pd.concat([frame] * 3)
    for call in (partial(probfs.rank, eliminate=False), partial(probfs.select, folds=0)):
        by_name = call(frame, target="y", classifier="forest", trees=2, removal="retrain", jobs=1)
        by_object = call(frame, target="y", classifier=probfs.Forest(trees=2, removal="retrain", jobs=1))
        assert by_name.to_json() == by_object.to_json()


# Warnings


@BOTH
def test_a_target_taken_by_default_is_warned_of_in_the_callers_line_and_no_other(
    call: Any, frame: pd.DataFrame, write: Write
) -> None:
    for data, reason in ((frame, r"y \(the last column\)"), (write("t.arff", ARFF), "class ")):
        with pytest.warns(probfs.TargetWarning, match=f"^target: {reason}.*; say so with target=") as caught:
            call(data)
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings(action="error"):
        call(frame, target="y")
        call(frame, mapping={"target": "y"})
        call(frame.drop(columns="y"), frame["y"])


@BOTH
def test_warnings_are_python_s_unless_somebody_listens(call: Any) -> None:
    frame = pd.DataFrame({"row": range(40), "a": list("uvwx") * 10, "y": list("pqqp") * 10})
    with pytest.warns(probfs.ProbfsWarning, match="^left out as identifiers") as caught:
        result = call(frame, target="y")
    assert [warning.filename for warning in caught] == [__file__]
    assert [str(warning.message) for warning in caught] == [note for note in result.warnings if note.is_warning]
    notes: list[probfs.Note] = []
    with warnings.catch_warnings(action="error"):
        call(frame, on_note=notes.append)
    assert {"target-by-default", "identifier"} <= {note.code for note in notes}


# Reading


def test_a_table_says_what_its_columns_hold(messy: Path, write: Write) -> None:
    thousands = probfs.read(write("t.csv", "a;y\n1.234;p\n2.345;q\n"), decimal=",")
    assert thousands.columns["a"].by_row.tolist() == [1234, 2345]
    table = probfs.read(messy, decimal=",")
    expected = {"id": "number", "price": "number", "seen": "date", "zip": "text", "note": "text", "y": "text"}
    assert list(table.kinds.items()) == list(expected.items())
    assert (table.rows, table.source) == (60, str(messy))
    assert {"delimiter", "number-style"} <= {note.code for note in table.notes}
    assert table.columns["price"].by_row[:3].tolist() == [1.5, 2.5, 3.5]
    # Texts that mean missing are the reader's business.
    assert table.columns["note"].counts().tolist() == [48, 12, 0]
    assert probfs.read(messy, na="NA").columns["note"].counts().tolist() == [48, 12]


@BOTH
def test_a_read_table_is_ranked_as_its_file_is(messy: Path, call: Any) -> None:
    notes: list[list[str]] = [[], []]
    read = probfs.read(messy, decimal=",")
    from_file, from_table = (
        call(data, decimal=decimal, keep_identifiers=True, on_note=heard.append)
        for data, decimal, heard in ((messy, ",", notes[0]), (read, None, notes[1]))
    )
    assert from_file.to_csv() == from_table.to_csv()
    assert sorted(notes[0]) == sorted(notes[1])


def test_frames_are_read_too_and_a_table_is_a_frame_to_others() -> None:
    table = probfs.read(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    assert table.kinds == probfs.read(table).kinds == {"a": "number", "b": "text"}
    assert pl.DataFrame(table).to_dict(as_series=False) == {"a": [1, 2], "b": ["x", None]}
    assert probfs.read(np.eye(2), feature_names=["u", "v"]).kinds == {"u": "number", "v": "number"}


def test_a_sheet_and_rows_to_skip_are_keywords_of_every_call(write: Write) -> None:
    path = write("t.xlsx", workbook_bytes([["A title", None], ["a", "y"], *[["u", "p"], ["v", "q"]] * 9]))
    assert list(probfs.read(path, skip_rows=1).columns) == ["a", "y"]
    assert probfs.rank(path, skip_rows=1, target="y").features[0].feature == "a"
    with pytest.raises(probfs.UsageError, match="no sheet 'Other'"):
        probfs.select(path, sheet="Other")
    with pytest.raises(probfs.UsageError, match=r"skip_rows=: "):
        probfs.read(path, skip_rows=-1)


# What the package exports, and how it is documented


def test_everything_exported_can_be_imported() -> None:
    assert sorted(dir(probfs)) == sorted(probfs.__all__)
    assert None not in [getattr(probfs, name) for name in probfs.__all__]
    with pytest.raises(AttributeError):
        probfs.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_a_type_checker_sees_what_is_exported(write: Write) -> None:
    program = write(
        "p.py",
        "import probfs\n"
        "reveal_type(probfs.rank('t.csv', target='y').top(3).features[0].p)\n"
        "reveal_type(probfs.select('t.csv').kept)\n"
        "probfs.rank('t.csv', target=3)\n"
        "probfs.nonsense\n",
    )
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", str(program)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    assert len(re.findall(r'Revealed type is "(?!Any)', found)) == 2
    assert 'Argument "target" to "rank" has incompatible type "int"' in found
    assert 'Module has no attribute "nonsense"' in found


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = """
import sys, probfs
print(*sys.modules)
probfs.UsageError, probfs.NaiveBayes(), probfs.SVM(); print('numpy' in sys.modules or 'sklearn' in sys.modules)
probfs.rank; probfs.select; print('sklearn' in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded, with_errors, with_calls = result.stdout.splitlines()
    assert set(loaded.split()).isdisjoint({"numpy", "pandas", "pyarrow", "typer", "rich", "sklearn"})
    assert (with_errors, with_calls) == ("False", "False")


@pytest.mark.parametrize("call", [probfs.rank, probfs.select, probfs.pairs, probfs.read])
def test_every_parameter_is_documented_in_order_with_its_default(call: Any) -> None:
    section = inspect.getdoc(call).split("Parameters\n----------\n")[1].split("\n\nReturns")[0]  # type: ignore[union-attr]
    parameters, documented = inspect.signature(call).parameters, []
    for names, kind in re.findall(r"^(\S[^:\n]*?)(?: : (.*))?$", section, re.MULTILINE):
        documented += names.replace("**", "").split(", ")
        default = re.search(r"default (\S+)$", kind)
        value = 10 if names == "folds" else parameters[documented[-1]].default
        assert default is None or default[1] == (f'"{value}"' if isinstance(value, str) else str(value)), names
    assert documented == list(parameters)


def test_every_parameter_and_attribute_of_the_selector_is_documented(frame: pd.DataFrame) -> None:
    text = inspect.getdoc(probfs.ProbabilisticSelector) or ""
    listed = re.findall(r"^(\w[\w, ]*)(?: :.*|$)", text, re.MULTILINE)
    selector = probfs.ProbabilisticSelector(min_class=1).fit(frame[["a", "b"]], frame["y"])
    fitted = {name for name in vars(selector) if name.endswith("_")}
    names = {name for names in listed for name in names.split(", ")}
    assert {*inspect.signature(probfs.ProbabilisticSelector).parameters, *fitted} <= names


def test_rank_passes_on_what_read_takes() -> None:
    parameters = inspect.signature(probfs.read).parameters
    assert parameters.keys() == {"data", "feature_names", *READING, *CELLS} - {"target", "count"}
