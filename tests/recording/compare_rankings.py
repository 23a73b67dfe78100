"""What differs between two folders of recorded rankings (tests/record_rankings.py), and whether the limits are met.

Naive Bayes is computed exactly, so its rankings must be the same to nine digits. The other classifiers shuffle, fold
and iterate; their order must be nearly the same.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from tests.record_rankings import SMALL_TABLES, STATUSES, case, classifier_of

TOLERANCE = 1e-9
NEGLIGIBLE = 1e-12
LEAST_CORRELATION = 0.9
LEAST_SAME_FIRST = 0.95

ABSOLUTE_SCORES = ("s_s", "s_su", "initial_s_s", "initial_s_su")
SIGNED_SCORES = {"s_a": "s_s", "initial_s_a": "initial_s_s"}
"""A signed score is a difference, so its error is relative to the absolute score of the same round."""
SHOWN = 5
"""How many differences of one table are printed."""
SCORE_KEYS = {"absolute": "s_s", "signed": "s_a", "unlabeled": "s_su"}
TESTS = ("p", "q")

Record = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """A recorded ranking; a CSV has features only."""

    features: list[Record]
    rounds: list[Record] = field(default_factory=list)
    rest: dict[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> list[str]:
        return [record["feature"] for record in self.features]


@dataclass
class Findings:
    """Differences, by how much they matter."""

    failures: list[str] = field(default_factory=list)
    negligible: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    keys: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What changed outside of features and rounds: by key, the table and its change."""
    compared: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    correlations: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    same_first: defaultdict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))


def compare(before: Path, after: Path, chance: Path | None = None) -> int:
    """Print a line for each difference and a summary; 1 if a limit is missed.

    ``chance`` holds what the version before gives with other seeds: where the order changes as much there, it says so.
    """
    findings = Findings()
    by_chance = _results(chance) if chance else {}
    old_paths, new_paths = _results(before), _results(after)
    compare_presence(before, after, set(old_paths), set(new_paths), findings)
    for table in sorted(old_paths.keys() & new_paths.keys()):
        other = read(by_chance[table]).order if table in by_chance else None
        compare_tables(table, read(old_paths[table]), read(new_paths[table]), findings, other)
    return summarize(findings)


def _results(folder: Path) -> dict[str, Path]:
    return {path.name.split("-")[0]: path for path in folder.glob("*-ranking.*")}


def read(path: Path) -> Result:
    if path.suffix == ".csv":
        with open(path, newline="") as stream:
            records = list(csv.DictReader(stream))
        return Result([{key: _number(text) for key, text in record.items()} for record in records])
    content = json.loads(path.read_text())
    features = [_flat(record) for record in content.pop("features")]
    return Result(features, content.pop("rounds"), content)


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text or None


def _flat(record: Record) -> Record:
    """The record with the keys that it has in CSV."""
    initial = {f"initial_{key}": value for key, value in record.get("initial", {}).items()}
    return {**{key: value for key, value in record.items() if key != "initial"}, **initial}


def compare_presence(before: Path, after: Path, old: set[str], new: set[str], findings: Findings) -> None:
    """Tables that only one version ranks. Folders without statuses were recorded before statuses were kept."""
    statuses = [
        json.loads((folder / STATUSES).read_text()) if (folder / STATUSES).exists() else {}
        for folder in (before, after)
    ]
    beyond = (old | set(statuses[0])) ^ (new | set(statuses[1]))
    for table in sorted((old ^ new) - beyond):
        findings.failures.append(f"{table}: ranked {'before' if table in old else 'after'} only")
    for table in sorted(statuses[0].keys() & statuses[1].keys()):
        if statuses[0][table] != statuses[1][table]:
            findings.failures.append(f"{table}: exit status {statuses[0][table]} became {statuses[1][table]}")
    if beyond:
        print(f"recorded in one folder only, and not compared: {', '.join(sorted(beyond))}")


def compare_tables(
    table: str, old: Result, new: Result, findings: Findings, by_chance: list[str] | None = None
) -> None:
    classifier = classifier_of(int(table))
    findings.compared[classifier] += 1
    if sorted(old.order) != sorted(new.order):
        changed = ", ".join(sorted(set(old.order) ^ set(new.order)))
        findings.failures.append(f"{table} {classifier}: other columns are ranked: {changed}")
        return
    if classifier == "nb":
        compare_exactly(table, old, new, findings)
    else:
        known = "" if by_chance is None else f" ({spearman(old.order, by_chance):.2f} by another seed alone)"
        compare_order(table, classifier, old.order, new.order, findings, known)
    for key, change in changes(old.rest, new.rest):
        findings.keys[key].append(f"{table}: {change}")


def compare_exactly(table: str, old: Result, new: Result, findings: Findings) -> None:
    """Naive Bayes: order, scores, errors and losses."""
    if old.order != new.order:
        place = next(rank for rank, (a, b) in enumerate(zip(old.order, new.order, strict=True)) if a != b)
        line = f"{table} nb: rank {place + 1} is {new.order[place]}, was {old.order[place]}"
        if only_negligible_moved(int(table), old, new):
            findings.negligible.append(line)
        else:
            findings.failures.append(line)
    by_name = {record["feature"]: record for record in new.features}
    differences = [
        f"{table} nb: {key} of {record['feature']} is {b!r}, was {a!r}"
        for record in old.features
        for key, a, b in score_differences(record, by_name[record["feature"]])
    ]
    differences += [f"{table} nb: {line}" for line in round_differences(old.rounds, new.rounds)]
    findings.failures += differences[:SHOWN]
    if len(differences) > SHOWN:
        findings.failures.append(f"{table} nb: … and {len(differences) - SHOWN} more differences")
    moved = [
        f"{record['feature']} {key} {record[key]!r} -> {by_name[record['feature']][key]!r}"
        for record in old.features
        for key in TESTS
        if not near(record[key], by_name[record["feature"]][key])
    ]
    if moved:
        findings.tests.append(f"{table} nb: {len(moved)} values of p and q differ, such as {moved[0]}")


