"""The sentences that go with a ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probfs.classifiers.catalogue import SVM
from probfs.classifiers.scores import ABSOLUTE, SIGNED, UNLABELED
from probfs.ranking.result import Ranking
from probfs.rendering.ranking_summary import shown_scores, summary_sentences


def test_the_sentences_say_what_was_ranked_how_and_how_well(commute: Ranking) -> None:
    what, how, errors = summary_sentences(commute)
    rows = "204 labelled and 36 unlabelled rows"
    assert what.endswith(f"commute.csv: 6 features, {rows}, target mode with 3 classes ('bike', 'bus', 'car')")
    assert how == "Naive Bayes, leave-one-out, ranked by Ŝ_S (absolute) under recursive elimination"
    assert (
        errors
        == "With all features the model gets 48 of 204 rows wrong (23.5%); always guessing the largest class, 115."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"estimate": "cv", "folds": 7}, "Naive Bayes, 7-fold cross-validation, ranked by Ŝ_S (absolute) under"),
        ({"eliminate": False, "score": "signed"}, "Naive Bayes, leave-one-out, ranked by Ŝ_A (signed) in one round"),
        ({"score": "unlabeled"}, "ranked by Ŝ_SU (unlabeled) under"),
    ],
)
def test_the_settings_are_in_the_sentence(commute: Ranking, changes: dict[str, object], sentence: str) -> None:
    changed = replace(commute, settings=replace(commute.settings, **changes))  # type: ignore[arg-type]  # of many types
    assert sentence in summary_sentences(changed)[1]


def test_errors_on_rows_of_the_training_are_called_so(commute: Ranking) -> None:
    trained = replace(commute, settings=replace(commute.settings, estimate="resubstitution"))
    assert "48 of the 204 rows it was trained on wrong" in summary_sentences(trained)[2]


def test_errors_on_held_out_rows_are_shown_instead_where_there_are_any(commute: Ranking) -> None:
    rounds = (replace(commute.rounds[0], cv_errors=51), *commute.rounds[1:])
    trained = replace(commute, rounds=rounds, settings=replace(commute.settings, estimate="resubstitution"))
    held_out = "With all features the model gets 51 of 204 rows wrong when they are held out (25.0%); "
    assert summary_sentences(trained)[2].startswith(held_out)
    left_out = replace(trained, settings=replace(commute.settings, estimate="loo"))
    assert (
        summary_sentences(left_out)[2]
        == "With all features the model gets 48 of 204 rows wrong (23.5%); always guessing the largest class, 115."
    )


def test_the_svm_is_described_by_its_options(commute: Ranking) -> None:
    svm = replace(commute, settings=replace(commute.settings, model=SVM(kernel="rbf", permutations=1)))
    assert summary_sentences(svm)[1].startswith("RBF SVM, Platt-scaled, 1 shuffle a column, leave-one-out")
    svm = replace(commute, settings=replace(commute.settings, model=SVM(removal="retrain")))
    assert summary_sentences(svm)[1].startswith("Linear SVM, Platt-scaled, retrained, ")


def test_the_driving_score_is_shown_first_and_only_what_has_values(commute: Ranking) -> None:
    assert shown_scores(commute) == [ABSOLUTE, SIGNED, UNLABELED]
    by_signed = replace(commute, settings=replace(commute.settings, score="signed"))
    assert shown_scores(by_signed) == [SIGNED, ABSOLUTE, UNLABELED]
    labelled_only = replace(by_signed, input=replace(commute.input, unlabelled_rows=0))
    assert shown_scores(labelled_only) == [SIGNED, ABSOLUTE]


def test_rows_dropped_are_said_only_if_there_are_any(commute: Ranking) -> None:
    assert "dropped" not in summary_sentences(commute)[0]
    dropped = replace(commute, input=replace(commute.input, dropped_rows=3))
    assert " rows (3 rows of rare classes dropped), target " in summary_sentences(dropped)[0]
