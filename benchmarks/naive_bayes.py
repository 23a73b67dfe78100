"""What ranking with Naive Bayes costs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measure import (
    Line,
    at_most,
    best_of,
    best_of_each,
    best_process,
    best_processes,
    faster,
    out_of_cache,
    probfs,
    process,
    python,
)
from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.ranking.elimination import eliminate, schedule
from probfs.ranking.inputs import InputRequest, read_prepared
from probfs.tables.reading import ReadOptions, read_table
from workloads import binary, categorical, genes, many_classes

HERE = Path(__file__).resolve().parent
DRIVING = (ABSOLUTE, SIGNED)
PEER_REMOVALS = 5


def tall(folder: Path) -> Iterator[Line]:
    """500,000 × 50, end to end, beside a process that only reads the file."""
    name = "tall-500000x50"
    path = folder / "tall.csv"
    categorical(500_000, 50).to_csv(path, index=False)
    read = python(f"import pandas; pandas.read_csv({str(path)!r})")
    # The first run compiles, once and for all.
    process(probfs("rank", path))
    peer, *ours = best_processes(6, read, *(probfs("rank", path, "--score", score.name) for score in DRIVING))
    for score, own in zip(DRIVING, ours, strict=True):
        yield at_most(name, f"rank, {score.name}, warm", own.seconds, "pandas.read_csv", peer.seconds, 2)
        met = own.megabytes <= 450
        yield Line(
            name, f"peak memory, {score.name}, MB", own.megabytes, "450 MB", 450, own.megabytes / 450, "at most 1", met
        )
    out_of_cache(path)
    cold = process(probfs("rank", path))
    out_of_cache(path)
    yield at_most(name, "rank, absolute, cold", cold.seconds, "pandas.read_csv, cold", process(read).seconds, 2)
    yield select_beside_rank(name, path, 12)


def wide(folder: Path) -> Iterator[Line]:
    """1,000 × 1,500: all rounds, beside one division a cell."""
    rows, features = 1_000, 1_500
    dataset = encoded(folder, categorical(rows, features))
    rounds = schedule(features, 1)
    cells = rows * sum(rounds)
    numerator, denominator, out = (np.full(20_000, value) for value in (1.0, 3.0, 0.0))
    division = best_of(200, lambda: np.divide(numerator, denominator, out=out)) / len(out)
    one, *every = best_of_each(
        10, lambda: backend(dataset, rounds).score(), *(partial(ranked, dataset, score) for score in DRIVING)
    )
    for score, seconds in zip(DRIVING, every, strict=True):
        what = f"all rounds but one, {score.name}"
        yield at_most("wide-1000x1500", what, seconds - one, "np.divide a cell", division * cells, 1)


def classes(folder: Path) -> Iterator[Line]:
    """1,000 × 1,500 with more than two classes: all rounds, and end to end, beside the same with two."""
    several = (2, 3, 5, 10)
    paths = {number: folder / f"classes-{number}.csv" for number in several}
    for number, path in paths.items():
        many_classes(1_000, 1_500, number).to_csv(path, index=False)
    for score in DRIVING:
        datasets = [encoded(folder, pd.read_csv(path)) for path in paths.values()]
        two, *more = best_of_each(3, *(partial(ranked, dataset, score) for dataset in datasets))
        commands = [probfs("rank", path, "--score", score.name) for path in paths.values()]
        two_whole, *more_whole = (usage.seconds for usage in best_processes(3, *commands))
        for number, seconds, whole in zip(several[1:], more, more_whole, strict=True):
            name, limit = f"classes-{number}-1000x1500", 3 * (number - 1)
            yield at_most(name, f"all rounds, {score.name}", seconds, "two classes", two, limit)
            yield at_most(name, f"rank, {score.name}", whole, "two classes", two_whole, limit)


def medium(folder: Path) -> Iterator[Line]:
    """2,000 × 100: all removals, beside backward selection by others."""
    name = "medium-2000x100"
    frame = categorical(2_000, 100)
    dataset = encoded(folder, frame)
    # A few removals, for as many of theirs, so that they end today.
    own = best_of(5, lambda: ranked(dataset, ABSOLUTE, removals=PEER_REMOVALS))
    for peer, seconds, wanted in selection_peers(frame):
        yield faster(name, f"{PEER_REMOVALS} removals of 100", own, peer, seconds, wanted)
    path = folder / "medium.csv"
    frame.to_csv(path, index=False)
    end_to_end = best_process(3, probfs("rank", path)).seconds
    for peer, seconds in scoring_peers(frame):
        yield faster(name, "all rounds, end to end", end_to_end, peer, seconds, 1)


def selection_peers(frame: pd.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Their names, how long they take, and how much faster we want to be."""
    from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.naive_bayes import CategoricalNB

    matrix, labels = numbered(frame)
    wanted = matrix.shape[1] - PEER_REMOVALS
    model = CategoricalNB(min_categories=8)
    backward = SequentialFeatureSelector(model, n_features_to_select=wanted, direction="backward", cv=5, n_jobs=-1)
    yield "scikit-learn backward SFS", best_of(1, lambda: backward.fit(matrix, labels)), 1_000
    mlxtend = MlxtendSelector(model, k_features=wanted, forward=False, cv=5, n_jobs=-1)
    yield "mlxtend backward SFS", best_of(1, lambda: mlxtend.fit(matrix, labels)), 1_000
    yield "refit RFE by hand, no cross-validation", best_of(1, lambda: refit_rfe(model, matrix, labels)), 1


