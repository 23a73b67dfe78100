"""Where numba or llvmlite is missing, broken or turned off, numpy does the work, and one note says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.kernels import ROOT

RANK = """
import json, os, sys
from importlib.abc import MetaPathFinder
from pathlib import Path

place, package, state = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}")

if state == "missing":
    sys.meta_path.insert(0, Missing())
elif state == "broken":
    (place / package).mkdir()
    (place / package / "__init__.py").write_text("raise OSError('cannot load the library\\\\nor anything')")
    sys.path.insert(0, str(place))
else:
    os.environ["NUMBA_DISABLE_JIT"] = "1"

import probfs
from probfs.classifiers.naive_bayes import classifier
from probfs.kernels import cache
from probfs.runtime.progress import COMPILING
from probfs.tables.readers import cell_splitter

if state != "disabled":
    # Nothing was compiled before.
    cache.__file__ = str(place / "package" / "cache.py")
    cache._user_cache = lambda: place / "cache"
table = place / "table.csv"
table.write_text("a,b,c,y\\n" + "".join(f"{i % 3},{i * i % 5},{i // 7 % 2},{(i % 3 > 0) + 0}\\n" for i in range(400)))

def hear(progress):
    assert progress.stage != COMPILING, "nothing can be compiled"

rankings = []
for worth_splitting, worth_compiling in ((1 << 40, 1e18), (0, 0)):
    cell_splitter.WORTH_SPLITTING, classifier._CELLS_WORTH_COMPILING = worth_splitting, worth_compiling
    rankings.append(json.loads(probfs.rank(table, target="y", on_progress=hear).to_json()))
print(json.dumps(rankings))
"""
REASONS = {
    ("numba", "missing"): "No module named 'numba'",
    ("llvmlite", "missing"): "No module named 'llvmlite'",
    ("numba", "broken"): "cannot load the library",
    ("llvmlite", "broken"): "cannot load the library",
    ("numba", "disabled"): "NUMBA_DISABLE_JIT is set",
}


@pytest.mark.parametrize(("package", "state"), REASONS)
def test_numpy_does_the_work_and_one_note_says_so(package: str, state: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RANK, str(tmp_path), package, state]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    small, large = json.loads(result.stdout)
    note = f"compiled loops are not available ({REASONS[package, state]}), so this took longer"
    assert [own["message"] for own in large["warnings"] if own not in small["warnings"]] == [note]
    assert not any("compiled loops" in own["message"] for own in small["warnings"]), "none was wanted"
    del small["warnings"], large["warnings"]
    assert small == large
