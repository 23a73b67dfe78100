"""The stages of a ranking whose rows are on a cluster.

Workers read blocks of the table; what the driver learns of them are counts. From these it decides everything that it
would decide from the rows, and sends what it decided to the workers, who encode their rows and keep them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.cluster.connection import Cluster, identity
from probfs.cluster.counting import (
    COUNTED_BINS,
    SAMPLED_ROWS,
    BinnedColumn,
    CondensedTable,
    CountedColumn,
    Sample,
    bytes_of_columns,
    count_block,
    join_condensed,
    list_numbers,
    sample_block,
)
from probfs.cluster.encoding import dataset_without_rows, encode_block, plan_encoding
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import notes_on_features, notes_on_lacking_counts, notes_on_unseen, unseen_share
from probfs.columns.mapping import ColumnMapping, load_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.columns.rules import Measured, Numeric, cuts_numbers
from probfs.columns.target import choose_target
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.candidates import Encoded, OnNote
from probfs.ranking.inputs import (
    Data,
    InputRequest,
    Inputs,
    Path,
    as_tuple,
    every_name,
    reading_for,
    reading_unlabelled,
)
from probfs.ranking.settings import Settings
from probfs.ranking.stages import announce_inputs
from probfs.rows.blocks import BYTES_OF_A_ROW, Block, add_answers
from probfs.runtime.memory import require_memory
from probfs.runtime.progress import report
from probfs.tables.arrays import Floats
from probfs.tables.cells import Kind
from probfs.tables.column import Column, missing_column, unread_column
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.formats import format_of_path
from probfs.tables.opening import STANDARD_INPUT, display_name
from probfs.tables.reading import NO_ROWS, ReadOptions, all_names, join_notes, read_parts, refuse_other_columns
from probfs.tables.table import NoRowsError, Table, without_blank_rows
from probfs.tables.urls import is_url
from probfs.text import option, quoted, shown_bytes

if TYPE_CHECKING:
    from distributed import Future

Answer = TypeVar("Answer")
_BLOCKS_PER_THREAD = 2
"""So that a thread that is done early has something left to do. Each block answers each question: more cost time."""
_IN_MEMORY = 0.6
"""The part of a worker's memory above which Dask puts results on disk."""
_JOINED_AT_ONCE = 16
"""Blocks whose counts a worker joins."""
_FIRST_ROWS = 10_000
"""Rows that show whether the numbers of a column repeat."""
_TIMES_COUNTED = 6
"""The memory that fetching counts and deciding by them takes, in that of the counts."""


class ClusterBlocks:
    """Encoded blocks, in order."""

    here = None

    def __init__(self, cluster: Cluster, futures: Sequence[Future[Any]]) -> None:
        self.cluster = cluster
        self.futures = futures

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        answer: Answer = add_answers(self.each(function, *arguments))
        return answer

    def each(self, function: Callable[..., Answer], *arguments: Any) -> list[Answer]:
        return self.cluster.gather(self._call(function, arguments))

    def map(self, function: Callable[..., Block], *arguments: Any) -> ClusterBlocks:
        """The new blocks take the place of the old ones, of which Dask keeps only how they were made."""
        return ClusterBlocks(self.cluster, self._call(function, [self.share(value) for value in arguments]))

    def share(self, value: Any) -> Any:
        return self.cluster.submit(identity, value)

    def _call(self, function: Callable[..., Any], arguments: Sequence[Any]) -> list[Future[Any]]:
        named = {f"argument_{place}": value for place, value in enumerate(arguments)}
        return self.cluster.map(_answer, self.futures, question=function, **named)


def _answer(block: Block, question: Callable[..., Answer], **arguments: Any) -> Answer:
    with block.lock:
        return question(block, *arguments.values())


@dataclass(frozen=True, eq=False)
class _RemoteTable:
    """A table whose blocks workers hold."""

    head: Table
    """The table without its cells."""
    blocks: Sequence[Future[Any]]