def refit_rfe(model: Any, matrix: np.ndarray, labels: np.ndarray) -> None:
    """Ŝ_S by resubstitution, a refit for each column, for as many removals."""
    active = list(range(matrix.shape[1]))
    for _ in range(PEER_REMOVALS):
        full = model.fit(matrix[:, active], labels).predict_proba(matrix[:, active])[:, 1]
        scores = {}
        for column in active:
            rest = [other for other in active if other != column]
            without = model.fit(matrix[:, rest], labels).predict_proba(matrix[:, rest])[:, 1]
            scores[column] = np.abs(full - without).mean()
        active.remove(min(scores, key=lambda column: scores[column]))


def scoring_peers(frame: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """One scoring of all columns by others: another job than ours, which users know."""
    from boruta import BorutaPy
    from feature_engine.selection import SelectByShuffling
    from lofo import Dataset as LofoDataset
    from lofo import LOFOImportance
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.naive_bayes import CategoricalNB
    from skrebate import ReliefF

    matrix, labels = numbered(frame)
    model = CategoricalNB(min_categories=8).fit(matrix, labels)
    yield (
        "permutation_importance, one round of 5 repeats",
        best_of(1, lambda: permutation_importance(model, matrix, labels, n_repeats=5, random_state=0)),
    )
    columns = pd.DataFrame(matrix, columns=[f"f{number}" for number in range(matrix.shape[1])])
    shuffling = SelectByShuffling(CategoricalNB(min_categories=8), cv=5, random_state=0)
    yield "feature-engine, one round of shuffling", best_of(1, lambda: shuffling.fit(columns, pd.Series(labels)))
    lofo_data = LofoDataset(columns.assign(y=labels), target="y", features=list(columns.columns))
    lofo = LOFOImportance(lofo_data, scoring="neg_log_loss", model=CategoricalNB(min_categories=8), cv=5, n_jobs=1)
    yield "lofo-importance, one round", best_of(1, lofo.get_importance)
    forest = RandomForestClassifier(n_jobs=-1, max_depth=5, random_state=0)
    boruta = BorutaPy(forest, n_estimators="auto", max_iter=20, random_state=0)
    yield "Boruta, 20 iterations", best_of(1, lambda: boruta.fit(matrix, labels))
    relief = ReliefF(n_jobs=-1)
    yield "skrebate ReliefF", best_of(1, lambda: relief.fit(matrix.astype(float), labels))


def growth(folder: Path) -> Iterator[Line]:
    """How the time of all rounds grows with rows and with columns."""
    times = {rows: best_of(2, partial(ranked, encoded(folder, categorical(rows, 20)), ABSOLUTE)) for rows in TALL}
    for small, large in ((10_000, 100_000), (100_000, 1_000_000)):
        limit = 1.1
        linear = times[small] * large / small
        yield at_most(f"rows-{small}-to-{large}x20", "all rounds", times[large], "linear growth", linear, limit)
    by_columns = {columns: encoded(folder, categorical(1_000, columns)) for columns in (100, 2_000)}
    few, many = (best_of(2, partial(ranked, dataset, ABSOLUTE)) for dataset in by_columns.values())
    yield at_most("columns-1000x100-to-2000", "all rounds", many, "quadratic growth", few * 400, 1)
    few, many = (best_of(2, partial(ranked, dataset, ABSOLUTE, 0.1)) for dataset in by_columns.values())
    yield at_most("columns-1000x100-to-2000", "rounds of --step 0.1", many, "linear growth", few * 20, 1.2)


TALL = (10_000, 100_000, 1_000_000)


def many_rows(folder: Path) -> Iterator[Line]:
    """5,000,000 × 12 binary columns: end to end, beside reading the file alone."""
    path = folder / "binary.csv"
    binary(5_000_000, 12).to_csv(path, index=False)
    code = f"from probfs.tables.reading import ReadOptions, read_table; read_table({str(path)!r}, ReadOptions())"
    process(probfs("rank", path))
    pandas = python(f"import pandas; pandas.read_csv({str(path)!r})")
    own, peer, reading = (usage.seconds for usage in best_processes(5, probfs("rank", path), pandas, python(code)))
    yield at_most("binary-5000000x12", "rank", own, "pandas.read_csv", peer, 1.5)
    yield at_most("binary-5000000x12", "rank", own, "probfs reading the file", reading, 1.5)


def arff(folder: Path) -> Iterator[Line]:
    """100,000 × 50 dense ARFF: reading alone."""
    import arff as liac

    table, path = folder / "arff.csv", folder / "table.arff"
    categorical(100_000, 50).to_csv(table, index=False)
    process([*probfs("map", table, "--mapping", _empty_mapping(folder), "--output", path)])
    own = best_of(3, lambda: read_table(str(path), ReadOptions()))

    def theirs() -> None:
        with open(path) as stream:
            liac.load(stream)

    yield faster("arff-100000x50", "reading", own, "liac-arff", best_of(1, theirs), 5)


def wide_numbers(folder: Path) -> Iterator[Line]:
    """100 × 20,000 and 100 × 2,000 measurements: end to end, beside reading the file."""
    name = "genes-100x20000"
    table, parquet = folder / "genes.csv", folder / "genes.parquet"
    frame = genes(100, 20_000)
    frame.to_csv(table, index=False)
    frame.to_parquet(parquet)
    # The first run compiles, once and for all.
    process(probfs("rank", table))
    runs = (
        ("rank, --step 0.1", table, 0.1, "pandas.read_csv", pd.read_csv, 3),
        ("rank, --step 1", table, 1, "pandas.read_csv", pd.read_csv, 12),
        ("rank of Parquet, --step 0.1", parquet, 0.1, "pandas.read_parquet", pd.read_parquet, 3),
    )
    for what, path, step, peer, read, limit in runs:
        own, reading = best_of_each(5, partial(process, probfs("rank", path, "--step", step)), partial(read, path))
        yield at_most(name, what, own, peer, reading, limit)
    yield select_beside_rank(name, table, 2)
    small = folder / "fewer_genes.csv"
    genes(100, 2_000).to_csv(small, index=False)
    ours, theirs = best_processes(5, probfs("rank", small), python(f"import pandas; pandas.read_csv({str(small)!r})"))
    yield at_most("genes-100x2000", "rank", ours.seconds, "import pandas and read_csv", theirs.seconds, 2)


def select_beside_rank(name: str, path: Path, limit: float) -> Line:
    """End to end, with the ten folds of the honest estimate."""
    # The first run compiles, once and for all.
    process(probfs("select", path))
    ours, rank = best_processes(3, probfs("select", path), probfs("rank", path))
    return at_most(name, "select", ours.seconds, "probfs rank", rank.seconds, limit)


def start_up(folder: Path) -> Iterator[Line]:
    """What it takes to begin at all."""
    help_alone = python("from probfs.cli import main; main(['--help'])")
    shown, typer = best_processes(5, help_alone, python("import typer"))
    yield at_most("start", "--help", shown.seconds, "import typer", typer.seconds, 2)
    small = probfs("rank", HERE.parent / "sample_data" / "breast_cancer.csv")
    ranked_small, both = best_processes(5, small, python("import pandas, typer"))
    yield at_most("start", "rank of 699 × 10", ranked_small.seconds, "import pandas, typer", both.seconds, 1.5)


def encoded(folder: Path, frame: pd.DataFrame) -> Dataset:
    path = folder / "encoded.csv"
    frame.to_csv(path, index=False)
    prepared = read_prepared(InputRequest(str(path)))
    return encode(prepared)[0]


def backend(dataset: Dataset, rounds: list[int]) -> FittedNaiveBayes:
    return FittedNaiveBayes(FitRequest(dataset, "loo", None, 0, rounds), 1.0)


def ranked(dataset: Dataset, score: Score, step: float = 1, removals: int | None = None) -> None:
    names = [feature.name for feature in dataset.features]
    rounds = eliminate(backend(dataset, schedule(len(names), step)), names, score, step)
    for _ in islice(rounds, removals):
        pass


def numbered(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    codes = [pd.factorize(frame[name])[0] for name in frame.columns]
    return np.stack(codes[:-1], axis=1), codes[-1]


def _empty_mapping(folder: Path) -> Path:
    path = folder / "empty.toml"
    path.write_text('target = "y"\n')
    return path


PARTS = (start_up, tall, wide, classes, medium, growth, many_rows, arff, wide_numbers)
