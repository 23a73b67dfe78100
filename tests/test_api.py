"""probfs.rank: its parameters, what it understands and what it refuses; and what the package exports."""

from __future__ import annotations

import inspect
import math
import re
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from tests.conftest import Run
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "clas"}, "target=: no column 'clas'"),
        ({"exclude": ["bb"]}, "exclude=: no column 'bb' in <frame>; did you mean 'b'?"),
        ({"include": ["a"], "exclude": ["a"]}, "both include= and exclude="),
        ({"exclude": ["y"]}, "no column|is the target"),
        ({"count": "y", "target": "y"}, "is the target"),
        ({"score": "unlabeled", "target": "y"}, "there is no unlabelled row"),
        ({"score": "loudest"}, "'loudest' is not one of absolute, signed, unlabeled"),
        ({"folds": 5}, 'folds= goes with estimate="cv" only'),
        ({"estimate": "cv", "folds": 9, "target": "y"}, "more than the 8 labelled rows"),
        ({"estimate": "cv", "folds": 1}, "1 is out of range; 2 or more"),
        ({"smoothing": -1}, "smoothing=: "),
        ({"smoothing": math.nan}, "smoothing=: "),
        ({"smoothing": 1e160}, "smoothing=: "),
        ({"na": ["\udcff"]}, "not valid Unicode"),
        ({"step": 0}, "step=: "),
        ({"step": 1.5}, "step=: "),
        ({"bins": 1}, "bins=: 1 is out of range; 2 to 10000"),
        ({"seed": -1}, "seed=: "),
    ],
)
def test_a_wrong_option_is_a_usage_error(frame: pd.DataFrame, options: dict[str, object], message: str) -> None:
    if options == {"exclude": ["y"]}:
        options = {"exclude": ["y"], "target": "y"}
    with pytest.raises(probfs.UsageError, match=message):
        probfs.rank(frame, **options)  # type: ignore[arg-type]  # options of many types


def test_a_column_called_zero_is_included_and_excluded(frame: pd.DataFrame) -> None:
    numbered = frame.rename(columns={"a": 0})

    def ranked(**options: Any) -> list[str]:
        return [own.feature for own in probfs.rank(numbered, target="y", **options).features]

    assert ranked(include=0) == ranked(include=[0]) == ranked(include=pd.Index([0])) == ["0"]
    assert ranked(exclude=0) == ranked(exclude="0")
    assert "0" not in ranked(exclude=0)
    assert set(ranked(include=None)) == set(ranked(include=())) == set(ranked())


def test_arguments_of_other_sorts_are_understood(frame: pd.DataFrame) -> None:
    expected = probfs.rank(frame, target="y", exclude=["b"], unlabeled=[frame]).to_csv()
    numbered = frame.rename(columns={"y": 7})
    ranking = probfs.rank(numbered, target=7, exclude="b", unlabeled=numbered)  # type: ignore[arg-type]  # the point
    assert ranking.to_csv() == expected
    assert (
        probfs.rank(frame, target="y", step=np.float64(0.5)).to_csv()
        == probfs.rank(frame, target="y", step=0.5).to_csv()
    )
    with pytest.raises(probfs.UsageError, match=r"data must be a path, a data frame .* or a numpy array, not dict"):
        probfs.rank({"a": [1]})  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(probfs.UsageError, match="only once"):
        probfs.rank("-", unlabeled=["-"])


def test_everything_exported_can_be_imported() -> None:
    for name in probfs.__all__:
        assert getattr(probfs, name) is not None
    with pytest.raises(AttributeError):
        probfs.nothing_of_the_kind  # noqa: B018  # the access is the test


def test_what_is_exported_is_what_is_listed() -> None:
    assert sorted(dir(probfs)) == sorted(probfs.__all__)


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = "import sys, probfs; print(*sys.modules); probfs.UsageError; print('numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded, with_errors = result.stdout.splitlines()
    assert set(loaded.split()).isdisjoint({"numpy", "pandas", "pyarrow", "typer", "rich", "sklearn"})
    assert with_errors == "False"


def documented_parameters() -> list[tuple[list[str], str]]:
    """The names and the first line, type and default, of each entry below Parameters in the docstring of rank."""
    section = inspect.getdoc(probfs.rank).split("Parameters\n----------\n")[1].split("\n\nReturns")[0]  # type: ignore[union-attr]
    entries = re.findall(r"^(\S[^:\n]*?)(?: : (.*))?$", section, re.MULTILINE)
    return [(names.removeprefix("**").split(", "), kind) for names, kind in entries]


def test_every_parameter_is_documented_in_the_order_of_the_signature() -> None:
    documented = [name for names, _ in documented_parameters() for name in names]
    assert documented == list(inspect.signature(probfs.rank).parameters)


def test_documented_defaults_are_the_defaults() -> None:
    signature = inspect.signature(probfs.rank)
    for names, kind in documented_parameters():
        default = re.search(r"default (\S+)$", kind)
        for name in names if default else ():
            assert default is not None
            value = signature.parameters[name].default
            stated = {"folds": 10, "delimiter": ","}.get(name) if value is None else value
            assert default[1] == (f'"{stated}"' if isinstance(stated, str) else str(stated)), name


def test_options_of_a_classifier_go_with_its_name_or_into_the_object(frame: pd.DataFrame) -> None:
    frame = pd.concat([frame] * 3)
    for name, kind, options in (
        ("nb", probfs.NaiveBayes, {"smoothing": 0.5, "bins": 3}),
        ("svm", probfs.SVM, {"C": 2.0, "permutations": 2, "jobs": 1}),
        ("forest", probfs.Forest, {"trees": 2, "removal": "retrain", "jobs": 1}),
    ):
        for call in (partial(probfs.rank, eliminate=False), partial(probfs.select, folds=0)):
            by_name = call(frame, target="y", classifier=name, **options)
            by_object = call(frame, target="y", classifier=kind(**options))
            assert by_name.to_json() == by_object.to_json()
            assert by_name.settings == by_object.settings


