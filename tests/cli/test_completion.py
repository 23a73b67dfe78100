"""Completion: what is offered, answers for each shell, installation; and real shells on a terminal, slowly."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.cli import COMMANDS, completion
from probfs.cli.completion import SHELLS, answer, bash_reply, install, script, suggest
from probfs.text import delimited
from tests.support import SAMPLES
from tests.support.commands import PATIENCE, Run
from tests.support.tables import Write

PLACES = {
    "bash": ".bash_completions/probfs.sh",
    "zsh": ".zfunc/_probfs",
    "fish": ".config/fish/completions/probfs.fish",
}


def test_the_script_is_that_of_the_running_shell(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for shell in SHELLS:
        monkeypatch.setattr("shellingham.detect_shell", lambda shell=shell: (shell, f"/bin/{shell}"))
        assert run_here("--show-completion").stdout.strip() == script(shell).strip()
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("csh", "/bin/csh"))
    refused = run_here("--show-completion")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "this shell is 'csh'" in refused.stderr


def offered(typed: str) -> list[str]:
    """The words that begin as the one at the cursor does."""
    *before, current = typed.split(" ")
    kind, words, prefix = suggest(before, current)
    assert kind == "words"
    return [prefix + word for word in words if (prefix + word).startswith(current)]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("in", ["inspect"]),
        ("", list(COMMANDS)),
        ("--v", ["--version"]),
        ("rank --score=s", ["--score=signed"]),
        ("rank t.csv --input-format p", ["parquet"]),
        ("rank --score signed --score", []),
        ("rank --exclude a --excl", ["--exclude"]),
        ("rank --na ", []),
        ("rank --step ", ["auto"]),
        ("reproduce figure1 fig", ["figure1", "figure2", "figure3", "figure4"]),
    ],
)
def test_words_and_options_are_offered(typed: str, words: list[str]) -> None:
    assert offered(typed) == words


@pytest.mark.parametrize(
    ("typed", "kind", "prefix"),
    [
        *((f"{words} ", "files", "") for words in ("rank", "compare a.json", "rank t.csv --mapping")),
        ("rank t.csv --output=", "files", "--output="),
        ("reproduce --output ", "folders", ""),
    ],
)
def test_files_are_left_to_the_shell(typed: str, kind: str, prefix: str) -> None:
    *before, current = typed.split(" ")
    assert suggest(before, current) == (kind, {}, prefix)


def test_columns_are_those_of_the_table(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("t.csv", "age,sex,class\n1,m,x\n")
    for option in ("--target", "-t", "--exclude", "--count"):
        assert offered(f"rank {path} {option} ") == ["age", "sex", "class"]
    assert offered(f"rank {path} --target=a") == ["--target=age"]
    assert offered(f"rank {path} --exclude sex --exclude ") == ["age", "class"]
    assert offered("rank --target ") == offered("rank - --target ") == offered("rank no.csv --target ") == []
    odd = write("odd.txt", "age|sex\n")
    assert offered(f"rank --delimiter | --input-format csv {odd} --target ") == ["age", "sex"]
    assert offered(f"rank --skip-rows x {path} --target ") == []
    monkeypatch.setenv("HOME", str(path.parent))
    assert offered("rank ~/t.csv -t ") == offered("rank $HOME/t.csv -t ") == ["age", "sex", "class"]
    acting = write("acting.csv", '"a\nb","a\tb",\x1b[31m,a b\n1,2,3,4\n')
    assert offered(f"rank {acting} -t ") == ["a b"]


def ask(shell: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys\nfrom probfs.cli import run\nstatus = run()\nsys.stdout.flush()\n"
    shown = "print(*{'numpy', 'pandas', 'pyarrow'} & set(sys.modules), file=sys.stderr, end='')\nsys.exit(status)"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program + shown, *arguments],
        env={**os.environ, "_PROBFS_COMPLETE": shell},
        capture_output=True,
        text=True,
        check=True,
    )


def test_columns_are_read_without_numpy_pandas_or_pyarrow(write: Write) -> None:
    for path in (write("t.csv.gz", gzip.compress(b"age,class\n1,2\n")), SAMPLES / "customers.csv"):
        result = ask("zsh", "rank", str(path), "--target", "")
        assert (result.stderr, result.stdout.split("\n")[0]) == ("", "words")
    assert offered(f"rank {SAMPLES / 'breast_cancer.arff'} --target cl") == ["clump_thickness", "class"]


@pytest.mark.parametrize(("shell", "arguments"), [("bash", []), ("zsh", []), ("nonsense", [])])
def test_a_question_that_is_not_understood_has_no_answer_and_no_error(shell: str, arguments: list[str]) -> None:
    assert ask(shell, *arguments).stderr == ""


@pytest.mark.parametrize(
    ("typed", "replaced", "names", "replies"),
    [
        ("-t ", "", ["a b", "c"], ["a\\ b", "c"]),
        ("-t a", "a", ["a b", "c"], ["a\\ b"]),
        ("-t a:", "", ["a:b c"], ["b\\ c"]),
        ("-t a:b", "b", ["a:b c"], ["b\\ c"]),
        ("-t a\\:", "a\\:", ["a:b c"], ["a\\:b\\ c"]),
        ('-t "', "", ['a"b', "$x", "!y"], ['a\\"b', "\\$x"]),
        ('-t "a', "a", ['ab "c', "b"], ['ab \\"c']),
        ("-t '", "", ["it's", "$x"], ["it'\\''s", "$x"]),
        ('-t a"b ', "b ", ["ab c", "ab"], ["b c"]),
        ('-t "', "", ['say "hi"', '"'], ['say \\"hi"\\"', '"\\"']),
    ],
)
def test_bash_is_given_what_it_replaces(
    typed: str, replaced: str, names: list[str], replies: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion, "suggest", lambda *_: ("words", dict.fromkeys(names, ""), ""))
    assert answer("bash", [f"probfs rank {typed}", replaced]).split("\n") == ["words", *replies]


VISIBLE = st.characters(exclude_categories=["C", "Zl", "Zp"])


@given(st.text(VISIBLE, min_size=1), st.sampled_from(["", "'", '"']))
def test_bash_reads_every_reply_as_the_name_it_stands_for(name: str, quote: str) -> None:
    closed = f"{quote}{bash_reply(name, quote)}" + ("" if quote and name.endswith(quote) else quote)
    script = ["bash", "-c", f"printf %s {closed}"]
    assert subprocess.run(script, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}).stdout.decode() == name


@pytest.mark.parametrize("shell", SHELLS)
def test_installing_twice_changes_nothing_more(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for start_up in (".bashrc", ".zshrc"):
        (tmp_path / start_up).write_text("# mine, without a line end")

    def written() -> dict[Path, str]:
        return {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}

    said = install(shell)
    once = written()
    assert install(shell) == said
    assert written() == once
    assert once[tmp_path / PLACES[shell]] == script(shell)
    assert all(text.startswith("# mine, without a line end") for path, text in once.items() if path.parent == tmp_path)


# --- real shells ---

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
_COMMAND = """#!/bin/sh
case "$_PROBFS_COMPLETE,$1" in
,rank|,select|,map|,suggest|,inspect|,exact|,generate|,reproduce)
  printf "%s\\0" "$@" > "$HOME/call.new" && mv "$HOME/call.new" "$HOME/call";;
