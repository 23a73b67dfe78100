"""The mapping file: what to predict, what to leave out, what means missing, and a rule for some of the columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from probfs.columns.mapping_rules import TOP_KEYS, RuleReader
from probfs.columns.mapping_toml import line_of, parse_toml
from probfs.columns.rules import Numeric, Rule
from probfs.errors import MappingError
from probfs.text import did_you_mean, printable, quoted

MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class MappingFile:
    """The content of a mapping file."""

    source: str = ""
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    columns: Mapping[str, Rule] = field(default_factory=dict)
    missing_cells: Mapping[str, str] = field(default_factory=dict)
    """For some columns, whether a missing cell counts as a value: ``skip`` or ``value``."""
    text: str = field(default="", repr=False)

    def check_names(self, names: Iterable[str], table: str, left_out: Collection[str] = ()) -> None:
        """Refuse the first column that is named here and is not in the table; one already left out may be dropped."""
        known = dict.fromkeys(names)
        wanted = [("target", name) for name in (self.target,) if name is not None]
        wanted += [("drop", name) for name in self.drop if name not in left_out]
        wanted += [("columns", name) for name in (*self.columns, *self.missing_cells)]
        for key, name in wanted:
            if name not in known:
                problem = f"{key}: no column {quoted(name)} in {table}{did_you_mean(name, known)}"
                raise MappingError(problem, source=self.source, line=line_of(self.text, name))


def load_mapping(path: str | os.PathLike[str]) -> MappingFile:
    """Read and check a mapping file."""
    source = printable(os.fspath(path))
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise MappingError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=source) from error
    if len(content) > MOST_BYTES:
        raise MappingError(f"is larger than {MOST_BYTES >> 20} MiB; is it a mapping?", source=source)
    return parse_mapping(content, source)


def parse_mapping(content: bytes, source: str = "mapping") -> MappingFile:
    """Check the text of a mapping file and make its rules.

    >>> parse_mapping(b'drop = ["id"]').drop
    ('id',)
    """
    document, text = parse_toml(content, source)
    reader = RuleReader(source, text)
    for key in document:
        if key not in TOP_KEYS:
            reader.fail(key, f"unknown key {quoted(key)}{did_you_mean(key, TOP_KEYS)}")
    target = document.get("target")
    if target is not None and not isinstance(target, str):
        reader.fail("target", "target must be a column's name, in quotes")
    drop = reader.strings("drop", document.get("drop", []))
    missing = reader.strings("missing", document.get("missing", []))
    columns = document.get("columns", {})
    if not isinstance(columns, dict):
        reader.fail("columns", "columns must be a table: put the rules under [columns]")
    for name in drop:
        if name in columns:
            reader.fail(name, f"column {quoted(name)} is both dropped and given a rule; keep one of the two")
        if name == target:
            reader.fail(name, f"column {quoted(name)} is both the target and dropped; keep one of the two")
    split = {name: reader.split_missing(name, value) for name, value in columns.items()}
    missing_cells = {name: how for name, (how, _) in split.items() if how is not None}
    # A column may be there for its missing cells alone.
    rules = {name: reader.rule(name, rest) for name, (how, rest) in split.items() if how is None or rest}
    if target is not None and isinstance(rules.get(target), Numeric):
        reader.fail(target, f"the target {quoted(target)} cannot be numeric: classes are needed; cut it instead")
    return MappingFile(source, target, drop, missing, rules, missing_cells, text)