class ClusterEngine:
    """Reads, encodes and keeps rows on a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._tables: list[_RemoteTable] = []
        """The labelled table, and then those of further rows."""

    def read(self, request: InputRequest) -> Inputs:
        reading, choice = request.reading, request.choice
        mapping = load_mapping(request.mapping)
        if request.y is not None or request.feature_names is not None:
            problem = f"y and {option('feature_names')} go with arrays and frames"
            raise UsageError(f"{problem}, and {option('engine', 'dask')} reads files")
        for parameter in choice.about_rows.keys() - {"count"}:
            problem = f"{option(parameter)} goes with the rows of one machine"
            raise UsageError(f"{problem}, and {option('engine', 'dask')} has them on several; rank without a cluster")
        # Without a name, the target is the last column, of which each file might have another.
        named = choice.target or mapping.target or not choice.include
        options = reading_for(reading, mapping, choice, every_column=request.every_column or not named)
        # A file may hold numbers where another holds texts: which they are is decided when all values are known.
        table = self._read(_as_paths(request.data), replace(options, as_text=every_name))
        prepared = self._prepare(table, mapping, choice, reading)
        self._tables = [table]
        for data in as_tuple(request.unlabelled):
            paths = _as_paths(data)
            options = reading_unlabelled(reading, find_parts(paths)[0].path, prepared)
            self._tables.append(self._read(paths, options))
        return Inputs(prepared, tuple(further.head for further in self._tables[1:]))

    def _read(self, paths: Sequence[Path], reading: ReadOptions) -> _RemoteTable:
        """Have a table read by the workers."""
        parts = find_parts(paths)
        if self._cluster.elsewhere:
            # Workers may have been started in another folder.
            paths_there = [part.path if is_url(part.path) else os.path.abspath(part.path) for part in parts]
            parts = tuple(replace(part, path=path) for part, path in zip(parts, paths_there, strict=True))
        plans = plan_blocks(parts, self._cluster.threads())
        blocks = [self._cluster.submit(read_block, plan, reading) for plan in plans]
        heads = self._cluster.gather(self._cluster.map(head_of, blocks), "reading", blocks)
        source, with_rows = name_together(paths, parts), [head for head in heads if head.rows]
        if not with_rows:
            raise DataError(NO_ROWS, source=source)
        first = with_rows[0]
        names = list(first.columns)
        if reading.union:
            names = all_names([head.columns for head in with_rows])
            blocks = self._cluster.map(complete, blocks, names=names)
        else:
            for head in heads:
                refuse_other_columns(first.columns, first.source, head.columns, head.source)
        columns = {name: unread_column(name, 0) for name in names}
        rows = sum(head.rows for head in heads)
        return _RemoteTable(
            replace(first, source=source, columns=columns, rows=rows, notes=join_notes(with_rows)), blocks
        )

    # Counting

    def _prepare(
        self, table: _RemoteTable, mapping: ColumnMapping, choice: ColumnChoice, reading: ReadOptions
    ) -> PreparedTable:
        """The table condensed, and what is decided about its columns."""
        target, _ = choose_target(table.head, mapping, choice)
        columns = list(table.head.columns)
        naming = tuple(dict.fromkeys([target, *(name for name in columns if name == choice.count)]))
        missing = choice.missing_texts(mapping)
        # Not each number must be known of a column that may be cut.
        rules = {name: mapping.columns.get(name) for name in columns if name not in naming}
        names = [
            name for name, rule in rules.items() if rule is None or isinstance(rule, Numeric) or cuts_numbers(rule)
        ]
        step = -(-table.head.rows // SAMPLED_ROWS)
        by_block = self._ask(table, sample_block, names=names, missing=missing, step=step)
        samples = {name: [block[name] for block in by_block] for name in names}
        joined = {name: Sample.join(parts) for name, parts in samples.items() if None not in parts}
        many = {name: sample for name, sample in joined.items() if sample.is_many}
        ends = {name: sample.thin(COUNTED_BINS) for name, sample in many.items()}
        known: dict[str, CountedColumn] = {}
        asked: Collection[str] = columns
        while True:
            condensed = self._count(table, naming, asked, missing, ends)
            known |= condensed.columns
            for name in asked:
                if name in many:
                    known[name] = BinnedColumn(**known[name].__getstate__(), ends=ends[name], sample=many[name])
            report("preparing columns")
            condensed = replace(condensed, columns={name: known[name] for name in columns})
            prepared = prepare(condensed, mapping, choice, reading.decimal)
            wanted = {}
            for plan in prepared.features:
                column = prepared.table.columns[plan.name]
                if isinstance(column, BinnedColumn) and not isinstance(plan.rule, Measured):
                    bins = column.bins_to_open(prepared, plan.rule)
                    if len(bins):
                        wanted[plan.name] = (column.ends, bins)
            if not wanted:
                return prepared
            listed = self._ask(table, list_numbers, missing=missing, wanted=wanted)
            for name in wanted:
                ends[name] = np.unique(np.concatenate([ends[name], *(block[name] for block in listed)]))
            asked = wanted

    def _ask(self, table: _RemoteTable, function: Callable[..., Any], **given: Any) -> list[Any]:
        return self._cluster.gather(self._cluster.map(function, table.blocks, **given))

    def _count(
        self,
        table: _RemoteTable,
        naming: Sequence[str],
        names: Collection[str],
        missing: Sequence[str],
        ends: Mapping[str, Floats],
    ) -> CondensedTable:
        """Some columns condensed, value by value or in bins; workers join what they counted."""
        cluster = self._cluster
        names = sorted({*naming, *names}, key=list(table.head.columns).index)
        ends = {name: ends[name] for name in names if name in ends}
        counted = tasks = cluster.map(count_block, table.blocks, naming=naming, names=names, missing=missing, ends=ends)
        while len(tasks) > 1:
            groups = [tasks[first : first + _JOINED_AT_ONCE] for first in range(0, len(tasks), _JOINED_AT_ONCE)]
            tasks = [cluster.submit(join_condensed, group, naming) for group in groups]
        (sizes,) = cluster.gather(cluster.map(bytes_of_columns, tasks), "counting values", counted)
        largest = max(sizes, key=lambda name: sizes[name])
        purpose = f"counting the values of all columns, most of them in {quoted(largest)},"
        require_memory(_TIMES_COUNTED * sum(sizes.values()), purpose, table.head.source)
        condensed: CondensedTable = cluster.gather(tasks)[0]
        return replace(condensed, source=table.head.source)

    # Encoding

    def encode(self, inputs: Inputs, settings: Settings, on_note: OnNote) -> Encoded:
        for name in ("join", "together"):
            if getattr(settings, name):
                raise UsageError(f"{option(name)} needs all rows in one place; leave out {option('engine', 'dask')}")
        on_note(inputs.prepared.target_note)
        report("encoding columns")
        plan = plan_encoding(inputs.prepared)
        notes: list[Note] = []
        limit = self._cluster.memory()
        needed = inputs.prepared.table.rows * (len(plan.features) * plan.code_dtype.itemsize + BYTES_OF_A_ROW)
        if limit is not None and needed > _IN_MEMORY * limit:
            problem = f"the rows take {shown_bytes(needed)}, and the workers have {shown_bytes(limit)} together"
            message = f"{problem}, so some will be on disk, which is slow; more workers would help"
            notes.append(NoteKind.SPILLED.note(message))
        sent = self._cluster.submit(identity, plan)
        coded: list[Future[Any]] = []
        for table in self._tables:
            for block in table.blocks:
                coded.append(self._cluster.submit(encode_block, block, sent, len(coded), table is self._tables[0]))
        facts = self._cluster.gather(self._cluster.map(itemgetter(1), coded), "encoding columns", coded)
        unlabelled, present, seen = add_answers(facts)
        self._tables = []
        cells = zip(plan.features, present.tolist(), seen.tolist(), strict=True)
        notes += [note for table in inputs.unlabelled for note in notes_on_lacking_counts(table, plan.count)]
        notes += notes_on_unseen({feature.name: unseen_share(held - known, held) for feature, held, known in cells})
        notes += notes_on_features(inputs.prepared, {feature.name: feature.distinct for feature in plan.features})
        dataset = dataset_without_rows(inputs.prepared, plan, unlabelled)
        blocks = ClusterBlocks(self._cluster, self._cluster.map(itemgetter(0), coded))
        return Encoded(dataset, blocks, announce_inputs(inputs, dataset, notes, settings, on_note))


def _as_paths(data: Data) -> Sequence[Path]:
    """The paths of a table; workers can read nothing else."""
    paths = data if isinstance(data, (list, tuple)) else (data,)
    for path in paths:
        is_path = isinstance(path, (str, os.PathLike))
        if not is_path or path == STANDARD_INPUT:
            what = "standard input" if is_path else f"a {type(path).__name__}"
            raise UsageError(
                f"{option('engine', 'dask')} reads files, and no worker can read {what}; write it to files"
            )
    return paths


# Which files make up which block


def plan_blocks(parts: Sequence[Part], threads: int) -> list[tuple[Part, ...]]:
    """The files of each block, in order, for so many threads. Where there are fewer files than blocks, Parquet files
    are read in several parts; a file of another format is in one block.
    """
    wanted = _BLOCKS_PER_THREAD * threads
    if len(parts) < wanted:
        parts = [group for part in parts for group in _row_groups(part)]
    times = Counter(part.path for part in parts)
    sizes = []
    for part in parts:
        try:
            size = os.stat(part.path).st_size
        except OSError:
            # A URL, or a file that only workers can see.
            size = 0
        # Each file counts for one byte at least.
        sizes.append(max(1, size // times[part.path]))
    middles = np.cumsum(sizes) - np.divide(sizes, 2)
    places = (middles * min(len(parts), wanted) / sum(sizes)).astype(np.int64)
    blocks: dict[int, dict[str, Part]] = {}
    for part, place in zip(parts, places.tolist(), strict=True):
        block = blocks.setdefault(place, {})
        # Row groups of the same file are read together.
        before = block.get(part.path)
        block[part.path] = part if before is None else replace(part, row_groups=before.row_groups + part.row_groups)
    return [tuple(block.values()) for block in blocks.values()]


def _row_groups(part: Part) -> list[Part]:
    """A part for each row group of a Parquet file, which can be read one by one; else the file itself."""
    known = format_of_path(part.path)
    if known is None or known.name != "parquet" or not os.path.isfile(part.path):
        return [part]
    import pyarrow.parquet as pq

    try:
        groups = pq.read_metadata(part.path).num_row_groups
    except (pa.ArrowException, OSError):
        # Whoever reads it says what is wrong.
        return [part]
    return [replace(part, row_groups=(number,)) for number in range(groups)] or [part]


# What workers do


def read_block(parts: Sequence[Part], reading: ReadOptions) -> Table:
    """The files of a block as one table."""
    source = display_name(parts[0].path)
    try:
        table = without_blank_rows(read_parts(parts, reading, source, _with_dictionaries))
        return table.with_columns(
            {
                name: column.as_codes() if _repeats(column) else replace(column, stored=None)
                for name, column in table.columns.items()
            }
        )
    except NoRowsError as error:
        # Other blocks may have some.
        return Table(error.source or source, {name: missing_column(name, 0) for name in error.columns}, 0)


def _with_dictionaries(table: Table) -> Table:
    """The table with columns of few values as dictionaries, and no second copy of cells in the types of the file."""
    columns = {name: replace(column, stored=None) for name, column in table.columns.items()}
    for name, column in columns.items():
        if _repeats(column):
            columns[name] = replace(column, cells=column.cells.dictionary_encode())
    return table.with_columns(columns)


def _repeats(column: Column) -> bool:
    """Whether a code for each cell takes less memory than the cells."""
    if column.problem is not None or column.kind is Kind.DATE or column.cells.null_count == column.rows:
        return False
    first = column.cells[:_FIRST_ROWS]
    return not pa.types.is_float64(first.type) or pc.count_distinct(first).as_py() < len(first) / 2


def head_of(table: Table) -> Table:
    """The table without its cells: the names of its columns, how many rows it has, and what the file says of both."""
    return replace(table, columns={name: unread_column(name, 0) for name in table.columns}, lines=None, files=())


def complete(table: Table, names: Sequence[str]) -> Table:
    """The table with these columns, in this order; the cells of those that it lacks are missing."""
    return replace(table, columns={name: table.columns.get(name) or missing_column(name, table.rows) for name in names})
