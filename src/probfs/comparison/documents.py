"""The JSON of a ranking or a selection, read into what can be compared."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from probfs.classifiers.scores import SCORES, Score
from probfs.comparison.json_fields import Fields, parse_json
from probfs.errors import DataError
from probfs.tables.opening import display_name, open_source
from probfs.text import quoted, shown_bytes

Kind = Literal["ranking", "selection"]

VERSIONS = {"ranking": (1, 2), "selection": (1, 2)}
"""The versions of each schema that are read: they differ in ``warnings``, which are not compared."""
_SCORE_KEYS = tuple(score.key for score in SCORES)
VERDICTS = ("keep", "redundant", "weak", "noise")
MOST_BYTES = 128 << 20
"""The JSON of 100,000 columns has about half of that."""


@dataclass(frozen=True)
class ComparedColumn:
    """A column of a ranking or selection."""

    name: str
    rank: int
    score: float | None
    """The score that decided, in the round in which the column left; None if a selection screened it out."""
    strength: float | None
    """The absolute score that ``traits`` are exact in proportion to."""
    traits: tuple[float | None, ...]
    """Scores that a column keeps under another name: those of the first round, and in a selection those it has."""
    p: float | None
    rank_low: int | None = None
    rank_high: int | None = None
    verdict: str | None = None
    """None in a ranking."""


@dataclass(frozen=True)
class ComparedRanking:
    """A ranking or selection, as far as it is compared with another one."""

    source: str
    """The document's name as messages show it."""
    kind: Kind
    version: str
    table: str
    """The name of the table."""
    target: str
    classes: Mapping[str, int] = field(hash=False)
    labelled_rows: int
    unlabelled_rows: int
    unlabelled_sources: tuple[str, ...]
    features: int
    """How many columns there were."""
    settings: Mapping[str, Any] = field(hash=False)
    columns: tuple[ComparedColumn, ...]
    """Best first; only the best of them where the document was written with ``--top``."""
    kept: tuple[str, ...] | None = None
    """The names of the columns that a selection keeps, listed or not; None for a ranking."""

    @property
    def is_partial(self) -> bool:
        """Whether the document lists only the best columns."""
        return len(self.columns) < self.features

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def score(self) -> Score:
        """The score that decided."""
        return SCORES[self.settings["score"]]


def read_document(path: str | os.PathLike[str], max_unpacked: int | None = None) -> ComparedRanking:
    """Read the JSON that ``rank`` or ``select`` wrote; whatever else a file holds is one line with its name."""
    source = display_name(path)
    with open_source(path, max_unpacked) as (stream, _):
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(f"is larger than {shown_bytes(MOST_BYTES)}; is it a ranking or selection?", source=source)
    if not content.strip():
        raise DataError("is empty", source=source)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 near byte {error.start}, as JSON must be", source=source) from error
    return parse_document(parse_json(text, source), source)


def parse_document(content: Any, source: str) -> ComparedRanking:
    """Check the content of a JSON document."""
    document = Fields(content, source)
    kind = _kind_of(document)
    settings, data = document.object("settings"), document.object("input")
    score = settings.text("score")
    if score not in SCORES.names():
        settings.fail("score", f"is {quoted(score)}, not one of {', '.join(SCORES.names())}")
    classes = data.object("classes")
    features = document.objects("features")
    read = _ranked_column if kind == "ranking" else _selected_column
    driving = SCORES[score]
    columns = tuple(read(feature, driving) for feature in features)
    if not columns:
        raise DataError("lists no column, so there is nothing to compare", source=source)
    _check_order(columns, features)
    number = data.whole_number("features", least=len(columns))
    kept = document.texts("kept") if kind == "selection" else None
    if kept is not None:
        _check_kept(kept, columns, document, is_partial=len(columns) < number)
    return ComparedRanking(
        source=source,
        kind=kind,
        version=document.text("version"),
        table=data.text("source"),
        target=data.text("target"),
        classes={name: classes.whole_number(name) for name in classes.items()},
        labelled_rows=data.whole_number("labelled_rows"),
        unlabelled_rows=data.whole_number("unlabelled_rows"),
        unlabelled_sources=data.texts("unlabelled_sources"),
        features=number,
        settings=settings.items(),
        columns=columns,
        kept=kept,
    )


