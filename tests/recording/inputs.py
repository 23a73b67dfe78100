"""The tables that recorded commands read: small, seeded, one of each kind that users have."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

Table = dict[str, list[str]]

ROWS = 120


def write_inputs(folder: Path) -> None:
    """All inputs of commands that should succeed."""
    table = people()
    write(folder / "people.csv", delimited(table))
    write_other_formats(folder, table)
    write_many_files(folder, table)
    write_dialects(folder, table)
    write_special_columns(folder, table)
    write_mappings(folder)
    write(folder / "numbers.csv", delimited(numbers(80, 5)))
    write(folder / "wide.csv", delimited(wide(40, 300)))
    write(folder / "classes.csv", delimited(many_classes(240, 12)))
    write(folder / "joint.csv", "a,b,p,p_y\n0,0,0.4,0.5\n0,1,0.1,0\n1,0,0.3,0.8\n1,1,0.2,0.25\n")
    write(folder / "joint.tsv", "a\tb\tp\tp_y\n0\t0\t0.5\t0.125\n1\t1\t0.5\t0.75\n")


def people(rows: int = ROWS, seed: int = 1) -> Table:
    """Numbers, categories, dates, codes with leading zeros and missing cells; the outcome is yes or no."""
    generator = np.random.default_rng(seed)
    ill = generator.random(rows) < 0.45
    age = generator.integers(18, 90, size=rows) + 8 * ill
    income = np.round(generator.normal(40_000, 9_000, size=rows) - 3_000 * ill, 2)
    city = np.where(generator.random(rows) < 0.3, "Oslo", generator.choice(["Bergen", "Ålesund", "Bodø"], size=rows))
    smoker = np.where(generator.random(rows) < 0.25 + 0.5 * ill, "yes", "no")
    dose = generator.integers(1, 8, size=rows) + 2 * (ill & (generator.random(rows) < 0.5))
    code = generator.choice(["007", "7", "012", "12"], size=rows)
    days = np.datetime64("2024-01-01") + generator.integers(0, 300, size=rows)
    table: Table = {
        "age": age.astype(str).tolist(),
        "income": income.astype(str).tolist(),
        "city": city.tolist(),
        "smoker": smoker.tolist(),
        "dose": dose.astype(str).tolist(),
        "zip": code.tolist(),
        "joined": days.astype(str).tolist(),
        "outcome": np.where(ill, "ill", "well").tolist(),
    }
    for name, share in (("income", 0.1), ("city", 0.05), ("smoker", 0.15)):
        empty = generator.random(rows) < share
        table[name] = ["" if gone else cell for cell, gone in zip(table[name], empty, strict=True)]
    return table


def numbers(rows: int, features: int, seed: int = 2) -> Table:
    """Measurements, of which each tells less of the class than the one before."""
    generator = np.random.default_rng(seed)
    positive = generator.random(rows) < 0.5
    table = {
        f"m{place}": np.round(generator.normal(size=rows) + (2.0 - 0.5 * place) * positive, 3).astype(str).tolist()
        for place in range(features)
    }
    table["shape"] = np.where(generator.random(rows) < 0.6, np.where(positive, "round", "flat"), "oval").tolist()
    return {**table, "y": np.where(positive, "on", "off").tolist()}


def wide(rows: int, features: int, seed: int = 3) -> Table:
    """Far more columns than rows, so that shrinkage acts."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(2, size=rows)
    table = {}
    for place in range(features):
        told = generator.random(rows) < 0.6 * (place < 10)
        table[f"g{place:03}"] = np.where(told, labels, generator.integers(3, size=rows)).astype(str).tolist()
    return {**table, "y": np.array(["case", "control"])[labels].tolist()}


def many_classes(rows: int, classes: int, seed: int = 4) -> Table:
    generator = np.random.default_rng(seed)
    labels = np.arange(rows) % classes
    table = {}
    for place in range(6):
        told = generator.random(rows) < 0.15 * place
        table[f"c{place}"] = np.where(told, labels % 5, generator.integers(5, size=rows)).astype(str).tolist()
    return {**table, "kind": [f"k{label:02}" for label in labels]}