def test_options_beside_an_object_are_refused_in_one_line(frame: pd.DataFrame) -> None:
    message = r"^smoothing= goes with a classifier's name; give it to NaiveBayes\(smoothing=…\) itself$"
    for call in (probfs.rank, probfs.select):
        with pytest.raises(probfs.UsageError, match=message):
            call(frame, target="y", classifier=probfs.NaiveBayes(), smoothing=0.5)
        with pytest.raises(
            probfs.UsageError, match=r"^classifier=: NaiveBayes is a class; give an object of it, such as"
        ):
            call(frame, target="y", classifier=probfs.NaiveBayes)


def test_a_report_tells_the_classifier_as_it_was_written(frame: pd.DataFrame) -> None:
    ranking = probfs.rank(frame, target="y", classifier=probfs.NaiveBayes(smoothing=0.5), report=True)
    assert ranking.background is not None
    assert "classifier=probfs.NaiveBayes(smoothing=0.5)" in ranking.background.call


def test_an_unknown_keyword_is_a_type_error_as_in_any_function(frame: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match="'no_such_parameter'"):
        probfs.rank(frame, no_such_parameter=1)


def test_a_table_is_ranked_the_same_from_a_file_and_from_a_frame() -> None:
    from_file = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude="person")
    frame = pd.read_csv(SAMPLES / "commute.csv", dtype=str, keep_default_na=False).replace("", None)
    assert probfs.rank(frame, target="mode", exclude="person").to_csv() == from_file.to_csv()


@pytest.mark.parametrize("parameter", ["include", "exclude", "na"])
def test_one_name_is_a_list_of_one(frame: pd.DataFrame, parameter: str) -> None:
    one, several = ({parameter: value} for value in ("b", ["b"]))
    rankings = [probfs.rank(frame, target="y", **options) for options in (one, several)]  # type: ignore[arg-type]
    assert rankings[0] == rankings[1]


@pytest.mark.parametrize("missing", [{}, {"exclude": None}, {"na": ()}])
def test_nothing_may_be_said_in_several_ways(frame: pd.DataFrame, missing: dict[str, Any]) -> None:
    assert probfs.rank(frame, target="y", **missing).settings == probfs.rank(frame, target="y").settings


def test_a_misspelt_keyword_is_told_with_the_nearest_one(frame: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'targt'; did you mean 'target'\?"):
        probfs.rank(frame, targt="y")


@pytest.mark.parametrize(
    ("table", "target"),
    [("breast_cancer.csv", "class"), ("breast_cancer.arff", "class"), ("commute.csv", "mode"), ("kiln.csv", "cracked")],
)
def test_shrinkage_leaves_ordinary_tables_alone(table: str, target: str) -> None:
    ranking, plain = (probfs.rank(SAMPLES / table, target=target, shrink=choice) for choice in ("auto", "off"))
    assert {summary.exponent for summary in ranking.rounds} == {1.0}
    assert (ranking.features, ranking.rounds, ranking.warnings) == (plain.features, plain.rounds, plain.warnings)


def test_shrinkage_is_naive_bayes_own() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.5, 4.0] * 3, "y": [0, 0, 1, 1] * 3})
    ranking = probfs.rank(frame, target="y", classifier="svm", jobs=1)
    assert ranking.rounds[0].exponent is None
    assert ranking.settings.shrink is None
    with pytest.raises(probfs.UsageError, match='shrink= goes with classifier="nb" only'):
        probfs.rank(frame, target="y", classifier="svm", shrink="off")


ARFF = "@relation r\n@attribute class {p,q}\n@attribute a {x,z}\n@data\n" + "p,x\np,z\nq,x\nq,z\n" * 2


@pytest.mark.parametrize("call", [probfs.rank, partial(probfs.select, folds=0)], ids=["rank", "select"])
def test_a_target_taken_by_default_is_warned_of_in_the_callers_line(
    call: Any, frame: pd.DataFrame, write: Write
) -> None:
    arff = write("t.arff", ARFF)
    for data, reason in ((frame, "'y', the last column"), (arff, "'class', ")):
        with pytest.warns(probfs.TargetWarning, match=f"^the target is {reason}.*; say so with target=") as caught:
            call(data)
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("call", [probfs.rank, partial(probfs.select, folds=0)], ids=["rank", "select"])
def test_a_target_that_somebody_named_is_not_warned_of(call: Any, frame: pd.DataFrame, write: Write) -> None:
    # Warnings are errors here.
    notes: list[str] = []
    call(frame, on_note=notes.append)
    assert "target: y (the last column)" in notes
    call(frame, target="y")
    call(frame, mapping=write("m.toml", 'target = "y"'))
    call(frame.drop(columns="y"), frame["y"])


def test_a_refusal_comes_before_a_warning() -> None:
    with pytest.raises(probfs.DataError, match="is a quantity"):
        probfs.rank(pd.DataFrame({"a": list("xy") * 30, "y": np.arange(60)}))


def test_the_command_line_emits_no_python_warning(run: Run, write: Write) -> None:
    result = run("rank", write("t.csv", "a,y\nx,p\nx,p\nz,q\nz,q\n"))
    assert result.returncode == 0
    assert "Warning" not in result.stderr
    assert "target: y (the last column)" in result.stderr