def _kind_of(document: Fields) -> Kind:
    """What the document's schema says that it is."""
    schema = document.get("schema")
    if not isinstance(schema, str) or not schema.startswith("probfs."):
        raise DataError("is JSON, but not of probfs rank or probfs select", source=document.source)
    name, _, version = schema.removeprefix("probfs.").partition("/")
    kind: Kind | None = "ranking" if name == "ranking" else "selection" if name == "selection" else None
    if kind is None:
        problem = f"is {quoted(schema)}, which is neither a ranking nor a selection"
        raise DataError(f"{problem}; name the JSON of probfs rank or select", source=document.source)
    if version not in map(str, VERSIONS[kind]):
        problem = f"is {quoted(schema)}, which this version of probfs does not know"
        raise DataError(f"{problem}; it reads up to probfs.{name}/{VERSIONS[kind][-1]}", source=document.source)
    return kind


def _ranked_column(feature: Fields, score: Score) -> ComparedColumn:
    initial = feature.object("initial")
    return ComparedColumn(
        name=feature.text("feature"),
        rank=feature.whole_number("rank", least=1),
        score=feature.number_or_none(score.key),
        strength=initial.number_or_none("s_s"),
        traits=tuple([initial.number_or_none(key) for key in _SCORE_KEYS]),
        p=feature.number_or_none("p"),
        rank_low=feature.whole_number_or_none("rank_low", least=1),
        rank_high=feature.whole_number_or_none("rank_high", least=1),
    )


def _selected_column(feature: Fields, score: Score) -> ComparedColumn:
    verdict = feature.text("verdict")
    if verdict not in VERDICTS:
        feature.fail("verdict", f"is {quoted(verdict)}, not one of {', '.join(VERDICTS)}")
    return ComparedColumn(
        name=feature.text("feature"),
        rank=feature.whole_number("rank", least=1),
        score=feature.number_or_none(score.key),
        strength=feature.number_or_none("s_s"),
        traits=tuple([feature.number_or_none(key) for key in ("s_s", "s_a", "log_loss")]),
        p=feature.number_or_none("p"),
        verdict=verdict,
    )


def _check_order(columns: tuple[ComparedColumn, ...], features: list[Fields]) -> None:
    """Refuse ranks that are not 1, 2, 3 …, intervals that do not hold them, and a name that is there twice."""
    seen: set[str] = set()
    for position, (column, feature) in enumerate(zip(columns, features, strict=True), 1):
        if column.rank != position:
            feature.fail("rank", f"is {column.rank}, but the column is number {position}")
        if column.name in seen:
            feature.fail("feature", f"{quoted(column.name)} stands there twice")
        if (column.rank_low is None) != (column.rank_high is None):
            feature.fail("rank_low", "and rank_high belong together, but one of them is missing")
        if not (column.rank_low or 1) <= column.rank <= (column.rank_high or column.rank):
            feature.fail("rank", "is outside of rank_low and rank_high")
        seen.add(column.name)


def _check_kept(
    kept: tuple[str, ...], columns: tuple[ComparedColumn, ...], document: Fields, *, is_partial: bool
) -> None:
    """Refuse a list of kept columns that has one twice, or that the verdicts contradict."""
    names = Counter(kept)
    twice = next((name for name, times in names.items() if times > 1), None)
    if twice is not None:
        document.fail("kept", f"has {quoted(twice)} twice")
    verdicts = {column.name: column.verdict for column in columns}
    for name, verdict in verdicts.items():
        if (verdict == "keep") != (name in names):
            has = "has" if name in names else "has not"
            document.fail("kept", f"{has} {quoted(name)}, whose verdict is {verdict}")
    unknown = next((name for name in kept if name not in verdicts), None)
    if unknown is not None and not is_partial:
        document.fail("kept", f"has {quoted(unknown)}, which is none of the features")