def write_other_formats(folder: Path, table: Table) -> None:
    """The same people in every format that is read."""
    text = delimited(table)
    (folder / "people.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / "people.csv.bz2").write_bytes(bz2.compress(text.encode()))
    (folder / "people.csv.xz").write_bytes(lzma.compress(text.encode()))
    (folder / "gzip_by_content.csv").write_bytes(gzip.compress(text.encode(), mtime=0))
    write(folder / "people.tsv", delimited(table, "\t"))
    write(folder / "people.arff", arff(table))
    write(folder / "sparse.arff", SPARSE_ARFF)
    typed = pa.table({name: _typed(name, cells) for name, cells in table.items()})
    pa.parquet.write_table(typed, folder / "people.parquet")
    pa.feather.write_feather(typed, folder / "people.feather")
    write(folder / "people.jsonl", "".join(json.dumps(row, default=str) + "\n" for row in typed.to_pylist()))
    rows: list[list[str | None]] = [list(table)]
    rows += [[cell or None for cell in row] for row in zip(*table.values(), strict=True)]
    write_workbook(folder / "people.xlsx", rows)


def _typed(name: str, cells: list[str]) -> pa.Array:
    strings = pa.array([cell or None for cell in cells])
    types = {"age": pa.int64(), "income": pa.float64(), "dose": pa.int8(), "joined": pa.date32()}
    return strings.cast(types.get(name, pa.string()))


def arff(table: Table) -> str:
    """Numeric, nominal, text and date attributes; a quoted name, comments and ``?`` for missing."""
    kinds = {"age": "numeric", "income": "REAL", "dose": "integer", "zip": "string", "joined": 'date "yyyy-MM-dd"'}
    lines = ["% people", "@RELATION 'some people'", ""]
    for name, cells in table.items():
        values = ",".join(f"'{value}'" for value in sorted({cell for cell in cells if cell}))
        lines.append(f"@attribute '{name} of'\t{kinds.get(name, '{' + values + '}')}")
    lines += ["", "@data"]
    lines += [",".join(f"'{cell}'" if cell else "?" for cell in row) for row in zip(*table.values(), strict=True)]
    return "\n".join(lines) + "\n"


SPARSE_ARFF = """@relation sparse
@attribute a numeric
@attribute b {no,yes}
@attribute 'c d' {0,1}
@attribute class {off,on}
@data
""" + "".join(
    f"{{0 {row % 4 + 1}{', 1 yes' if row % 3 else ''}{', 2 1' if row % 2 else ''}{', 3 on' if row % 3 else ''}}}\n"
    for row in range(40)
)


def write_many_files(folder: Path, table: Table) -> None:
    """Parts in a folder, in folders whose names are columns, and parts that lack a column; and unlabelled rows."""
    parts = [{name: cells[start : start + 40] for name, cells in table.items()} for start in (0, 40, 80)]
    for number, part in enumerate(parts):
        write(folder / "parts" / f"part-{number}.csv", delimited(part))
        write(folder / "hive" / f"year={2024 + number % 2}" / f"{number}.csv", delimited(part))
        lacking = {name: cells for name, cells in part.items() if name != ("age", "zip", "")[number]}
        write(folder / "lacking" / f"{number}.csv", delimited(lacking))
    unlabelled = people(60, seed=11)
    del unlabelled["outcome"]
    write(folder / "unlabelled.csv", delimited(unlabelled))
    partly = {**table, "outcome": ["" if row % 6 == 5 else cell for row, cell in enumerate(table["outcome"])]}
    write(folder / "partly_labelled.csv", delimited(partly))
    later = people(ROWS, seed=12)
    later["weight"] = later.pop("dose")
    write(folder / "later.csv", delimited({**later, "outcome": later.pop("outcome")}))


def write_dialects(folder: Path, table: Table) -> None:
    """How people's files are written: delimiters, decimals, encodings, line ends, quotes, titles, row numbers."""
    text = delimited(table)
    write(folder / "semicolons.csv", delimited(table, ";"))
    write(folder / "pipes.txt", delimited(table, "|"))
    commas = {**table, "income": [cell.replace(".", ",") for cell in table["income"]]}
    write(folder / "decimal_commas.csv", delimited(commas, ";"))
    write(folder / "odd_delimiter.csv", delimited(table, "^"))
    (folder / "latin1.csv").write_bytes(text.encode("latin-1"))
    (folder / "utf16.csv").write_bytes(text.encode("utf-16"))
    (folder / "bom_crlf.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    write(folder / "title.csv", "Survey of 2024\n\n" + text)
    write(folder / "sep.csv", "sep=;\n" + delimited(table, ";"))
    index = {"": [str(row) for row in range(1, ROWS + 1)], **table}
    write(folder / "row_numbers.csv", delimited(index))
    quoted = {"remark": ['two\nlines, "quoted"' if row % 3 else "one" for row in range(ROWS)], **table}
    write(folder / "quoted.csv", delimited(quoted))


def write_special_columns(folder: Path, table: Table) -> None:
    """Names, identifiers, leaks, missing texts, counts, copies and targets that need care."""
    generator = np.random.default_rng(5)
    ill = [cell == "ill" for cell in table["outcome"]]
    hostile = ["<b>age</b>", "=SUM(A1)", "$\\undefined$", "[/red]", "a,b", 'q"uote', "\x1b[31mred", "‮ltr", "-1", "nan"]
    columns = {name: generator.integers(3, size=ROWS).astype(str).tolist() for name in hostile}
    columns["=SUM(A1)"] = [str(int(own) + int(cell) % 2) for own, cell in zip(ill, columns["a,b"], strict=True)]
    write(folder / "hostile_names.csv", delimited({**columns, "y": table["outcome"]}))
    keys = [f"p{row:04}x" for row in generator.permutation(ROWS)]
    subjects = [f"s{row // 10}" for row in range(ROWS)]
    write(folder / "identifiers.csv", delimited({"row": list(map(str, range(ROWS))), "key": keys, **table}))
    write(folder / "repeated_keys.csv", delimited({"subject": subjects, **table}))
    leaks = {
        "diagnosis": ["x" if own else "y" for own in ill],
        "score": [f"{5 + own}.{row}" for row, own in _rows(ill)],
    }
    write(folder / "leaks.csv", delimited({**leaks, **table}))
    words = ["NA", "N/A", "-", "?", "null", "-999"]
    missing = {**table, "city": [words[row % 6] if row % 4 == 0 else cell for row, cell in _rows(table["city"])]}
    missing["age"] = [words[row % 6] if row % 5 == 0 else cell for row, cell in _rows(table["age"])]
    write(folder / "missing_words.csv", delimited(missing))
    telling = {"boat": [f"b{row % 3}" if own else "" for row, own in _rows(ill)], **table}
    write(folder / "missing_tells.csv", delimited(telling))
    counts = {"n": generator.integers(1, 30, size=ROWS).astype(str).tolist(), **table}
    write(folder / "counts.csv", delimited(counts))
    copies = {"smokes": [cell.upper() for cell in table["smoker"]], "same": ["1"] * ROWS, **table}
    write(folder / "copies.csv", delimited(copies))
    quantity = np.round(generator.normal(50, 9, size=ROWS) + 9 * np.array(ill), 2).astype(str).tolist()
    write(folder / "quantity.csv", delimited({**table, "price": quantity}))
    money = {
        "price": [f"${1_000 + 37 * row:,}.50" for row in range(ROWS)],
        "rate": [f"{row % 30}.{row % 7}%" for row in range(ROWS)],
        "weight": [f"{50 + row % 45} kg" for row in range(ROWS)],
        "day": [f"{row % 28 + 1:02}.{row % 12 + 1:02}.2024" for row in range(ROWS)],
        "status": [("Stay", "stay", "stay ", "go")[row % 4] for row in range(ROWS)],
        "outcome": table["outcome"],
    }
    write(folder / "formatted.csv", delimited(money))
    rare = {**table, "outcome": ["rare" if row == 7 else cell for row, cell in _rows(table["outcome"])]}
    write(folder / "rare_class.csv", delimited(rare))


def _rows(cells: Iterable[Any]) -> Iterable[tuple[int, Any]]:
    return enumerate(cells)


def write_mappings(folder: Path) -> None:
    write(folder / "empty.toml", "")
    write(
        folder / "people.toml",
        'target = "outcome"\ndrop = ["joined"]\nmissing = ["?", "unknown"]\n\n[columns]\ndose = "<= 5"\n'
        'age = { cut = [30, 50, 70] }\nincome = { quantiles = 4 }\nzip = "category"\n'
        'city = { groups = { west = ["Bergen", "Ålesund"] }, other = "rest" }\nsmoker = "== yes"\n',
    )
    write(
        folder / "other_rules.toml",
        'target = "outcome"\n[columns]\nage = { widths = 5 }\nincome = "numeric"\n'
        "joined = { cut = [2024-04-01, 2024-08-01] }\n"
        'zip = { min_count = 20, other = "few" }\ncity = \'in ["Oslo", "Bodø"]\'\n',
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def delimited(table: Mapping[str, Sequence[str]], delimiter: str = ",") -> str:
    rows = [list(table), *zip(*table.values(), strict=True)]
    return "".join(delimiter.join(_quoted(cell, delimiter) for cell in row) + "\n" for row in rows)


def _quoted(cell: str, delimiter: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & {delimiter, '"', "\n"} else cell


def write_workbook(path: Path, rows: Sequence[Sequence[str | None]]) -> None:
    """The least that is an Excel workbook: one sheet of inline texts and numbers."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    cells = "".join(
        f'<row r="{line}">{"".join(_cell(f"{chr(65 + place)}{line}", cell) for place, cell in enumerate(row))}</row>'
        for line, row in enumerate(rows, start=1)
    )
    files = {
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{relations}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        '<sheet name="people" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def _cell(place: str, cell: str | None) -> str:
    if cell is None:
        return ""
    if cell.replace(".", "", 1).isdigit() and not cell.startswith("0"):
        return f'<c r="{place}"><v>{cell}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>'
