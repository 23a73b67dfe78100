"""Shells that complete our words: the script that makes each ask us, its installation, and answers as each reads them.

A script calls ``probfs`` with ``_PROBFS_COMPLETE`` set to the shell's name and with what is on the line as arguments.
The answer's first line says who knows what to offer (see ``completion.Kind``); the others are what is offered. Names of
columns come from files that anybody may have written, so no shell ever evaluates an answer: zsh and fish quote what
they insert themselves, and for bash we do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from probfs.cli.completion import Suggestions
from probfs.errors import UsageError
from probfs.text import quoted

COMPLETE = "_PROBFS_COMPLETE"
"""The environment variable by which a shell asks."""
Suggest = Callable[[Sequence[str], str, Sequence[str]], Suggestions]
"""From the words before the cursor, the word at the cursor and the words after it to what may be offered."""

_BASH = r"""_probfs_completion() {
    local kind line
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS= read -r line; do COMPREPLY+=("$line"); done
    } < <(_PROBFS_COMPLETE=bash probfs "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" "$COMP_WORDBREAKS" \
        2> /dev/null < /dev/null)
    case $kind in
        files) compopt -o default 2> /dev/null ;;
        folders) compopt -o dirnames 2> /dev/null ;;
    esac
    return 0
}

complete -o nosort -F _probfs_completion probfs 2> /dev/null || complete -F _probfs_completion probfs
"""
_ZSH = r"""#compdef probfs

