"""Random tables of every kind of column, whole and split into blocks of rows, and what becomes of either."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from probfs.cluster.planned_screen import screen_plan

from probfs.cluster.counted_column import condense, join_condensed
from probfs.cluster.encoding_plan import EncodedBlock, encode_block, plan_encoding
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.inspect import Inspection, inspect_table
from probfs.columns.mapping import parse_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.errors import ProbfsError
from probfs.ranking.inputs import every_name, reading_for, reading_unlabelled
from probfs.screening.screen import Screening, numbers_before_cutting, screen
from probfs.tables.arff import read_arff
from probfs.tables.frames import table_in_memory
from probfs.tables.opening import ReadOptions, TableInput
from probfs.tables.table import Table
from tests.support.table_content import read_csv_text

Random = np.random.Generator
Read = Callable[[dict[str, "Cells"], ReadOptions], Table]
Cells = list[str]


def _numbered(random: Random, labels: Cells) -> Cells:
    return [str(row + len(labels) % 2) for row in range(len(labels))]


def _rising(random: Random, labels: Cells) -> Cells:
    return [str(n) for n in np.cumsum(random.integers(1, int(random.choice([4, 30])), len(labels)) + 1000)]


def _separated(random: Random, labels: Cells) -> Cells:
    mark = str(random.choice([",", " ", "."]))
    return [f"{n:,}".replace(",", mark) for n in random.integers(1, 10**7, len(labels))]


def _decimal_commas(random: Random, labels: Cells) -> Cells:
    return [f"{n:.2f}".replace(".", ",") for n in random.normal(size=len(labels))]


def _dates(random: Random, labels: Cells) -> Cells:
    return [str(np.datetime64("2020-01-01") + int(day)) for day in random.integers(0, 200, len(labels))]


def _leak(random: Random, labels: Cells) -> Cells:
    return [label if random.random() < 0.98 else "a" for label in labels]


def _leak_by_missing(random: Random, labels: Cells) -> Cells:
    return ["" if label == "a" and random.random() < 0.97 else str(random.integers(9)) for label in labels]


def _chosen(*texts: str) -> Callable[[Random, Cells], Cells]:
    return lambda random, labels: [str(text) for text in random.choice(texts, len(labels))]


KINDS: dict[str, tuple[Callable[[Random, Cells], Cells], tuple[str, ...]]] = {
    "words": (
        _chosen("red", "green", "blue", "NA", "é"),
        (
            *(
                '{ groups = { warm = ["red"], cold = ["blue", "grey"] } }',
                '{ groups = { warm = ["red"] }, other = "no" }',
            ),
            *('{ min_count = 9, other = "few" }', '"== red"', '\'in ["red", "blue"]\'', '{ missing = "value" }'),
        ),
    ),
    "digits": (
        _chosen(*map(str, range(7))),
        ('"numeric"', '"category"', "{ cut = [2, 4] }", '"<= 3"', '"!= 3"', "{ min_count = 12 }"),
    ),
    "measured": (
        lambda random, labels: [str(n) for n in random.normal(size=len(labels)).round(2)],
        ("{ quantiles = 3 }", "{ widths = 4 }", '"> 0"', '"numeric"', '{ cut = [-1, 0.5], missing = "value" }'),
    ),
    "half zero": (
        lambda random, labels: [str(n) for n in (random.normal(size=len(labels)).round(3) * random.integers(2))],
        ("{ quantiles = 4 }",),
    ),
    "rank of class": (
        lambda random, labels: [str(ord(label[0]) * 3 + random.integers(20)) if label else "5" for label in labels],
        ("{ quantiles = 2 }",),
    ),
    "keys": (lambda random, labels: [str(n) for n in random.permutation(10**6)[: len(labels)] + 10**6], ()),
    "case_id": (lambda random, labels: [f"k{n}" for n in random.integers(0, 2 * len(labels), len(labels))], ()),
    "numbered": (_numbered, ()),
    "rising": (_rising, ()),
    "separated": (_separated, ()),
    "commas": (_decimal_commas, ()),
    "dates": (_dates, ("{ cut = [2020-02-01, 2020-04-01] }", '"< 2020-03-01"', "{ quantiles = 3 }")),
    "postal codes": (lambda random, labels: [f"{n:05}" for n in random.integers(0, 3000, len(labels))], ()),
    "leak": (_leak, ()),
    "leak by missing": (_leak_by_missing, ('{ missing = "value" }',)),
    "constant": (_chosen("1"), ()),
    "empty": (_chosen(""), ()),
    "yes": (_chosen("yes", "no", "?", ""), ('"category"',)),
}
TARGET_RULES = (
    '{ groups = { first = ["a"] } }',
    '{ groups = { first = ["a"] }, other = "rest" }',
    '"== a"',
    '"category"',
)
ODD_COUNTS = ("", "NA", "x", "1.0", "1 234", "-9", "999999999999999")
ODD_CELLS = ("", "", "NA", "-", "?", "inf", "-9", "-9.0", "x", "1e3", "007", "1,234", " 3", "2020-01-01", "none")


CATEGORIES = {"words": ["red", "blue", "green", "é"], "digits": ["5", "3", "1", "0", "2", "4", "6"]}
NUMBERS = ("measured", "half zero", "rank of class", "keys", "numbered", "rising", "n")


@dataclass(frozen=True)
class Case:
    """Cells by column, rows at which the table is split, further rows without a class, and what the user says."""

    cells: dict[str, Cells]
    splits: tuple[int, ...]
    unlabelled: dict[str, Cells] | None
    mapping: str
    choice: dict[str, Any]
    decimal: str | None

    def blocks(self) -> list[dict[str, Cells]]:
        ends = (*self.splits, len(self.cells["y"]))
        return [
            {name: own[start:end] for name, own in self.cells.items()}
            for start, end in zip((0, *self.splits), ends, strict=True)
        ]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([6, 25, 70]))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5, unique=True))
    cells, mapping = _features(random, kinds, rows)
    rules = mapping if draw(st.booleans()) else {}
    target = draw(st.sampled_from(["classes", "classes", "classes by a rule", "numbers"]))
    if target == "classes by a rule":
        rules["y"] = draw(st.sampled_from(TARGET_RULES))
    elif target == "numbers":
        cells["y"] = [str(n) for n in random.integers(0, 90, rows)]
    count = "n" if draw(st.booleans()) else None
    if draw(st.integers(0, 9)) == 9:
        cells["n"][draw(st.integers(0, rows - 1))] = draw(st.sampled_from(ODD_COUNTS))
    choice = {
        "target": "y",
        "count": count,
        "na": draw(st.sampled_from([(), (), ("-9",), ("auto",), ("none",), ("x", "b")])),
        "missing": draw(st.sampled_from(["skip", "auto", "value"])),
        "min_class": draw(st.sampled_from([1, 2, 4])),
        "keep_identifiers": draw(st.booleans()),
        "bins": draw(st.sampled_from([3, 5])),
        "cut_target": draw(st.sampled_from([3, 3, 3, None])) if target == "numbers" else None,
    }
    unlabelled = _features(random, kinds, 15)[0] if draw(st.booleans()) else None
    if unlabelled is not None and draw(st.integers(0, 4)) == 4:
        del unlabelled["y" if count is None else "n"]
    splits = sorted(draw(st.sets(st.integers(1, rows - 1), max_size=4)))
    # TOML has no key for a column that no rule speaks of.
    text = "[columns]\n" + "\n".join(f'"{name}" = {rule}' for name, rule in rules.items())
    return Case(cells, tuple(splits), unlabelled, text, choice, draw(st.sampled_from([None, None, ",", "."])))


def _features(random: Random, kinds: Sequence[str], rows: int) -> tuple[dict[str, Cells], dict[str, str]]:
    """Cells by column, and rules of a mapping for some of them."""
    labels = [str(text) for text in random.choice(["a", "b", "c", "rare", ""], rows, p=[0.4, 0.35, 0.13, 0.02, 0.1])]
    labels[:4] = ["a", "b", "b", "a"]
    cells: dict[str, Cells] = {"n": [str(n) for n in random.integers(0, 4, rows)]}
    mapping: dict[str, str] = {}
    for kind in kinds:
        make, rules = KINDS[kind]
        cells[kind] = make(random, labels)
        if random.random() < 0.4:
            odd = [str(text) for text in random.choice(ODD_CELLS, 2)]
            for row in random.integers(0, rows, int(random.integers(1, 12))):
                cells[kind][row] = str(random.choice(odd))
        if rules and random.random() < 0.7:
            mapping[kind] = str(random.choice(rules))
    cells["y"] = labels
    return cells, mapping


def as_csv(cells: dict[str, Cells], options: ReadOptions) -> Table:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(cells)
    writer.writerows(zip(*cells.values(), strict=True))
    return read_csv_text(text.getvalue(), options=options)


def as_frame(cells: dict[str, Cells], options: ReadOptions) -> Table:
    """A frame of typed columns: numbers and dates where all cells are, and categories for some words."""
    frame = pd.DataFrame({name: [cell or None for cell in own] for name, own in cells.items()}, dtype=object)
    for name in cells:
        if name in CATEGORIES:
            known = frame[name].where(frame[name].isin(CATEGORIES[name]), None)
            frame[name] = pd.Categorical(known, CATEGORIES[name], ordered=name == "digits")
        elif name in NUMBERS:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(np.float64)
        elif name == "dates":
            frame[name] = pd.to_datetime(frame[name], errors="coerce", format="%Y-%m-%d")
    return table_in_memory(frame, "data")


def as_arff(cells: dict[str, Cells], options: ReadOptions, declared: dict[str, list[str]]) -> Table:
    """An ARFF file with declared values where they are given, and texts elsewhere."""
    types = {
        name: "{" + ",".join(map(_quoted, declared[name])) + "}" if name in declared else "string" for name in cells
    }
    header = "".join(f"@attribute {_quoted(name)} {own}\n" for name, own in types.items())
    lines = zip(*cells.values(), strict=True)
    rows = "".join(",".join(_quoted(cell) if cell else "?" for cell in line) + "\n" for line in lines)
    raw: io.BufferedReader = io.BufferedReader(io.BytesIO(f"@relation r\n{header}@data\n{rows}".encode()))
    return read_arff(TableInput(raw, "t.arff", options))


def _quoted(text: str) -> str:
    return f"'{text}'"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What can be seen of a table that is prepared, encoded and screened."""

    prepared: PreparedTable
    inspection: Inspection
    block: EncodedBlock
    labels: list[list[str]]
    notes: tuple[str, ...]
    screening: Screening


