"""Inputs that a command must refuse in one line, or read in spite of their looks."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tests.recording.inputs import delimited, people, write

ROWS = "".join(f"{row % 3},{row % 4},{'p' if row % 5 < 2 else 'q'}\n" for row in range(30))
GOOD = "a,b,y\n" + ROWS

TEXTS = {
    "empty.csv": "",
    "blank_lines.csv": "\n\n\n",
    "header_only.csv": "a,b,y\n",
    "long_row.csv": GOOD + "1,2,p,4\n" + ROWS,
    "short_row.csv": GOOD + "1,2\n" + ROWS,
    "all_rows_long.csv": "a,b,y\n" + ROWS.replace(",p", ",p,9").replace(",q", ",q,9"),
    "unclosed_quote.csv": GOOD + '1,"2,p\n' + ROWS,
    "html.csv": "<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>Not found, sorry</body></html>\n",
    "duplicate_names.csv": GOOD.replace("a,b", "a,a", 1),
    "empty_name.csv": GOOD.replace("a,b", "a,", 1),
    "one_class.csv": GOOD.replace("q", "p"),
    "class_of_one_row.csv": "a,b,y\n" + ROWS.replace("q", "p") + "1,1,q\n",
    "no_labels.csv": GOOD.replace("p\n", "\n").replace("q\n", "\n"),
    "one_column.csv": "y\n" + "p\nq\n" * 9,
    "constant.csv": "a,b,c,y\n" + "".join(f"{row % 2},same,,{'pq'[row % 3 == 0]}\n" for row in range(30)),
    "infinite.csv": "a,b,y\n" + ROWS + "inf,1,p\n-inf,2,q\nnan,0,p\n",
    "bad_counts.csv": "n,a,y\n" + "2,0,p\n1,1,q\n-3,1,p\n1.5,0,q\n",
    "lacks_b.csv": "a\n1\n2\n0\n",
    "broken.jsonl": '{"a": 1, "y": "p"}\n{"a": 2, "y"\n',
    "nested.jsonl": '{"a": {"b": 1}, "y": "p"}\n{"a": {"b": 2}, "y": "q"}\n',
    "no_data.arff": "@relation r\n@attribute a numeric\n@attribute class {x,y}\n",
    "undeclared.arff": "@relation r\n@attribute a {u,v}\n@attribute class {x,y}\n@data\nu,x\nw,y\n",
    "relational.arff": "@relation r\n@attribute a relational\n@attribute b real\n@end a\n@attribute c {x,y}\n@data\n",
    "duplicate.arff": "@relation r\n@attribute a numeric\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,2,x\n",
    "sparse_range.arff": "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n{0 1, 7 x}\n",
    "not_a_number.arff": "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\none,y\n",
    "slow_quotes.arff": "@relation r\n@attribute " + "'," * 20 + " {x,y}\n@data\n",
    "syntax.toml": 'target = "y"\n[columns\na = "<= 1"\n',
    "unknown_column.toml": 'target = "outcome"\n[columns]\nagee = "<= 30"\n',
    "unknown_rule.toml": '[columns]\nage = { slices = 3 }\n',
    "unknown_key.toml": 'tarjet = "outcome"\n',
    "numeric_text.toml": 'target = "outcome"\n[columns]\ncity = "numeric"\n',
    "compared_text.toml": 'target = "outcome"\n[columns]\ncity = "<= 5"\n',
    "not_a_ranking.json": '{"schema": "something/1", "features": []}\n',
    "cut_off.json": '{"schema": "probfs.ranking/2", "features": [{"rank": 1,\n',
    "bad_joint.csv": "a,p,p_y\n0,0.5,0.5\n1,0.4,0.5\n",
    "bad_share.csv": "a,p,p_y\n0,0.5,1.5\n1,0.5,0.5\n",
}  # fmt: skip


def write_faulty_inputs(folder: Path) -> None:
    """All of them, into a folder of their own."""
    for name, text in TEXTS.items():
        write(folder / name, text)
    packed = gzip.compress(delimited(people()).encode(), mtime=0)
    (folder / "truncated.csv.gz").write_bytes(packed[: len(packed) // 2])
    (folder / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b,y\n" + b"1,2,p\n" * 20_000_000, 9, mtime=0))
    (folder / "nul.csv").write_bytes(GOOD.encode().replace(b"1,1,q", b"1,\x001,q", 1))
    (folder / "not_utf8.csv").write_bytes(delimited(people()).encode("latin-1"))
    (folder / "random.bin").write_bytes(np.random.default_rng(6).bytes(500))
    with zipfile.ZipFile(folder / "two_members.zip", "w") as archive:
        archive.writestr("a.csv", GOOD)
        archive.writestr("b.csv", GOOD)
    nested = pa.table({"a": [[1], [2, 3]] * 10, "s": [{"x": 1}] * 20, "y": ["p", "q"] * 10})
    pa.parquet.write_table(nested, folder / "nested.parquet")
    good = pa.table({"a": ["u", "v"] * 10, "y": ["p", "q"] * 10})
    pa.parquet.write_table(good, folder / "whole.parquet")
    whole = (folder / "whole.parquet").read_bytes()
    (folder / "corrupt.parquet").write_bytes(whole[:40] + bytes(20) + whole[60:-30])
    (folder / "empty_folder").mkdir()
    (folder / "mixed").mkdir()
    write(folder / "mixed" / "1.csv", GOOD)
    write(folder / "mixed" / "2.csv", GOOD.replace("a,b", "a,c", 1))
    unreadable = folder / "unreadable.csv"
    write(unreadable, GOOD)
    unreadable.chmod(0)
