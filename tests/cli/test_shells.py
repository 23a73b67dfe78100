"""Completion in real shells on a terminal, where they are installed; and scripts, answers and their installation."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.cli.completion import Kind, Suggestions
from probfs.cli.shells import SCRIPTS, answer, install, running_shell, split_line
from probfs.errors import UsageError
from probfs.text import delimited
from tests.support.shells import INTERRUPT, ShellHome

BREAKS = " \t\n\"'@><=;|&(:"
"""What bash breaks words at unless told otherwise."""
HOSTILE = (
    "petal length",
    "a:b:c",
    "it's",
    'say "hi"',
    "$(touch hacked)",
    "`touch hacked`",
    "\\$(touch hacked)",
    "'; touch hacked; '",
    '"; touch hacked; "',
    "&touch hacked",
    "*",
    "~",
    "!x",
    "#x",
    "{b,c}",
    "a=b",
    "%s",
    "((y))",
    "<q>|p",
    "\\back\\",
    "$HOME",
    "ümläut",
    "[z]?",
    " two  blanks ",
)
NOT_SHOWN = ("new\nline", "\x1b[31mred", "bell\x07", "turned\u202e")
IRIS = "petal length,petal width,species,n\n1,2,a,1\n"


@pytest.fixture(params=list(SCRIPTS))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> ShellHome:
    """A home in which the shell itself has installed completion."""
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    home = ShellHome(request.param, tmp_path)
    with home.terminal() as terminal:
        terminal.type("probfs --install-completion\r")
        assert f"completion for {request.param} is in" in terminal.wait_for("; new shells use it")
    return home


def test_commands_options_choices_files_and_columns_are_completed(home: ShellHome) -> None:
    (home.work / "iris.csv").write_text(IRIS)
    (home.work / "some folder").mkdir()
    (home.work / "map.toml").write_text("")
    with home.terminal() as terminal:
        for typed, called in (
            ("ins\t", ["inspect"]),
            ("rank ir\t--target spe\t", ["rank", "iris.csv", "--target", "species"]),
            ("rank iris.csv --tar\tpetal\tl\t", ["rank", "iris.csv", "--target", "petal length"]),
            ("rank iris.csv -t spe\t", ["rank", "iris.csv", "-t", "species"]),
            ("rank iris.csv --exclude=spe\t", ["rank", "iris.csv", "--exclude=species"]),
            ("rank iris.csv --exclude n,spe\t", ["rank", "iris.csv", "--exclude", "n,species"]),
            ("rank iris.csv --include petal\\ w\t", ["rank", "iris.csv", "--include", "petal width"]),
            ('rank iris.csv --include "petal w\t', ["rank", "iris.csv", "--include", "petal width"]),
            ("rank iris.csv --count n\t", ["rank", "iris.csv", "--count", "n"]),
            ("rank --score si\t--classifier sv\t", ["rank", "--score", "signed", "--classifier", "svm"]),
            ("rank iris.csv --mapping ma\t", ["rank", "iris.csv", "--mapping", "map.toml"]),
            ("rank iris.csv --unlabeled=ir\t", ["rank", "iris.csv", "--unlabeled=iris.csv"]),
            ("reproduce -o some\t", ["reproduce", "-o", "some folder"]),
        ):
            made = terminal.call_made_by(f"probfs {typed}")
            # Not every shell leaves the slash after a folder.
            assert [word.rstrip("/") for word in made] == called, typed


def test_the_table_may_stand_behind_the_cursor(home: ShellHome) -> None:
    if home.shell == "fish":
        pytest.skip("fish tells only what stands before the cursor")
    (home.work / "iris.csv").write_text(IRIS)
    ctrl_b = "\x02"  # goes back by a character
    with home.terminal() as terminal:
        called = terminal.call_made_by("probfs rank --target spe iris.csv" + ctrl_b * len(" iris.csv") + "\t")
        assert called == ["rank", "--target", "species", "iris.csv"]


def test_no_name_of_a_column_is_run_or_changed(home: ShellHome) -> None:
    names = [f"h{number:02}{name}" for number, name in enumerate((*HOSTILE, *NOT_SHOWN))]
    (home.work / "t.csv").write_text(delimited([names, ["1"] * len(names)]))
    with home.terminal() as terminal:
        for number, name in enumerate(HOSTILE):
            # In bash's double quotes nothing keeps an exclamation mark from recalling history.
            quotes = ("", '"', "'") if number < 10 else ("",)
            for quote in quotes:
                called = terminal.call_made_by(f"probfs rank t.csv --exclude {quote}h{number:02}\t")
                assert called == ["rank", "t.csv", "--exclude", f"h{number:02}{name}"], quote
        for number in range(len(HOSTILE), len(names)):
            called = terminal.call_made_by(f"probfs rank t.csv --exclude h{number:02}\t")
            assert called == ["rank", "t.csv", "--exclude", f"h{number:02}"]
    assert [path.name for path in home.work.iterdir()] == ["t.csv"]


def test_what_can_follow_is_listed(home: ShellHome) -> None:
    with home.terminal() as terminal:
        terminal.type("probfs rank --score \t\t")
        for word in ("absolute", "signed", "unlabeled"):
            terminal.wait_for(word)
        terminal.type(INTERRUPT)


def test_a_shell_shows_its_script(home: ShellHome) -> None:
    with home.terminal() as terminal:
        assert terminal.call_made_by("probfs --show-completion > script; probfs rank") == ["rank"]
    assert (home.work / "script").read_text() == SCRIPTS[home.shell]


# --- without a shell ------------------------------------------------------------------------------------------------


def offer(*words: str, kind: Kind = Kind.WORDS, prefix: str = "") -> Suggestions:
    return Suggestions(kind, tuple((word, "") for word in words), prefix)


@pytest.mark.parametrize(
    ("typed", "names", "replies"),
    [
        ("probfs rank -t ", ["a b", "c"], ["a\\ b", "c"]),
        ("probfs rank -t a", ["a b", "c"], ["a\\ b"]),
        ("probfs rank -t a:", ["a:b c"], ["b\\ c"]),
        ("probfs rank -t a\\:", ["a:b c"], ["a\\:b\\ c"]),
        ('probfs rank -t "', ['a"b', "$x", "!y"], ['a\\"b', "\\$x"]),
        ("probfs rank -t '", ["it's", "$x"], ["it'\\''s", "$x"]),
        ('probfs rank -t "', ['say "hi"', '"'], ['say \\"hi"\\"', '"\\"']),
    ],
)
def test_bash_is_given_what_it_replaces(typed: str, names: list[str], replies: list[str]) -> None:
    assert answer("bash", [typed, "", BREAKS], lambda *_: offer(*names)).split("\n") == ["words", *replies]


def test_words_before_at_and_after_the_cursor_are_told_apart() -> None:
    asked: list[tuple[list[str], str, list[str]]] = []

    def suggest(before: Sequence[str], current: str, after: Sequence[str]) -> Suggestions:
        asked.append((list(before), current, list(after)))
        return offer(kind=Kind.FILES)

    assert answer("bash", ["probfs rank 'a b' -t x", "yz t.csv ", BREAKS], suggest) == "files"
    assert answer("zsh", ["3", "rank", "a b", "-t", "x", "t.csv"], suggest) == "files"
    assert answer("bash", ["probfs rank 'a b' -t x", " t.csv", BREAKS], suggest) == "files"
    assert asked == [(["rank", "a b", "-t"], "x", ["t.csv"])] * 3


def test_zsh_and_fish_are_given_meanings_and_fish_the_whole_word() -> None:
    offered = Suggestions(Kind.WORDS, (("--top", "Only the best"), ("b", "")), "--x=")
    assert answer("zsh", ["0", ""], lambda *_: offered) == "words\n--top\tOnly the best\nb"
    assert answer("fish", ["0", ""], lambda *_: offered) == "words\n--x=--top\tOnly the best\n--x=b"


VISIBLE = st.characters(exclude_categories=["C", "Zl", "Zp"])


@given(st.text(VISIBLE, min_size=1), st.sampled_from(["", "'", '"']))
def test_bash_reads_every_reply_as_the_name_it_stands_for(name: str, quote: str) -> None:
    lines = answer("bash", [f"probfs {quote}", "", BREAKS], lambda *_: offer(name)).split("\n")[1:]
    if quote != '"' or "!" not in name:
        (reply,) = lines
        closed = f"{quote}{reply}" + ("" if name.endswith(quote) else quote)
        (word, after) = split_line(f"{closed} ", BREAKS)
        assert (word.value, after.value) == (name, "")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_installing_twice_changes_nothing_more(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for start_up in (".bashrc", ".zshrc"):
        (tmp_path / start_up).write_text("# mine, without a line end")
    said = install(shell)

    def written() -> dict[Path, str]:
        return {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}

    once = written()
    assert install(shell) == said
    assert written() == once
    assert SCRIPTS[shell] in once.values()
    assert all(text.startswith("# mine, without a line end") for path, text in once.items() if path.parent == tmp_path)


def test_another_shell_is_told_which_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    import shellingham  # type: ignore[import-untyped]

    monkeypatch.setattr(shellingham, "detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    with pytest.raises(UsageError, match="completion is for bash, zsh, fish, and this shell is 'tcsh'"):
        running_shell()

    def unknown() -> None:
        raise shellingham.ShellDetectionFailure

    monkeypatch.setattr(shellingham, "detect_shell", unknown)
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert running_shell() == "fish"