def of_whole(case: Case, read: Read) -> Outcome:
    mapping, choice = parse_mapping(case.mapping.encode(), "m.toml"), ColumnChoice(**case.choice)
    reading = ReadOptions(decimal=case.decimal)
    prepared = prepare(read(case.cells, reading_for(reading, mapping, choice)), mapping, choice, case.decimal)
    dataset, notes = encode(prepared, _read_further(case, read, prepared))
    codes = np.stack([feature.labelled for feature in dataset.features])
    further = np.stack([feature.unlabelled for feature in dataset.features])
    nothing = np.zeros(0, dtype=np.int64)
    block = EncodedBlock(
        dataset.labels, dataset.counts, codes, dataset.unlabelled_counts, further, nothing, nothing, ()
    )
    labels = [feature.labels.to_pylist() for feature in dataset.features]
    screening = screen(dataset, numbers_before_cutting(prepared, dataset), 3)
    return Outcome(prepared, inspect_table(prepared), block, labels, notes, screening)


def of_blocks(case: Case, read: Read) -> Outcome:
    """The same from blocks, of which nobody sees two at a time; whatever would travel is pickled."""
    mapping, choice = parse_mapping(case.mapping.encode(), "m.toml"), ColumnChoice(**case.choice)
    options = replace(reading_for(ReadOptions(decimal=case.decimal), mapping, choice), as_text=every_name)
    blocks = _numbered_blocks([read(cells, options) for cells in case.blocks()])
    condensed = [_sent(condense(block, choice.target, choice.count)) for block in blocks]
    prepared = prepare(join_condensed(condensed), mapping, choice, case.decimal)
    plan = plan_encoding(prepared)
    sent = _sent(plan)
    encoded = [_sent(encode_block(block, sent)) for block in blocks]
    further = _read_further(case, read, prepared)
    encoded += [_sent(encode_block(table, sent, labelled=False)) for table in further]
    joined = _join(encoded)
    unseen = plan.notes_on_unseen(joined.present, joined.telling)
    labels = [feature.labels.to_pylist() for feature in plan.features]
    screening = screen_plan(prepared, plan, 3)
    return Outcome(prepared, inspect_table(prepared), joined, labels, (*joined.notes, *unseen, *plan.notes), screening)


