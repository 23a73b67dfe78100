"""What differs between two folders of recorded commands (tests/record_commands.py), and whether it may.

A difference *fails* where it breaks what users rely on: exit statuses, files written, keys and columns, options in the
help, cells and scores of Naive Bayes to nine digits, one line for an error. It is only *listed* where versions may
differ: the wording of messages and help, what refitted classifiers and repeated experiments give, values of p and q
(some are drawn at random), pages and figures.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

TOLERANCE = 1e-9
NEGLIGIBLE = 1e-12
SHOWN = 3
"""How many differences of one file are printed."""

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
REFITTED = re.compile(r"--classifier (svm|logistic|forest|boosting)|^probfs reproduce")
TESTS = {"p", "q"}
"""Keys and columns of values that may be drawn at random."""


@dataclass(frozen=True)
class Difference:
    text: str
    fails: bool = True


@dataclass
class Report:
    failed: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)

    def add(self, place: str, differences: list[Difference]) -> None:
        """A line for each of the first few differences of a file, those that fail before others."""
        for fails, lines in ((True, self.failed), (False, self.listed)):
            texts = [difference.text for difference in differences if difference.fails == fails]
            lines += [f"{place}: {text}" for text in texts[:SHOWN]]
            if len(texts) > SHOWN:
                lines.append(f"{place}: … and {len(texts) - SHOWN} more")


def compare(before: Path, after: Path) -> int:
    """Print a line for each difference and a summary; 1 if something fails."""
    report = Report()
    old, new = ({path.name for path in folder.iterdir() if path.is_dir()} for folder in (before, after))
    if old ^ new:
        print(f"recorded in one folder only, and not compared: {', '.join(sorted(old ^ new))}")
    for name in sorted(old & new):
        compare_command(before / name, after / name, report)
    for title, lines in (("listed", report.listed), ("failed", report.failed)):
        print(f"{title}: {len(lines) or 'nothing'}")
        print("".join(f"  {line}\n" for line in lines), end="")
    touched = {line.split(" ")[0].rstrip(":") for line in report.failed}
    print(f"{len(old & new)} commands compared, {len(touched)} fail, {len(report.listed)} differences listed")
    return int(bool(report.failed))


def compare_command(old: Path, new: Path, report: Report) -> None:
    name, command = old.name, (new / "command").read_text().strip()
    statuses = [(folder / "status").read_text().strip() for folder in (old, new)]
    if statuses[0] != statuses[1]:
        last = (new / "stderr").read_text().strip().splitlines()[-1:]
        report.add(name, [Difference(f"exit status {statuses[1]}, was {statuses[0]}: {' '.join(last)[:200]}")])
        return
    report.add(f"{name} stderr", messages(*_texts(old / "stderr", new / "stderr"), failing=statuses[0] in ("1", "2")))
    paths = [{str(path.relative_to(folder)) for path in _outputs(folder)} for folder in (old, new)]
    for path in sorted(paths[0] ^ paths[1]):
        report.add(name, [Difference(f"{path} is written {'before' if path in paths[0] else 'after'} only")])
    for path in sorted(paths[0] & paths[1]):
        differences = list(contents(path, *_texts(old / path, new / path)))
        if REFITTED.search(command):
            differences = [Difference(d.text, d.fails and d.text.startswith("keys")) for d in differences]
        report.add(f"{name} {path}", differences)


def _outputs(folder: Path) -> Iterator[Path]:
    yield from folder.glob("stdout*")
    yield from (path for path in (folder / "files").rglob("*") if path.is_file())


def _texts(old: Path, new: Path) -> tuple[str, str]:
    return old.read_text(), new.read_text()


def messages(old: str, new: str, failing: bool) -> list[Difference]:
    """Notes and errors: texts may change, but an error stays one line."""
    found = []
    errors = [sum("error" in line.lower() for line in text.splitlines()) for text in (old, new)]
    if "Traceback" in new and "Traceback" not in old:
        found.append(Difference(f"a traceback: {new.strip().splitlines()[-1][:200]}"))
    elif failing and errors[0] == 1 and errors[1] != 1:
        found.append(Difference(f"{errors[1]} lines with an error, was 1: {new.strip()[:200]!r}"))
    before, after = old.splitlines(), new.splitlines()
    found += [Difference(f"new: {line}", fails=False) for line in after if line not in before]
    found += [Difference(f"old: {line}", fails=False) for line in before if line not in after]
    return found


def contents(path: str, old: str, new: str) -> Iterator[Difference]:
    """Differences of an output, by what kind it is of."""
    if old == new:
        return
    yield from _kind(path, old)(old, new)


def _kind(path: str, text: str) -> Callable[[str, str], Iterator[Difference]]:
    if "Usage: " in text[:200]:
        return helps
    if _is_json(text):
        return json_values
    if path.endswith((".html", ".svg")):
        return pages
    if text.startswith("a picture of"):
        return pictures
    if text.startswith("rank,feature") or path.endswith(".csv"):
        return csv_cells
    return plain_text


def _is_json(text: str) -> bool:
    """Whether the text is one document; not JSON lines."""
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def helps(old: str, new: str) -> Iterator[Difference]:
    options = [set(OPTION.findall(text)) for text in (old, new)]
    for option in sorted(options[0] - options[1]):
        yield Difference(f"option {option} is gone")
    for option in sorted(options[1] - options[0]):
        yield Difference(f"option {option} is new", fails=False)
    yield Difference("the text of the help", fails=False)


def json_values(old: str, new: str) -> Iterator[Difference]:
    if not _is_json(new):
        yield Difference("keys: no JSON any more")
        return
    documents = json.loads(old), json.loads(new)
    keys = [{key for key, _ in leaves("", document, "[]")} for document in documents]
    for key in sorted(keys[0] ^ keys[1]):
        yield Difference(f"keys: {key} {'is gone' if key in keys[0] else 'is new'}")
    before, after = (dict(leaves("", document)) for document in documents)
    for key in dict.fromkeys([*before, *after]):
        if not near(before.get(key), after.get(key)):
            fails = key.rpartition(".")[2] not in TESTS and not key.endswith(".message")
            yield Difference(f"{key} is {after.get(key)!r}, was {before.get(key)!r}", fails)


def leaves(prefix: str, value: Any, element: str | None = None) -> Iterator[tuple[str, Any]]:
    """Dotted keys and values of nested objects and lists; ``element`` stands for every position of a list."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(f"{prefix}.{key}".lstrip("."), item, element)
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from leaves(f"{prefix}{element or f'[{place}]'}", item, element)
    else:
        yield prefix, value


