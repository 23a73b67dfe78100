"""Completion: what may stand at the cursor (commands, options, choices, files, columns of the table), for each shell.

A shell's script calls ``probfs`` with ``_PROBFS_COMPLETE`` set to the shell's name and with the line up to the cursor.
The answer's first line says who knows what to offer: ``words`` (the lines that follow), ``files`` or ``folders`` (the
shell itself). Names of columns come from files that anybody may have written, so no shell ever evaluates an answer: zsh
and fish quote what they insert, and for bash we do.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from probfs.api.options import FLAG, READING, Group, Option, panel
from probfs.cli import COMMANDS, FIRST_OPTIONS, load_command
from probfs.errors import UsageError
from probfs.text import is_unseen, quoted

SHELLS = ("bash", "zsh", "fish")
_KINDS = {**dict.fromkeys(("DATA...", "JOINT...", "FILE", "OLD", "NEW"), "files"), "DIR": "folders"}
_HELP = panel("", help=Option("Show this message and exit.", names=("--help", "-h")))


def answer(shell: str, arguments: Sequence[str]) -> str:
    """What a shell's script reads."""
    if shell == "bash":
        return _answer_bash(*arguments)
    kind, offered, prefix = suggest(arguments[:-1], arguments[-1])
    # fish completes the whole word, and zsh is told by its script what to leave alone.
    start = prefix if shell == "fish" else ""
    return "\n".join([kind, *(f"{start}{word}\t{meaning}".rstrip("\t") for word, meaning in offered.items())])


def _answer_bash(line: str, replaced: str) -> str:
    """For the line up to the cursor, and the part of it that bash replaces by one of our words."""
    words, quote = split_line(line)
    kind, offered, prefix = suggest(words[1:-1], words[-1])
    # What stands before a = or : or an open quote stays on the line.
    kept = len(words[-1]) - len(split_line(quote + replaced)[0][-1])
    fitting = [prefix + word for word in offered if (prefix + word).startswith(words[-1])]
    # In double quotes an exclamation mark recalls history, whatever stands before it.
    usable = [word[kept:] for word in fitting if quote != '"' or "!" not in word]
    return "\n".join([kind, *(bash_reply(word, quote) for word in usable)])


def split_line(line: str) -> tuple[list[str], str]:
    """The words of a line, the last of which ends where the line does and may be empty; and the quote open there."""
    for quote in ("", "'"):
        with contextlib.suppress(ValueError):
            *words, last = shlex.split(f"{line}.{quote}")
            return [*words, last[:-1]], quote
    *words, last = shlex.split(f'{line}."')
    return [*words, last[:-1]], '"'


def bash_reply(text: str, quote: str) -> str:
    """A text as it must stand on the line, after an open quote, which bash closes unless the text ends with one."""
    if not quote:
        return re.sub(r"[^\w./+,%-]", r"\\\g<0>", text)
    if text.endswith(quote):
        return f"{bash_reply(text[:-1], quote) if len(text) > 1 else ''}{quote}\\{quote}"
    return text.replace("'", r"'\''") if quote == "'" else re.sub(r'[$`"\\]', r"\\\g<0>", text)


# --- what may stand at the cursor ---------------------------------------------------------------------------------


def suggest(before: Sequence[str], current: str) -> tuple[str, Mapping[str, str], str]:
    """The kind of answer, words with their meanings, and what of ``current`` stands before the part to complete."""
    place, name = next(((place, word) for place, word in enumerate(before) if word in COMMANDS), (0, ""))
    if not name:
        summaries = {known: summary for known, (_, summary) in COMMANDS.items()}
        return "words", FIRST_OPTIONS if current.startswith("-") else summaries, ""
    options = load_command(name).options | _HELP
    spelled = {
        written: known for known, option in options.items() for each in option.names for written in each.split("/")
    }
    given, chosen = _read(options, spelled, before[place + 1 :])
    prefix = ""
    if not chosen and current.startswith("-"):
        option, equals, value = current.partition("=")
        chosen = spelled.get(option, "") if equals else ""
        prefix, current = (option + equals, value) if chosen else ("", current)
    elif not chosen:
        chosen = _next_argument(options, given)
    if not chosen:
        free = {known for known, option in options.items() if option.many or known not in given}
        return "words", {written: options[known].help for written, known in spelled.items() if known in free}, ""
    metavar = options[chosen].metavar
    # In help, what users put there themselves is in capitals: auto|N.
    words = getattr(options[chosen].takes, "words", None) or [word for word in metavar.split("|") if word.islower()]
    if metavar == "COLUMN":
        taken = given.get(chosen, [])
        # No name that would act on the terminal that shows it, or end a line.
        words = [column for column in _columns(given) if column not in taken and not any(map(is_unseen, column))]
    return _KINDS.get(metavar, "words"), dict.fromkeys(words, ""), prefix


def _read(options: Group, spelled: Mapping[str, str], words: Sequence[str]) -> tuple[dict[str, list[str]], str]:
    """The values that the words behind a command give, and the option whose value is to come."""
    given: dict[str, list[str]] = {}
    awaiting = ""
    for word in words:
        option, equals, value = word.partition("=")
        if awaiting or not word.startswith("-") or word == "-":
            given.setdefault(awaiting or _next_argument(options, given), []).append(word)
            awaiting = ""
        else:
            name = spelled.get(option, "")
            given.setdefault(name, []).extend([value] if equals else [])
            awaiting = name if name and not equals and options[name].takes is not FLAG else ""
    return given, awaiting


def _next_argument(options: Group, given: Mapping[str, Sequence[str]]) -> str:
    """The argument that the next word would be; none when there are enough."""
    arguments = (name for name, option in options.items() if option.is_argument)
    return next((name for name in arguments if name not in given or options[name].many), "")


def _columns(given: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The columns of the table that a line names."""
    from probfs.tables.files import read_column_names

    if "data" not in given:
        return []
    names = ("input_format", "encoding", "delimiter", "skip_rows")
    try:
        reading = {name: READING[name].takes.parse(given[name][-1]) for name in names if name in given}
    except ValueError:
        return []
    path = os.path.expanduser(os.path.expandvars(given["data"][0]))
    return read_column_names(path, **reading, no_header="no_header" in given)


# --- installation -------------------------------------------------------------------------------------------------


def script(shell: str) -> str:
    """What makes a shell ask us."""
    return Path(__file__).with_name(f"completion.{shell}").read_text()


def install(shell: str) -> str:
    """Write a shell's script where the shell finds it, and say where that is."""
    from probfs.runtime.output import write_whole

    home = Path.home()
    start_up, line = home / ".bashrc", "source ~/.bash_completions/probfs.sh"
    if shell == "bash":
        place = home / ".bash_completions" / "probfs.sh"
    elif shell == "zsh":
        place, start_up = home / ".zfunc" / "_probfs", Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
        line = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"
    else:
        configuration = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        place, line = configuration / "fish" / "completions" / "probfs.fish", ""
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, script(shell).encode())
    old = start_up.read_bytes() if line and start_up.exists() else b""
    if line and line.encode() not in old.splitlines():
        write_whole(start_up, old + f"\n{line}\n".encode())
    return f"completion for {shell} is in {place}; new shells use it"


def running_shell() -> str:
    """The shell that runs us, or else the user's own."""
    import shellingham  # type: ignore[import-untyped]  # it has no types

    try:
        name: str = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in SHELLS:
        raise UsageError(f"completion is for {', '.join(SHELLS)}, and this shell is {quoted(name)}; run it in one")
    return name
