"""Every feature of an encoding plan tested against the class, from how many rows hold each value alone."""

from __future__ import annotations

import numpy as np

from probfs.cluster.encoding_plan import EncodingPlan
from probfs.cluster.summarized_column import SummarizedColumn
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers, some_numbers
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import enough_draws
from probfs.screening.number_test import CodedNumbers, rank_test_of_codes, rank_test_of_sums
from probfs.screening.screen import Screening
from probfs.screening.value_test import chi_squared_test


def screen_plan(prepared: PreparedTable, plan: EncodingPlan, seed: int = 0) -> Screening:
    """What ``screen`` finds in the encoded rows of a prepared table, of which ``plan`` was made."""
    labels, weights = prepared.target.labels[prepared.labelled], prepared.weights[prepared.labelled]
    tests = ColumnTests.of_nothing(len(plan.features))
    draws = enough_draws(len(plan.features))
    for feature, column_plan in enumerate(prepared.features):
        if not cuts_numbers(column_plan.rule):
            continue
        column = prepared.table.columns[column_plan.name]
        if isinstance(column, SummarizedColumn) and not column.knows_labelled_numbers():
            tests.put(np.array([feature]), rank_test_of_sums(column.summary))
            continue
        codes, places, cell_weights = column.coded_cells(prepared.labelled, weights)
        assert cell_weights is not None, "labelled rows have weights"
        numbers = CodedNumbers(feature, codes, some_numbers(column.entries, column.kind))
        tested = rank_test_of_codes(numbers, labels[places], len(plan.classes), cell_weights, seed, draws)
        tests.put(np.array([feature]), tested)
    return Screening.of(chi_squared_test(plan.value_counts(), seed), tests)
