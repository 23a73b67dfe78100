"""Coverage-guided fuzzing of the readers and the mapping; see tests/README.md.

python -m tests.fuzz_with_atheris csv -max_total_time=300
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["probfs"]):
    from tests.support.fuzzing import TARGETS

SEEDS = {
    "csv": [b'a,b,y\nx,"1\n2",p\nz,2,q\n', b"a;y\r\n1;2\r\n"],
    "arff": [
        b"@relation r\n@attribute a {x,'y z'}\n@attribute b date 'yyyy-MM-dd'\n@data\nx,2020-01-01\n{1 '2020-02-02'}\n"
    ],
    "jsonl": [b'{"a": 1, "y": "p"}\n{"a": null, "b": [1]}\n'],
    "mapping": [b'target = "y"\n[columns]\na = { groups = { g = ["x"] }, other = "o" }\nb = { cut = [1.5] }\n'],
}


def main() -> None:
    kind = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if kind not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz_with_atheris {'|'.join(TARGETS)} [libFuzzer options]")
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS[kind]):
            Path(corpus, f"seed{number}").write_bytes(seed)
        atheris.Setup([*sys.argv, corpus], TARGETS[kind])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