def _numbered_blocks(blocks: Sequence[Table]) -> list[Table]:
    starts = np.cumsum([0, *(block.rows for block in blocks[:-1])])
    return [replace(block, first_row=int(start)) for block, start in zip(blocks, starts, strict=True)]


def _read_further(case: Case, read: Read, prepared: PreparedTable) -> list[Table]:
    options = reading_unlabelled(ReadOptions(decimal=case.decimal), "t.csv", prepared)
    return [] if case.unlabelled is None else [read(case.unlabelled, options)]


def _sent(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def _join(blocks: Sequence[EncodedBlock]) -> EncodedBlock:
    def joined(name: str) -> Any:
        return np.concatenate([getattr(block, name) for block in blocks], axis=-1)

    arrays = {name: joined(name) for name in ("labels", "counts", "codes", "unlabelled_counts", "unlabelled_codes")}
    sums = {name: sum(getattr(block, name) for block in blocks) for name in ("present", "telling")}
    return EncodedBlock(**arrays, **sums, notes=tuple(note for block in blocks for note in block.notes))


def outcome_or_error(make: Callable[[], Outcome]) -> Outcome | tuple[type, str]:
    try:
        return make()
    except ProbfsError as error:
        return type(error), error.message


def check_same(case: Case, read: Read) -> None:
    """Whether blocks give what the whole table gives, or the same error."""
    whole = outcome_or_error(partial(of_whole, case, read))
    split = outcome_or_error(partial(of_blocks, case, read))
    if isinstance(whole, tuple) or isinstance(split, tuple):
        # Of several errors, those of the table itself come first: unlabelled rows are encoded after it is planned.
        alone = outcome_or_error(partial(of_whole, replace(case, unlabelled=None), read))
        assert split == (alone if isinstance(alone, tuple) else whole)
        return
    assert split.prepared.plans == whole.prepared.plans
    assert split.prepared.leaks == whole.prepared.leaks
    assert split.prepared.labelled_rows == whole.prepared.labelled_rows
    assert split.inspection == whole.inspection
    assert split.labels == whole.labels
    assert split.notes == whole.notes
    for name in ("labels", "counts", "codes", "unlabelled_counts", "unlabelled_codes"):
        np.testing.assert_array_equal(getattr(split.block, name), getattr(whole.block, name), name)
    assert split.block.labels.dtype == whole.block.labels.dtype
    # Beyond so many rows, sums of rows times ranks are rounded, and depend on the order in which they are added.
    exact = whole.block.counts.sum() <= 2**26
    for name in ("p", "q", "chi_squared", "kruskal_wallis"):
        found, expected = getattr(split.screening, name), getattr(whole.screening, name)
        np.testing.assert_allclose(found, expected, rtol=0 if exact else 1e-12, err_msg=name)
