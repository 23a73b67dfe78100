"""What every mistake in a mapping must look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from probfs.columns.mapping_file import load_mapping
from probfs.errors import MappingError


def check_mistake(path: Path, line: int, message: str) -> None:
    """Loading the mapping fails with this message about this line, and the status of a wrong argument."""
    with pytest.raises(MappingError) as caught:
        load_mapping(path)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.exit_status == 2
