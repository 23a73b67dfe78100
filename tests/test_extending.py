"""The change test: a classifier and an output format, registered here alone, work wherever the built-in ones do.

Options, help, checks, settings, the summary, file endings and the manual follow from the two registrations below; no
other file knows of them.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes.specification import SMOOTHING
from probfs.classifiers.protocol import Classifier, Features, RoundScores
from probfs.classifiers.registry import CLASSIFIERS
from probfs.classifiers.score_formulas import absolute_score, signed_score
from probfs.classifiers.scores import Score
from probfs.classifiers.specification import FitRequest, Option, Specification
from probfs.classifiers.value_types import Number
from probfs.columns.dataset import Dataset
from probfs.notes import Note
from probfs.ranking.result import Ranking
from probfs.rendering.formats import OutputFormat, Presentation
from probfs.rendering.ranking_formats import RANKING_FORMATS
from probfs.tables.table import Floats
from tests.support.commands import COMMUTE, Run
from tests.support.paths import ROOT, SAMPLES

# --- the classifier ---------------------------------------------------------------------------------------------------


class Vote:
    """Every active feature votes with the class shares among the rows that hold its value; votes are multiplied."""

    notes = (Note("votes are not calibrated", code="uncalibrated", severity="warning"),)

    def __init__(self, dataset: Dataset, smoothing: float, vote_power: float) -> None:
        self.active: Features = np.arange(len(dataset.features))
        self._dataset = dataset
        self._counts = np.concatenate([dataset.counts, dataset.unlabelled_counts])
        self._votes = []
        for feature in dataset.features:
            rows = np.full((feature.values + 1, len(dataset.classes)), smoothing)
            np.add.at(rows, (feature.labelled, dataset.labels), dataset.counts)
            powers = rows[np.concatenate([feature.labelled, feature.unlabelled])] ** vote_power
            self._votes.append(powers / powers.sum(axis=1, keepdims=True))

    def score(self) -> RoundScores:
        dataset, labels, counts = self._dataset, self._dataset.labels, self._dataset.counts
        full = self._probabilities(self.active)
        others = [self._probabilities(self.active[self.active != feature]) for feature in self.active]
        labelled = slice(len(labels))
        pairs = [(full[labelled], other[labelled]) for other in others]
        own = full[np.arange(len(labels)), labels]
        return RoundScores(
            s_s=_scores(absolute_score(*pair, counts) for pair in pairs),
            s_a=_scores(signed_score(*pair, labels, counts) for pair in pairs),
            s_su=_scores(absolute_score(full, o, self._counts) for o in others) if dataset.unlabelled_rows else None,
            rows=dataset.rows,
            errors=int(counts[full[labelled].argmax(axis=1) != labels].sum()),
            absolute_loss=float(np.average(1 - own, weights=counts)),
            log_loss=float(np.average(-np.log(own), weights=counts)),
        )

    def lowest(self, score: Score, wanted: int) -> tuple[Features, RoundScores]:
        return self.active, self.score()

    def drop(self, features: Features) -> None:
        self.active = np.setdiff1d(self.active, features)

    def _probabilities(self, features: Features) -> Floats:
        product = np.ones((len(self._counts), len(self._dataset.classes)))
        for feature in features:
            product *= self._votes[feature]
        shares: Floats = product / product.sum(axis=1, keepdims=True)
        return shares


def _scores(values: Iterable[float]) -> ExtendedFloats:
    return ExtendedFloats.of(np.fromiter(values, np.float64))


def fit(request: FitRequest) -> Classifier:
    request.on_note(Note(f"voting in {len(request.rounds)} rounds", code="voting", severity="note"))
    return Vote(request.dataset, **request.options)


VOTE_POWER = Option("vote_power", Number(0.5, 8, name="POWER"), 1.0, "the power that a vote is raised to.")
TOY = Specification(
    name="vote",
    description="a vote of all columns",
    options=(VOTE_POWER, SMOOTHING),
    default_estimate="resubstitution",
    takes_numbers=False,
    arrange=lambda dataset, seed: dataset,
    fit=fit,
    summarize=lambda options: f"Vote to the power {options['vote_power']:g}",
)

# --- the output format ------------------------------------------------------------------------------------------------


def names_only(ranking: Ranking, presentation: Presentation) -> str:
    return "".join(f"{feature.feature}\n" for feature in ranking.features)


NAMES = OutputFormat("names", (".names",), names_only)


@pytest.fixture
def _registered() -> Iterator[None]:
    with CLASSIFIERS.registered(TOY), RANKING_FORMATS.registered(NAMES):
        yield


registered = pytest.mark.usefixtures("_registered")
VOTE = ("rank", *COMMUTE, "--classifier", "vote")

# --- tests ------------------------------------------------------------------------------------------------------------


@registered
def test_help_lists_the_classifier_its_options_and_the_format(run_here: Run) -> None:
    help_text = " ".join(run_here("rank", "--help").stdout.split())
    assert "--classifier nb|svm|logistic|forest|boosting|vote" in help_text
    assert "or a vote of all columns (vote)." in help_text
    assert "--vote-power POWER vote: the power that a vote is raised to. Default: 1.0." in help_text
    assert "--smoothing ALPHA nb, vote: what is added to every count" in help_text
    assert "loo for nb, resubstitution for svm and vote, cv for logistic, forest and boosting." in help_text
    assert "--format table|csv|json|markdown|parquet|html|png|svg|pdf|names" in help_text


@registered
def test_the_manual_page_is_written_from_the_registration_too() -> None:
    specification = importlib.util.spec_from_file_location("generate", ROOT / "man" / "generate.py")
    assert specification is not None
    assert specification.loader is not None
    generator = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(generator)
    (page,) = [text for path, text in generator.files().items() if path.name == "probfs-rank.1"]
    assert "vote: the power that a vote is raised to. Default: 1.0." in page


@registered
def test_the_settings_of_the_json_hold_the_option_and_its_default(run_here: Run) -> None:
    settings = json.loads(run_here(*VOTE, "--format", "json").stdout)["settings"]
    assert (settings["classifier"], settings["estimate"]) == ("vote", "resubstitution")
    assert (settings["vote_power"], settings["smoothing"]) == (1.0, 1.0)
    assert settings["kernel"] is None
    given = run_here(*VOTE, "--vote-power", "2.5", "--smoothing", "0.5", "--format", "json").stdout
    settings = json.loads(given)["settings"]
    assert (settings["vote_power"], settings["smoothing"]) == (2.5, 0.5)
    assert json.loads(run_here("rank", *COMMUTE, "--format", "json").stdout)["settings"]["vote_power"] is None


@registered
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vote-power", "9"), "Invalid value for '--vote-power': '9' is not a number from 0.5 to 8"),
        (("--vote-power", "much"), "Invalid value for '--vote-power': 'much' is not a number from 0.5 to 8"),
        (("--kernel", "rbf"), "--kernel goes with --classifier svm only"),
        (("--bins", "3"), "--bins goes with --classifier nb only"),
        (("--classifier", "nb", "--vote-power", "2"), "--vote-power goes with --classifier vote only"),
        (("--classifier", "svm", "--smoothing", "2"), "--smoothing goes with --classifier nb or --classifier vote"),
    ],
)
def test_a_wrong_option_is_one_line_and_status_2(run_here: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run_here(*VOTE, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert result.stderr.count("\n") == 1


@registered
def test_a_classifier_that_holds_no_rows_out_cannot_select(run_here: Run) -> None:
    result = run_here("select", *COMMUTE, "--classifier", "vote")
    others = " or ".join(f"--classifier {name}" for name in ("nb", "svm", "logistic", "forest", "boosting"))
    problem = f"--classifier vote ranks columns, but cannot select them; use {others}"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"probfs: error: {problem}\n")


@registered
def test_the_summary_and_the_notes_are_the_classifier_s_own(run_here: Run) -> None:
    result = run_here(*VOTE, "--vote-power", "2", "--format", "table")
    assert "Vote to the power 2, resubstitution, ranked by Ŝ_S (absolute) under recursive elimination" in result.stdout
    assert "of the 204 rows it was trained on wrong" in result.stdout
    assert result.stderr.splitlines() == [
        "probfs: target: mode (the last column)",
        "probfs: voting in 6 rounds",
        "probfs: warning: votes are not calibrated",
    ]


@registered
def test_the_format_is_chosen_by_name_and_by_ending(run_here: Run, tmp_path: Path) -> None:
    names = run_here(*VOTE, "--format", "names").stdout
    assert sorted(names.split()) == sorted(
        feature.feature for feature in probfs.rank(*COMMUTE[:1], target="mode", exclude=["person"]).features
    )
    assert run_here(*VOTE, "--output", "best.names", "--top", "2").returncode == 0
    assert (tmp_path / "best.names").read_text().splitlines() == names.splitlines()[:2]
    assert (
        "use .txt, .csv, .json, .md, .markdown, .parquet, .html, .htm, .png, .svg, .pdf, .names, or"
        in run_here(*VOTE, "--output", "best.name").stderr
    )


@registered
def test_python_takes_the_option_as_a_keyword_and_ranks_the_same(run_here: Run) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], classifier="vote", vote_power=3)
    assert (ranking.settings.vote_power, ranking.settings.smoothing, ranking.settings.kernel) == (3.0, 1.0, None)
    assert ranking.to_csv() == run_here(*VOTE, "--vote-power", "3").stdout
    assert ranking.warnings[-1] == "votes are not calibrated"
    with pytest.raises(probfs.UsageError, match=r"^vote_power=: 9 is not a number from 0\.5 to 8$"):
        probfs.rank(SAMPLES / "commute.csv", classifier="vote", vote_power=9)
    with pytest.raises(probfs.UsageError, match=r'^vote_power= goes with classifier="vote" only$'):
        probfs.rank(SAMPLES / "commute.csv", vote_power=2)


@registered
def test_the_ranking_is_the_one_that_the_votes_make() -> None:
    """The column that is the class comes first, and noise leaves first."""
    tells, hints, noise = list("ppqqppqq"), list("uuvvuvvu"), list("xyxyxyxy")
    frame = pd.DataFrame({"noise": noise, "hints": hints, "tells": tells, "y": tells})
    ranking = probfs.rank(frame, target="y", classifier="vote")
    assert [feature.feature for feature in ranking.features] == ["tells", "hints", "noise"]
    # Four rows of a class and the smoothing make 5/6; without any column it is 1/2.
    assert ranking.features[0].s_s == pytest.approx(5 / 6 - 1 / 2)
    assert [summary.errors for summary in ranking.rounds] == [0, 0, 0]


@registered
@pytest.mark.parametrize("score", ["absolute", "signed", "unlabeled"])
def test_every_score_can_drive_the_elimination(run_here: Run, score: str) -> None:
    ranking = json.loads(run_here(*VOTE, "--score", score, "--step", "0.5", "--format", "json").stdout)
    assert [summary["features"] for summary in ranking["rounds"]] == [6, 3, 2, 1]
    assert all(feature["s_su"] is not None for feature in ranking["features"])


@registered
@pytest.mark.parametrize("command", ["inspect", "suggest"])
def test_commands_that_look_at_columns_take_the_classifier(run_here: Run, command: str) -> None:
    result = run_here(command, SAMPLES / "commute.csv", "--classifier", "vote")
    assert result.returncode == 0
    assert "--vote-power" not in run_here(command, "--help").stdout


def test_all_is_gone_again_afterwards(run_here: Run) -> None:
    assert (CLASSIFIERS.names(), "names" in RANKING_FORMATS.names()) == (
        ("nb", "svm", "logistic", "forest", "boosting"),
        False,
    )
    help_text = run_here("rank", "--help").stdout
    assert "vote" not in help_text
    assert ".names" not in help_text
    for arguments in (VOTE, ("rank", *COMMUTE, "--format", "names"), ("rank", *COMMUTE, "--vote-power", "2")):
        assert run_here(*arguments).returncode == 2
    with pytest.raises(
        probfs.UsageError, match=r"^classifier=: 'vote' is not one of nb, svm, logistic, forest, boosting$"
    ):
        probfs.rank(SAMPLES / "commute.csv", classifier="vote")
    with pytest.raises(TypeError, match="unexpected keyword argument 'vote_power'"):
        probfs.rank(SAMPLES / "commute.csv", vote_power=2)