def only_negligible_moved(table: int, old: Result, new: Result) -> bool:
    """Whether the table has smoothing 0, and every column that has another rank scores nothing, before and after."""
    if table >= SMALL_TABLES:
        return False
    options = case(table)[1]
    smoothing, score = (options[options.index(name) + 1] for name in ("--smoothing", "--score"))
    key = SCORE_KEYS[score]
    by_name = {record["feature"]: record for record in new.features}
    return smoothing == "0" and all(
        abs(record[key]) <= NEGLIGIBLE and abs(by_name[record["feature"]][key]) <= NEGLIGIBLE
        for record, name in zip(old.features, new.order, strict=True)
        if record["feature"] != name
    )


def score_differences(old: Record, new: Record) -> Iterator[tuple[str, Any, Any]]:
    for key in ABSOLUTE_SCORES:
        if not near(old[key], new[key]):
            yield key, old[key], new[key]
    for key, scale in SIGNED_SCORES.items():
        if not near(old[key], new[key], max(abs(old[scale]), abs(new[scale]))):
            yield key, old[key], new[key]


def near(a: Any, b: Any, scale: float | None = None) -> bool:
    """Equal to nine digits of the scale, the larger one unless given; what is negligible is equal."""
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return bool(a == b)
    size = max(abs(a), abs(b))
    return size <= NEGLIGIBLE or abs(a - b) <= TOLERANCE * max(size, scale or 0)


def round_differences(old: list[Record], new: list[Record]) -> Iterator[str]:
    if len(old) != len(new):
        yield f"{len(new)} rounds, were {len(old)}"
        return
    for before, after in zip(old, new, strict=True):
        for key in before.keys() - {"removed"}:
            a, b = before[key], after.get(key)
            same = near(a, b) if isinstance(a, float) else a == b
            if not same:
                yield f"{key} of round {before['round']} is {b!r}, was {a!r}"


def compare_order(table: str, classifier: str, old: list[str], new: list[str], findings: Findings, known: str) -> None:
    """Classifiers that are refitted: rank correlation and the first column."""
    correlation = spearman(old, new)
    findings.correlations[classifier].append(correlation)
    findings.same_first[classifier].append(old[0] == new[0])
    if correlation < LEAST_CORRELATION - TOLERANCE:
        line = f"{table} {classifier}: rank correlation {correlation:.2f}{known}: {' '.join(new)}; was {' '.join(old)}"
        findings.failures.append(line)


def spearman(old: list[str], new: list[str]) -> float:
    """The rank correlation of two orders of the same names; 1 for a single name."""
    n = len(old)
    ranks = {name: rank for rank, name in enumerate(new)}
    distance = sum((rank - ranks[name]) ** 2 for rank, name in enumerate(old))
    return 1 - 6 * distance / (n * (n * n - 1)) if n > 1 else 1.0


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys whose value changed, with old and new value."""
    before, after = dict(leaves("", old)), dict(leaves("", new))
    for key in sorted(before.keys() | after.keys()):
        if before.get(key, "(none)") != after.get(key, "(none)"):
            yield key, f"{before.get(key, '(none)')} -> {after.get(key, '(none)')}"


def leaves(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Dotted keys and values of nested objects; a warning's key is its code."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(f"{prefix}.{key}".lstrip("."), item)
    elif prefix == "warnings":
        for item in value:
            yield from leaves(f"warnings.{item['code']}", item)
    else:
        yield prefix, str(value)


def summarize(findings: Findings) -> int:
    for title, lines in (
        ("limits missed", findings.failures),
        ("order among negligible scores", findings.negligible),
        ("p and q", findings.tests),
    ):
        print(f"{title}: {len(lines) or 'none'}")
        print("".join(f"  {line}\n" for line in lines), end="")
    print(f"changed outside of features and rounds: {len(findings.keys) or 'nothing'}")
    for key, tables in sorted(findings.keys.items()):
        print(f"  {key} in {len(tables)} tables, such as {tables[0]}")
    print("compared:")
    print(f"  nb: {findings.compared['nb']} tables, scores to {TOLERANCE:g}")
    every = [same for classifier in findings.same_first.values() for same in classifier]
    for classifier, correlations in sorted(findings.correlations.items()):
        same = mean(findings.same_first[classifier])
        least = f"least rank correlation {min(correlations):.2f}, mean {mean(correlations):.3f}"
        print(f"  {classifier}: {len(correlations)} tables, {least}, same first column in {same:.0%}")
    if every:
        print(f"  same first column, all but nb: {mean(every):.1%} (at least {LEAST_SAME_FIRST:.0%})")
    failed = bool(findings.failures) or (bool(every) and mean(every) < LEAST_SAME_FIRST)
    print("FAILED" if failed else "passed")
    return int(failed)