*) PYTHONPATH={source} exec {python} -m probfs "$@";;
esac
"""
"""A ``probfs`` that writes down what it was called with, unless a shell asks it."""


class Terminal:
    """A shell on a terminal of its own, with a home folder of its own: what is typed, and what it shows."""

    def __init__(self, shell: str, home: Path) -> None:
        import pty  # which Windows lacks

        program = shutil.which(shell)
        assert program is not None
        self.call, self._shown = home / "call", ""
        variables = {"TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "LINES": "50"}
        variables |= {"HOME": str(home), "PATH": f"{home}/bin:/usr/local/bin:/usr/bin:/bin"}
        self._child, self._descriptor = pty.fork()
        if self._child == 0:
            os.chdir(home / "work")
            os.execve(program, [program, "-i"], variables)
        self.wait_for(_PROMPT)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._descriptor)

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def call_made_by(self, keys: str) -> list[str]:
        """The arguments that ``probfs`` is called with once the keys have been typed, and Enter after them."""
        self.call.unlink(missing_ok=True)
        self.type(keys + "\r")
        self._wait(self.call.exists, keys)
        return self.call.read_bytes().decode().split("\0")[:-1]

    def wait_for(self, text: str) -> str:
        """Wait until a text is shown, and return what was shown since the last wait, up to that text."""
        self._wait(lambda: text in _CONTROL.sub("", self._shown), text)
        before, _, self._shown = _CONTROL.sub("", self._shown).partition(text)
        return before

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"{what!r} did not come; shown: {self._shown!r}"
            if select.select([self._descriptor], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    self._shown += os.read(self._descriptor, 1 << 16).decode(errors="replace")


HOSTILE = (
    *("petal length", "a:b:c", "it's", 'say "hi"', "$(touch hacked)", "`touch hacked`", "\\$(touch hacked)"),
    *("'; touch hacked; '", '"; touch hacked; "', "&touch hacked", "*", "~", "!x", "#x", "{b,c}", "a=b", "%s"),
    *("((y))", "<q>|p", "\\back\\", "$HOME", "ümläut", "[z]?", " two  blanks"),
)
NOT_SHOWN = ("new\nline", "\x1b[31mred", "bell\x07", "turned\u202e")


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    return str(request.param)


@pytest.fixture
def terminal(shell: str, tmp_path: Path) -> Iterator[Terminal]:
    """A shell that has found completion installed when it began, in a folder ``work``."""
    start_up, lines = _START_UP[shell]
    # Where the last is missing, fish reads all manual pages of the machine in the background.
    for folder in ("bin", "work", Path(start_up).parent, ".local/share/fish/generated_completions"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    source = shlex.quote(str(Path(probfs.__file__).parents[1]))
    (tmp_path / "bin/probfs").write_text(_COMMAND.format(source=source, python=shlex.quote(sys.executable)))
    (tmp_path / "bin/probfs").chmod(0o755)
    (tmp_path / start_up).write_text(lines)
    with contextlib.closing(Terminal(shell, tmp_path)) as before:
        before.type("probfs --install-completion\r")
        assert f"completion for {shell} is in" in before.wait_for("; new shells use it")
    with contextlib.closing(Terminal(shell, tmp_path)) as opened:
        yield opened


@pytest.mark.slow
def test_commands_options_choices_files_and_columns_are_completed(
    terminal: Terminal, shell: str, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    (work / "iris.csv").write_text("petal length,petal width,species,n\n1,2,a,1\n")
    (work / "some folder").mkdir()
    (work / "map.toml").write_text("")
    for typed, called in (
        ("ins\t", ["inspect"]),
        ("rank ir\t--target spe\t", ["rank", "iris.csv", "--target", "species"]),
        ("rank iris.csv --tar\tpetal\tl\t", ["rank", "iris.csv", "--target", "petal length"]),
        ("rank iris.csv -t spe\t", ["rank", "iris.csv", "-t", "species"]),
        ("rank iris.csv --exclude=spe\t", ["rank", "iris.csv", "--exclude=species"]),
        ("rank iris.csv --include petal\\ w\t", ["rank", "iris.csv", "--include", "petal width"]),
        ('rank iris.csv --include "petal w\t', ["rank", "iris.csv", "--include", "petal width"]),
        ("rank --score si\t--classifier sv\t", ["rank", "--score", "signed", "--classifier", "svm"]),
        ("rank iris.csv --mapping ma\t", ["rank", "iris.csv", "--mapping", "map.toml"]),
        ("rank iris.csv --unlabeled=ir\t", ["rank", "iris.csv", "--unlabeled=iris.csv"]),
        ("reproduce -o some\t", ["reproduce", "-o", "some folder"]),
    ):
        # Not every shell leaves the slash after a folder.
        assert [word.rstrip("/") for word in terminal.call_made_by(f"probfs {typed}")] == called, typed
    assert terminal.call_made_by("probfs --show-completion > script; probfs rank") == ["rank"]
    assert (work / "script").read_text() == script(shell)
    terminal.type("probfs rank --score \t\t")
    for word in ("absolute", "signed", "unlabeled"):
        terminal.wait_for(word)


@pytest.mark.slow
def test_no_name_of_a_column_is_run_or_changed(terminal: Terminal, tmp_path: Path) -> None:
    names = [f"h{number:02}{name}" for number, name in enumerate((*HOSTILE, *NOT_SHOWN))]
    (tmp_path / "work/t.csv").write_text(delimited([names, ["1"] * len(names)]))
    for number, name in enumerate((*HOSTILE, *("" for _ in NOT_SHOWN))):
        # In bash's double quotes nothing keeps an exclamation mark from recalling history.
        for quote in ("", '"', "'") if number < 10 else ("",):
            called = terminal.call_made_by(f"probfs rank t.csv --exclude {quote}h{number:02}\t")
            assert called == ["rank", "t.csv", "--exclude", f"h{number:02}{name}"], quote
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["t.csv"]