_probfs() {
    local kind line
    local -a given lines values described
    given=("${(@Q)words}")
    given[CURRENT]=${(Q)PREFIX}
    shift given
    lines=("${(@f)$(_PROBFS_COMPLETE=zsh probfs $((CURRENT - 2)) "${(@)given}" 2> /dev/null < /dev/null)}")
    kind=$lines[1]
    shift lines
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    case $kind in
        files) _files ;;
        folders) _files -/ ;;
        words)
            for line in "${(@)lines}"; do
                if [[ $line == *$'\t'* ]]; then
                    described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
                else
                    values+=("$line")
                fi
            done
            (( $#values )) && compadd -V values -a values
            (( $#described )) && _describe -V probfs described
            ;;
    esac
}

if [[ $funcstack[1] == _probfs ]]; then
    _probfs "$@"
else
    compdef _probfs probfs
fi
"""
_FISH = r"""function __probfs_complete
    set -l before (commandline -opc)
    set -l token (commandline -ct)
    set -l current (string unescape -- $token 2> /dev/null; or printf '%s\n' $token)
    set -e before[1]
    set -l lines (env _PROBFS_COMPLETE=fish probfs (count $before) $before "$current" 2> /dev/null < /dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    set -l value (string replace -r -- '^--[^=]*=' '' $current)
    switch "$kind"
        case files
            printf "$prefix%s\n" (__fish_complete_path "$value")
        case folders
            printf "$prefix%s\n" (__fish_complete_directories "$value" '')
        case words
            printf '%s\n' $lines
    end
end

complete --command probfs --no-files --keep-order --arguments '(__probfs_complete)'
"""
SCRIPTS: Mapping[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


# --- answers --------------------------------------------------------------------------------------------------------


def answer(shell: str, arguments: Sequence[str], suggest: Suggest) -> str:
    """What a shell's script reads."""
    if shell == "bash":
        before, after, word_breaks = arguments
        return _answer_bash(before, after, word_breaks, suggest)
    number, words = int(arguments[0]), arguments[1:]
    offered = suggest(words[:number], words[number], words[number + 1 :])
    # fish completes the whole word, and zsh is told by its script what to leave alone.
    prefix = offered.prefix if shell == "fish" else ""
    lines = (f"{prefix}{word}\t{meaning}" if meaning else f"{prefix}{word}" for word, meaning in offered.words)
    return "\n".join([offered.kind.value, *lines])


def _answer_bash(before: str, after: str, word_breaks: str, suggest: Suggest) -> str:
    *words, current = split_line(before, word_breaks)
    # The rest of the word at the cursor is no word of its own.
    rest = split_line(after, word_breaks)[0 if after[:1].isspace() else 1 :]
    offered = suggest([word.value for word in words[1:]], current.value, [word.value for word in rest if word.value])
    candidates = (offered.prefix + word for word, _ in offered.words)
    fitting = [candidate for candidate in candidates if candidate.startswith(current.value)]
    return "\n".join([offered.kind.value, *_bash_replies(fitting, current, word_breaks)])


class TypedWord(NamedTuple):
    """A word as bash would pass it to a command, and what of it a completion replaces."""

    value: str
    quote: str = ""
    """The quote that is open at its end."""
    kept: int = 0
    """How many characters of the value stay as they are: bash replaces only what follows a break or an open quote."""


def split_line(line: str, word_breaks: str) -> list[TypedWord]:
    """The words of a line as bash splits it; the last is the one at the end of the line, and may be empty.

    >>> [word.value for word in split_line("rank 'a b.csv' --target x\\\\ y ", ":")]
    ['rank', 'a b.csv', '--target', 'x y', '']
    """
    words: list[TypedWord] = []
    value, quote, kept, begun = "", "", 0, False
    characters = iter(line)
    for character in characters:
        if not quote and character in " \t\n":
            if begun:
                words.append(TypedWord(value))
            value, kept, begun = "", 0, False
            continue
        begun = True
        if character == quote or (not quote and character in "'\""):
            quote = "" if quote else character
            kept = len(value)
        elif character == "\\" and quote != "'":
            value += _unescaped(next(characters, ""), quote)
        else:
            value += character
            if not quote and character in word_breaks:
                kept = len(value)
    return [*words, TypedWord(value, quote, kept)]


def _unescaped(character: str, quote: str) -> str:
    """What a backslash and a character stand for, in double quotes or in none."""
    return f"\\{character}" if quote and character not in '$`"\\' else character


def _bash_replies(candidates: Sequence[str], current: TypedWord, word_breaks: str) -> Iterator[str]:
    for candidate in candidates:
        text = candidate[current.kept :]
        if not current.quote:
            yield "".join(f"\\{one}" if _is_special(one, word_breaks) else one for one in text)
        # In double quotes an exclamation mark recalls history, whatever stands before it.
        elif current.quote == "'" or "!" not in text:
            yield _quoted_reply(text, current.quote)


def _quoted_reply(text: str, quote: str) -> str:
    """A text as it stands after an open quote, which bash closes unless the text ends with such a quote."""
    if text.endswith(quote):
        return f"{_quoted_reply(text[:-1], quote) if len(text) > 1 else ''}{quote}\\{quote}"
    if quote == "'":
        return text.replace("'", r"'\''")
    return "".join(f"\\{one}" if one in '$`"\\' else one for one in text)


def _is_special(character: str, word_breaks: str) -> bool:
    """Whether bash may take a character for something else than itself, outside of quotes."""
    return (
        character in word_breaks
        or character.isspace()
        or (character.isascii() and not character.isalnum() and character not in "_-./+,%")
    )


# --- installation ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where a shell's script goes, and the line that a start-up file needs to find it."""

    script: Path
    start_up: Path | None = None
    line: str = ""


def _place(shell: str) -> _Place:
    home = Path.home()
    if shell == "bash":
        script = home / ".bash_completions" / "probfs.sh"
        return _Place(script, home / ".bashrc", f"source '{script}'")
    if shell == "zsh":
        start_up = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
        line = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"
        return _Place(home / ".zfunc" / "_probfs", start_up, line)
    configuration = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return _Place(configuration / "fish" / "completions" / "probfs.fish")


def install(shell: str) -> str:
    """Write a shell's script where the shell finds it, and say where that is."""
    from probfs.runtime.output import write_whole

    place = _place(shell)
    place.script.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place.script, SCRIPTS[shell].encode())
    if place.start_up is not None:
        old = place.start_up.read_bytes() if place.start_up.exists() else b""
        if place.line.encode() not in old.splitlines():
            separator = b"" if not old or old.endswith(b"\n") else b"\n"
            write_whole(place.start_up, old + separator + place.line.encode() + b"\n")
    return f"completion for {shell} is in {place.script}; new shells use it"


def running_shell() -> str:
    """The shell that runs us, or else the user's own."""
    import shellingham  # type: ignore[import-untyped]  # it has no types

    try:
        name: str = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in SCRIPTS:
        raise UsageError(f"completion is for {', '.join(SCRIPTS)}, and this shell is {quoted(name)}; run it in one")
    return name
