"""Running `probfs` as its users do: as a process of its own, in a shell line, on a terminal; and the schemas, in
`docs/schemas/`, that every JSON document it writes is held against.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from tests.support import ROOT, SAMPLES

Run = Callable[..., "subprocess.CompletedProcess[str]"]
"""The fixtures `run` and `run_here`: arguments in, exit status and both streams out."""

PATIENCE = 600
"""Seconds after which a process is taken to hang: more than a busy machine ever needs."""
COMMUTE: tuple[Path, str, str] = (SAMPLES / "commute.csv", "--exclude", "person")
"""Arguments for a sample with unlabelled rows and an identifier."""


def run_process(
    *arguments: object, stdin: bytes | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `probfs` as a process of its own, in which a warning is an error; JSON that it writes follows its schema."""
    words = [str(argument) for argument in arguments]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", "probfs", *words],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100"},
        timeout=PATIENCE,
        check=False,
    )
    shown = result.stdout.decode()
    validate_text(shown)
    for option, value in pairwise(words):
        if option in ("--output", "-o") and value.endswith(".json") and result.returncode == 0:
            validate_text((cwd or Path()).joinpath(value).read_text())
    return subprocess.CompletedProcess(result.args, result.returncode, shown, result.stderr.decode())


def run_shell_line(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, in which `probfs` stands for the command; the first failure in a pipe is its status."""
    line = line.replace("probfs ", f"{sys.executable} -m probfs ", 1)
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)


def run_in_terminal(*arguments: object, program: Sequence[str] = ("-m", "probfs")) -> str:
    """What the command, or another program of Python's, writes when all its streams are a terminal of 100 columns."""
    import pty  # which Windows lacks

    shown = b""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLUMNS="100", TERM="xterm")
        os.execv(sys.executable, [sys.executable, *program, *map(str, arguments)])
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")


def modules_imported_by(*arguments: object) -> set[str]:
    """The top-level modules that a command has imported by the time it ends."""
    program = (
        "import sys\nfrom probfs.cli import run\n"
        f"status = run({[str(argument) for argument in arguments]!r})\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\nsys.exit(status)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(result.stderr.splitlines()[-1].split())


# Schemas

SCHEMAS = ROOT / "docs" / "schemas"
_PREFIX = "probfs."


def schema_path(name: str) -> Path:
    """The schema of the documents that call themselves by this name, as `probfs.ranking/1`."""
    return SCHEMAS / f"{name.replace('/', '-')}.schema.json"


def validate(document: Any) -> None:
    """Fail if a document is not what the schema that it names says."""
    name = document["schema"]
    assert schema_path(name).is_file(), f"{name} has no {schema_path(name).relative_to(ROOT)}"
    error = best_match(_validator(name).iter_errors(document))
    assert error is None, f"{name}: {error.json_path}: {error.message}"


def validate_text(text: str) -> None:
    """Fail if a text is JSON that names a schema of probfs and is not what that says."""
    if text.startswith("{"):
        try:
            content = json.loads(text)
        except json.JSONDecodeError:
            # Lines of JSON, one for each row of a table, or the beginning of a document.
            return
        if is_document(content):
            validate(content)


def is_document(content: Any) -> bool:
    """Whether the content of some JSON names a schema of probfs."""
    return isinstance(content, dict) and str(content.get("schema", "")).startswith(_PREFIX)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_path(name).read_text()), registry=_registry())


@cache
def _registry() -> Registry[Any]:
    """All schemas, as they refer to each other."""
    contents = [json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")]
    return Registry().with_resources((content["$id"], Resource.from_contents(content)) for content in contents)