def csv_cells(old: str, new: str) -> Iterator[Difference]:
    rows = [list(csv.DictReader(io.StringIO(text, newline=""))) for text in (old, new)]
    headers = [next(csv.reader(io.StringIO(text, newline="")), []) for text in (old, new)]
    if headers[0] != headers[1]:
        yield Difference(f"keys: the header is {headers[1]}, was {headers[0]}")
        return
    if len(rows[0]) != len(rows[1]):
        yield Difference(f"{len(rows[1])} rows, were {len(rows[0])}")
        return
    for line, (before, after) in enumerate(zip(*rows, strict=True), start=1):
        for key, cell in before.items():
            if not near(_value(cell), _value(after[key])):
                yield Difference(f"{key} of row {line} is {after[key]!r}, was {cell!r}", key not in TESTS)


def _value(cell: Any) -> Any:
    try:
        return float(cell) if NUMBER.fullmatch(cell) else cell
    except TypeError:
        return cell


def near(a: Any, b: Any) -> bool:
    """Equal; numbers to nine digits, or both negligible."""
    if a == b:
        return True
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return False
    size = max(abs(a), abs(b))
    return size <= NEGLIGIBLE or abs(a - b) <= TOLERANCE * size


def plain_text(old: str, new: str, fails: bool = True) -> Iterator[Difference]:
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after):
        yield Difference(f"{len(after)} lines, were {len(before)}", fails)
        return
    for a, b in zip(before, after, strict=True):
        if not _near_lines(a, b):
            yield Difference(f"{b!r}, was {a!r}", fails)


def _near_lines(a: str, b: str) -> bool:
    if NUMBER.split(a) != NUMBER.split(b):
        return False
    numbers = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(near(float(x), float(y)) for x, y in numbers)


class _VisibleText(HTMLParser):
    """The texts of a page or a figure, without markup, scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words += data.split()


def pages(old: str, new: str) -> Iterator[Difference]:
    """Which words a page or a figure lost or gained."""
    words = []
    for text in (old, new):
        parser = _VisibleText()
        parser.feed(text)
        words.append(parser.words)
    lost = [word for word in dict.fromkeys(words[0]) if word not in set(words[1])]
    gained = [word for word in dict.fromkeys(words[1]) if word not in set(words[0])]
    size = f"{len(new):,} characters, were {len(old):,}"
    yield Difference(f"{size}; words gone: {' '.join(lost)[:150] or '-'}; new: {' '.join(gained)[:150] or '-'}", False)


def pictures(old: str, new: str) -> Iterator[Difference]:
    yield Difference(f"{new.strip()}, was {old.strip()}", fails=False)
