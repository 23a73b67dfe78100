"""All kernels there are, and programs run in a process of their own that use them."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

from probfs.kernels import loops
from probfs.kernels.kernel import CODE_DTYPES, Kernel

ROOT = Path(__file__).resolve().parent.parent.parent


def every_kernel() -> list[Kernel]:
    """The kernels of all modules of loops, each once."""
    modules = [
        importlib.import_module(f"{loops.__name__}.{module.name}") for module in pkgutil.iter_modules(loops.__path__)
    ]
    found = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}
    return list(found.values())


def every_variant() -> list[tuple[Kernel, str]]:
    """Every kernel with each dtype of codes that it is compiled for."""
    return [
        (kernel, dtype) for kernel in every_kernel() for dtype in (CODE_DTYPES if kernel.has_codes else CODE_DTYPES[:1])
    ]


def run_python(program: str, *arguments: object) -> str:
    """The output of a program that may import the tests."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout
