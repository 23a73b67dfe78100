"""Real shells on a terminal: a line is typed, keys and all, and what the command is then called with is looked at."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import probfs

PATIENCE = 600
"""Seconds that a shell may take for anything, so that no machine is too busy; what goes well never waits."""
INTERRUPT = "\x03"
_PROMPT = "ready> "
_CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b.|"
    r"[\x00-\x09\x0b-\x1f]"
)
"""What a terminal obeys instead of showing."""
_START_UP = {
    "bash": (".bashrc", f"PS1='{_PROMPT}'\nbind 'set enable-bracketed-paste off' 2> /dev/null\n"),
    "zsh": (".zshrc", f"PS1='{_PROMPT}'\nunset zle_bracketed_paste\nunsetopt prompt_sp\n"),
    "fish": (
        ".config/fish/config.fish",
        f"function fish_prompt; echo -n '{_PROMPT}'; end\nfunction fish_greeting; end\n"
        "set -g fish_autosuggestion_enabled 0\n",
    ),
}


class ShellHome:
    """A home folder with a ``probfs`` on the path that writes down what it was called with, unless a shell asks it."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.shell = shell
        self.folder = folder
        self.calls = folder / "calls"
        self.work = folder / "work"
        for path in (folder / "bin", self.calls, self.work):
            path.mkdir()
        command = folder / "bin" / "probfs"
        source = Path(probfs.__file__).parents[1]
        command.write_text(
            "#!/bin/sh\n"
            f'case "$_PROBFS_COMPLETE,$1" in\n,rank|,select|,map|,suggest|,inspect|,exact|,generate|,reproduce)\n'
            f'  call={shlex.quote(str(self.calls))}/call\n  printf "%s\\0" "$@" > $call.new && mv $call.new $call;;\n'
            f'*) PYTHONPATH={shlex.quote(str(source))} exec {shlex.quote(sys.executable)} -m probfs "$@";;\nesac\n'
        )
        command.chmod(0o755)
        name, lines = _START_UP[shell]
        start_up = folder / name
        start_up.parent.mkdir(parents=True, exist_ok=True)
        start_up.write_text(lines)
        # Where it is missing, fish reads all manual pages of the machine in the background.
        (folder / ".local/share/fish/generated_completions").mkdir(parents=True)

    @contextlib.contextmanager
    def terminal(self) -> Iterator[Terminal]:
        """The shell on a terminal of its own, which waits for the first line."""
        program = shutil.which(self.shell)
        assert program is not None
        environment = {
            "HOME": str(self.folder),
            "PATH": f"{self.folder}/bin:/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
            "LINES": "50",
        }
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.work)
            os.execve(program, [program, "-i"], environment)
        try:
            opened = Terminal(terminal, self.calls / "call")
            opened.wait_for(_PROMPT)
            yield opened
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(terminal)


class Terminal:
    """What is typed into a shell, and what it shows."""

    def __init__(self, descriptor: int, call: Path) -> None:
        self._descriptor = descriptor
        self._call = call
        self._shown = ""

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def call_made_by(self, keys: str) -> list[str]:
        """The arguments that ``probfs`` is called with once the keys have been typed, and Enter after them."""
        self._call.unlink(missing_ok=True)
        self.type(keys + "\r")
        self._wait(self._call.exists, keys)
        return self._call.read_bytes().decode().split("\0")[:-1]

    def wait_for(self, text: str) -> str:
        """Wait until a text is shown, and return what was shown since the last wait, up to that text."""
        self._wait(lambda: text in self.shown(), text)
        before, _, self._shown = self.shown().partition(text)
        return before

    def shown(self) -> str:
        return _CONTROL.sub("", self._shown)

    def _wait(self, condition: object, what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():  # type: ignore[operator]
            assert time.monotonic() < end, f"{what!r} did not come; shown: {self._shown!r}"
            if select.select([self._descriptor], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    self._shown += os.read(self._descriptor, 1 << 16).decode(errors="replace")
