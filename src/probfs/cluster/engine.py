"""The stages of a ranking whose rows are on a cluster.

Workers read blocks of the table; what the driver learns of them are counts. From these it decides everything that it
would decide from the rows, and sends what it decided to the workers, who encode their rows with it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.cluster.block_plan import plan_blocks
from probfs.cluster.blocks import ClusterBlocks
from probfs.cluster.condensing import Condenser, plan_counting
from probfs.cluster.connection import Cluster, identity
from probfs.cluster.encoding_plan import EncodingPlan, encode_block, plan_encoding, sketch_numbers
from probfs.cluster.quantiles import edges_of, quantiles_of_each
from probfs.cluster.tasks import block_of, complete, facts_of, names_of, read_block
from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.encode import notes_on_lacking_counts
from probfs.columns.mapping import ColumnMapping, load_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.columns.rules import cuts_numbers
from probfs.columns.target import choose_target
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
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
from probfs.ranking.stages import Encoded, Listeners, announce_inputs
from probfs.rows.block import BYTES_OF_A_ROW
from probfs.rows.blocks import add_answers
from probfs.runtime.progress import report
from probfs.tables.arrays import Floats
from probfs.tables.column import unread_column
from probfs.tables.files import Part, find_parts, name_together
from probfs.tables.joining import NO_ROWS, all_names, join_notes, refuse_other_columns
from probfs.tables.opening import STANDARD_INPUT
from probfs.tables.reading import ReadOptions
from probfs.tables.table import Table
from probfs.tables.urls import is_url
from probfs.text import option, shown_bytes

if TYPE_CHECKING:
    from distributed import Future


_SHARE_IN_MEMORY = 0.6
"""Of a worker's memory, above which Dask puts results on disk."""


@dataclass(frozen=True, eq=False)
class _RemoteTable:
    """A table whose blocks workers hold: what it is called, and its blocks as they were read."""

    source: str
    blocks: Sequence[Future[Any]]
    sizes: Sequence[int]


class ClusterEngine:
    """Reads, encodes and keeps rows on a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._tables: list[_RemoteTable] = []
        """The labelled table, and then those of further rows."""

    def read(self, request: InputRequest) -> Inputs:
        mapping, reading, choice, labels = request.mapping, request.reading, request.choice, request.labels
        mapping_file = load_mapping(mapping)
        if labels.y is not None or labels.feature_names is not None:
            problem = f"y and {option('feature_names')} go with arrays and frames"
            raise UsageError(f"{problem}, and {option('engine', 'dask')} reads files")
        # Without a name, the target is the last column, of which each file might have another.
        named = choice.target or mapping_file.target or not choice.include
        options = reading_for(reading, mapping_file, choice, every_column=request.every_column or not named)
        # A file may hold numbers where another holds texts: which they are is decided when all values are known.
        table = self._read(_as_paths(request.data), replace(options, as_text=every_name))
        if reading.union:
            table = self._complete(table, all_names([head.columns for head in self._heads(table)]))
        condensed = self._condense(table, mapping_file, choice, reading)
        report("preparing columns")
        prepared = prepare(condensed, mapping_file, choice, reading.decimal)
        further = [self._read_further(own, reading, prepared) for own in as_tuple(request.unlabelled)]
        self._tables = [table, *(own for own, _ in further)]
        return Inputs(prepared, mapping_file, tuple(head for _, head in further))

    def encode(self, inputs: Inputs, settings: Settings, listeners: Listeners) -> Encoded:
        listeners.on_note(inputs.prepared.target_note)
        report("encoding columns")
        plan = plan_encoding(inputs.prepared)
        memory = self._note_on_memory(plan, inputs.prepared.table.rows)
        plan = replace(plan, edges=self._edges(inputs.prepared))
        coded = self._code(plan)
        unlabelled, present, telling = add_answers(self._cluster.gather(self._cluster.map("facts", facts_of, coded)))
        for table in self._tables:
            self._cluster.release(table.blocks)
        notes = (
            *memory,
            *(note for table in inputs.unlabelled for note in notes_on_lacking_counts(table, plan.count)),
            *plan.notes_on_unseen(present, telling),
            *plan.notes,
        )
        dataset = _condensed_dataset(inputs.prepared, plan, unlabelled)
        blocks = ClusterBlocks(self._cluster, self._cluster.map("block", block_of, coded))
        # The same arrays under two names would count twice.
        self._cluster.release(coded)
        return Encoded(dataset, blocks, announce_inputs(inputs, dataset, notes, settings, listeners))

    def _edges(self, prepared: PreparedTable) -> dict[str, Floats]:
        """The bins by which the numbers of columns that are cut will be tested."""
        names = [plan.name for plan in prepared.features if cuts_numbers(plan.rule)]
        if not names:
            return {}
        blocks = self._tables[0].blocks
        most = quantiles_of_each(len(blocks))
        tasks = self._cluster.map("sketch", sketch_numbers, blocks, texts=prepared.texts, names=names, most=most)
        sketches = zip(*self._cluster.gather(tasks), strict=True)
        self._cluster.release(tasks)
        return dict(zip(names, map(edges_of, sketches), strict=True))

    def _read(self, paths: Sequence[Path], reading: ReadOptions) -> _RemoteTable:
        """Have a table read; nothing is waited for."""
        parts = find_parts(paths)
        if self._cluster.elsewhere:
            parts = tuple(_with_whole_path(part) for part in parts)
        plans = plan_blocks(parts, self._cluster.threads())
        blocks = [self._cluster.submit("read", read_block, plan, reading) for plan in plans]
        return _RemoteTable(name_together(paths, parts), blocks, [plan.size for plan in plans])

    def _read_further(self, data: Data, reading: ReadOptions, prepared: PreparedTable) -> tuple[_RemoteTable, Table]:
        """A table of unlabelled rows, and what it is without its rows."""
        paths = _as_paths(data)
        table = self._read(paths, reading_unlabelled(reading, find_parts(paths)[0].path, prepared))
        heads = self._heads(table)
        if not reading.union:
            for head in heads:
                refuse_other_columns(heads[0].columns, heads[0].source, head.columns, head.source)
        names = all_names([head.columns for head in heads])
        head = replace(
            heads[0],
            source=table.source,
            columns={name: unread_column(name, 0) for name in names},
            notes=join_notes(heads),
        )
        return self._complete(table, names) if reading.union else table, head

    def _heads(self, table: _RemoteTable) -> list[Table]:
        """What the blocks of a table that have rows are without them."""
        tasks, known = self._cluster.map("names", names_of, table.blocks), {}
        done, total = 0, sum(table.sizes)
        report("reading", done, total, "bytes")
        for place, head in self._cluster.as_they_come(tasks):
            known[place] = head
            done += table.sizes[place]
            report("reading", done, total, "bytes")
        self._cluster.release(tasks)
        heads: list[Table] = [known[place] for place in range(len(tasks))]
        if not any(head.rows for head in heads):
            raise DataError(NO_ROWS, source=table.source)
        return [head for head in heads if head.rows]

    def _complete(self, table: _RemoteTable, names: Sequence[str]) -> _RemoteTable:
        """The table with all columns in each of its blocks."""
        blocks = self._cluster.map("complete", complete, table.blocks, names=names)
        self._cluster.release(table.blocks)
        return replace(table, blocks=blocks)

    def _condense(
        self, table: _RemoteTable, mapping: ColumnMapping, choice: ColumnChoice, reading: ReadOptions
    ) -> Table:
        head = self._heads(table)[0]
        target, _ = choose_target(replace(head, source=table.source), mapping, choice)
        done: list[int] = []

        def on_block(place: int) -> None:
            done.append(place)
            report("counting values", len(done), len(table.blocks), "blocks")

        plan = plan_counting(list(head.columns), target, mapping, choice, union=reading.union)
        condenser = Condenser(self._cluster, table.blocks, table.source, plan)
        return condenser.condense(mapping, choice, reading.decimal, on_block)

    def _note_on_memory(self, plan: EncodingPlan, rows: int) -> list[Note]:
        """A warning where rows take more of the workers' memory than Dask leaves there."""
        limit = self._cluster.memory()
        needed = rows * (len(plan.features) * plan.code_dtype.itemsize + BYTES_OF_A_ROW)
        if limit is None or needed <= _SHARE_IN_MEMORY * limit:
            return []
        problem = f"the rows take {shown_bytes(needed)}, and the workers have {shown_bytes(limit)} together"
        return [NoteKind.SPILLED.note(f"{problem}, so some will be on disk, which is slow; more workers would help")]

    def _code(self, plan: EncodingPlan) -> list[Future[Any]]:
        sent = self._cluster.submit("plan", identity, plan)
        coded: list[Future[Any]] = []
        for place, table in enumerate(self._tables):
            for block in table.blocks:
                coded.append(self._cluster.submit("encode", encode_block, block, sent, len(coded), place == 0))
        return coded


def _with_whole_path(part: Part) -> Part:
    """A part for workers that may have been started in another folder."""
    return part if is_url(part.path) else replace(part, path=os.path.abspath(part.path))


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


def _condensed_dataset(prepared: PreparedTable, plan: EncodingPlan, unlabelled_rows: int) -> Dataset:
    """A dataset of one row for each class, which counts for all of them; codes are where the rows are."""
    nothing = np.empty(0, dtype=plan.code_dtype)
    features = tuple(
        Feature(own.name, own.labels, nothing, nothing, missing_is_value=own.missing_is_value, nominal=own.nominal)
        for own in plan.features
    )
    return Dataset(
        features,
        plan.classes,
        np.arange(len(plan.classes)),
        np.array(prepared.target.class_rows, dtype=np.int64),
        np.array([unlabelled_rows], dtype=np.int64),
        prepared.table.source,
    )
