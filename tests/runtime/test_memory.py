"""How much memory a process may take, and what is refused for lack of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import probfs
from probfs.runtime import memory


@pytest.fixture
def control_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the control group that this process seems to be in."""
    read_lines = memory._read_lines

    def read(path: Path) -> list[str]:
        return ["12:cpu:/other", "0::/outer/inner"] if path == Path("/proc/self/cgroup") else read_lines(path)

    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_read_lines", read)
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    return inner


def test_the_limit_of_any_enclosing_control_group_counts(control_group: Path) -> None:
    (control_group / "memory.max").write_text("max\n")
    (control_group / "memory.current").write_text("500\n")
    (control_group.parent / "memory.max").write_text("3000\n")
    (control_group.parent / "memory.current").write_text("2000\n")
    assert memory.free_memory() == 1000
    (control_group.parent / "memory.stat").write_text("anon 1\ninactive_file 700\n")
    assert memory.free_memory() == 1700


def test_a_need_beyond_the_free_memory_is_refused(control_group: Path) -> None:
    (control_group / "memory.max").write_text("4096\n")
    (control_group / "memory.current").write_text("2048\n")
    memory.require_memory(2048, "this table")
    with pytest.raises(probfs.DataError) as caught:
        memory.require_memory(1 << 20, "this table", "d.csv")
    problem = "d.csv: this table needs about 1 MB of memory, and 2 KB is free"
    assert str(caught.value) == f"{problem}; rank fewer columns or rows at a time, or use a machine with more"
