"""Manual pages, README and docs say what the commands and the code do."""

from __future__ import annotations

import doctest
import functools
import json
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from probfs.classifiers.catalogue import CLASSIFIERS, known_options
from probfs.cli import COMMANDS as SUMMARIES
from probfs.cli import build_app, load_command
from probfs.columns.mapping import load_mapping
from probfs.comparison.measures import MEASURES
from probfs.comparison.result import Change, ColumnChange
from probfs.output.documents import header_of
from probfs.output.writers import markdown_text
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.catalogue import SAMPLES as SAMPLES_BY_NAME
from probfs.paper.documents import claims_document
from probfs.paper.laboratory import reproduce
from probfs.ranking.result import RankedFeature
from probfs.selection.result import SelectedFeature
from tests.conftest import ROOT, SAMPLES

README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
COMMANDS = (DOCS / "reference" / "commands.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
PACKAGE = ROOT / "src" / "probfs"
PAGES = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("*/README.md")})


@functools.cache
def generator(script: str = "man/generate.py") -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(ROOT / script)))


@functools.cache
def commands() -> dict[str, Any]:
    return {**build_app().commands}


def test_manual_pages_are_what_the_generator_writes() -> None:
    for path, text in generator().files().items():
        assert path.read_text() == text, f"{path.name} is stale: run python man/generate.py"


@pytest.mark.parametrize("name", commands())
def test_the_page_of_commands_has_every_command_and_option_as_they_are(name: str) -> None:
    command = load_command(name)
    section = generator().page_sections()[f"probfs {name}"]
    assert section.startswith(f"{SUMMARIES[name][1]}\n\n```sh\nprobfs {name} [OPTION ...] ")
    assert section.endswith(f"```sh\n{command.examples}\n```")
    assert f'"man/probfs-{name}.1" = "share/man/man1/probfs-{name}.1"' in (ROOT / "pyproject.toml").read_text()
    rows = {(panel, written): text for panel, row in generator().option_rows(name).items() for written, text in row}
    expected = {
        (option.panel, " ".join(filter(None, ("/".join(option.names), option.metavar)))): option
        for option in command.options.values()
    }
    assert rows.keys() == expected.keys(), "other options, choices or panels in docs/reference/commands.md"
    for place, option in expected.items():
        assert rows[place].startswith(option.help.rstrip(".")), place
        assert option.default is None or f"Default: {option.default}" in rows[place], place


def test_the_page_of_commands_lists_what_is_registered() -> None:
    paragraphs = generator().page_sections()["Classifiers"].split("\n\n")[1:]
    assert len(paragraphs) == len(CLASSIFIERS)
    for classifier, paragraph in zip(CLASSIFIERS.values(), paragraphs, strict=True):
        own = ", ".join(f"--{name.replace('_', '-')}" for name in classifier.options())
        assert paragraph.startswith(f"**{classifier.name}.** {classifier.description[:1].upper()}")
        assert paragraph.endswith(f"Default estimate: {classifier.default_estimate}. Own options: {own}.")
        assert f"{classifier.name}: {classifier.description}" in COMMANDS
    for name, declared, _ in known_options():
        rows = re.findall(rf"^\| `--{name.replace('_', '-')} .*$", COMMANDS, re.MULTILINE)
        meaning = f"{declared.help} Default: {declared.default_help or declared.default}."
        assert any(meaning[1:] in row for row in rows), name
    for words in (MEASURES, SAMPLES_BY_NAME, EXPERIMENTS):
        assert ", ".join(words) in COMMANDS
    output = (DOCS / "reference" / "output.md").read_text()
    assert not [change for change in get_args(Change) if f"`{change}`" not in output]
    for result in (RankedFeature, SelectedFeature, ColumnChange):
        assert ", ".join(header_of(result)) in COMMANDS
        assert not [name for name in header_of(result) if f"`{name}`" not in output]


def shell_lines() -> list[str]:
    """Every line of the docs that a reader would type into a shell."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = "\n".join(re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ")
    return [line for line in blocks.splitlines() if re.search(r"\bprobfs [a-z]+ (?!\[OPTION)", line)]


@pytest.mark.parametrize("line", shell_lines())
def test_commands_in_the_docs_have_the_options_they_are_shown_with(line: str) -> None:
    for name, words in re.findall(r"\bprobfs ([a-z]+) ([^|;&()]*)", line):
        if name in commands():
            known = {option for each in commands()[name].params for option in (*each.opts, *each.secondary_opts)}
            used = re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", words)
            assert {option.replace("-qq", "-q") for option in used} <= known


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(linked.read_text()), f"{target} has no such heading"


def anchors(text: str) -> set[str]:
    """The anchors that headings have on GitHub."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_rule_of_the_mapping_is_on_its_pages_and_their_examples_are_understood(tmp_path: Path) -> None:
    reference, manual = ((ROOT / name).read_text() for name in ("docs/reference/mapping.md", "man/probfs-mapping.5"))
    rules = "target drop missing [columns] <= == != >= in cut quantiles widths groups min_count other category numeric"
    assert not [word for word in rules.split() if word not in reference or word not in manual]
    (in_reference,) = re.findall(r"```toml\n(.*?)```", reference, re.DOTALL)
    for text in (in_reference, manual.split("\n.EX\n")[1].split("\n.EE")[0]):
        (tmp_path / "example.toml").write_text(text)
        assert len(load_mapping(tmp_path / "example.toml").columns) > 5


CONSOLE_PAGES = [page for page in PAGES if "```console\n" in page.read_text()]


@pytest.mark.parametrize("page", CONSOLE_PAGES, ids=lambda path: path.name)
def test_what_a_page_shows_of_a_terminal_is_what_is_printed(page: Path) -> None:
    consoles = generator("docs/consoles.py")
    for command, shown, printed in consoles.run_page(page.read_text()):
        assert printed == shown, f"{command}: run python docs/consoles.py"


PYTHON_PAGES = [page for page in DOCS.rglob("*.md") if "```python\n>>> " in page.read_text()]


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=lambda path: path.name)
def test_what_a_page_shows_of_python_is_what_python_prints(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import pyplot

    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    blocks = re.findall(r"```python\n(>>> .*?)```", page.read_text(), re.DOTALL)
    # One session for the whole page, as a reader has it.
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, None, 0)
    printed: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=printed.append)
    pyplot.close("all")
    assert results.attempted > 5
    assert results.failed == 0, "".join(printed)


@pytest.mark.parametrize("page", ["README.md", "docs/background/classifiers.md"])
def test_what_a_page_has_of_python_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    if page == "README.md":
        assert names["ranking"].features[0].feature in code
        assert json.loads((tmp_path / "ranking.json").read_text())["schema"] == "probfs.ranking/2"
    else:
        assert capsys.readouterr().out == "cell_size_uniformity\n"


def without_rounding_noise(text: str) -> str:
    """The same text with 0 for differences of one unit in the last place or so, which depend on the machine."""
    return re.sub(r"\b\d(?:\.\d+)?e-(?:1[6-9]|[2-9]\d)\b", "0", text).strip()


AT_ONCE = ("example", "figure1", "figure2", "errors", "pairs")
LATER = [pytest.param(name, marks=pytest.mark.slow) for name in EXPERIMENTS if name not in AT_ONCE]


@pytest.mark.parametrize("name", [*AT_ONCE, *LATER])
def test_the_page_about_the_paper_says_what_is_found(name: str) -> None:
    ((_, finding),) = reproduce([name])
    shown = generator("docs/regenerate.py").section((DOCS / "background" / "paper.md").read_text(), name)
    found = markdown_text(claims_document(finding.claims))
    assert without_rounding_noise(shown) == without_rounding_noise(found)


def test_the_figure_of_readme_is_what_is_drawn() -> None:
    regenerate = generator("docs/regenerate.py")
    assert regenerate.README_FIGURE.relative_to(ROOT).as_posix() in README
    drawn = regenerate.readme_figure().decode()
    # Glyphs differ in their last digits from one version of matplotlib to another.
    assert re.findall(r"<!-- (.*?) -->", regenerate.README_FIGURE.read_text()) == re.findall(r"<!-- (.*?) -->", drawn)


def test_the_page_about_the_paper_shows_every_experiment() -> None:
    page = (DOCS / "background" / "paper.md").read_text()
    for name in EXPERIMENTS:
        assert f"probfs reproduce {name} --output paper\n" in page
        assert f"(../figures/{name}.png)" in page
        assert (ROOT / "docs" / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "\n| --- | --- | --- | --- |\n| " in generator("docs/regenerate.py").section(page, name)


def test_the_page_of_benchmarks_shows_the_last_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from measure import Line, markdown

    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    page = (DOCS / "background" / "benchmarks.md").read_text()
    shown = page.split("<!-- table: written by benchmarks/run.py -->\n")[1].split("<!-- table ends -->")[0]
    assert shown == markdown([Line(**result) for result in results])


def test_every_package_is_on_the_map_and_every_path_there_exists() -> None:
    tree = ARCHITECTURE.split("\n## Packages\n")[1].split("\n## ")[0]
    packages = [path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
    assert len(packages) > 10
    for package in packages:
        assert re.search(rf"^{package}/ ", tree, re.MULTILINE), f"{package} is not in docs/architecture.md"
    named = re.findall(r"`([\w./]+(?:/|\.py|\.md|\.toml|\.5))`", ARCHITECTURE)
    named += re.findall(r"^([\w./]+(?:/|\.py)) ", ARCHITECTURE, re.MULTILINE)
    assert len(named) > 40
    # Beside a path, files of the same folder are called by their names alone.
    files = {path.name for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts}
    places = [path for path in named if path.rstrip("/") not in files]
    assert not [path for path in places if not ((PACKAGE / path).exists() or (ROOT / path).exists())]


def test_the_map_and_the_linter_have_the_same_layers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = project["tool"]["importlinter"]["contracts"][0]
    section = ARCHITECTURE.split("\n## Who may import whom\n")[1]
    written = next(paragraph for paragraph in section.split("\n\n") if "→" in paragraph)
    layers = [", ".join(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    assert " → ".join(layers) == " ".join(written.replace("`", "").split())


def test_hooks_ci_and_readme_run_the_same_checks() -> None:
    ci, hooks = (ROOT / ".ci" / "run").read_text(), (ROOT / ".pre-commit-config.yaml").read_text()
    checks = re.findall(r"^\.venv/bin/((?!pip\b|mkdocs\b).*)$", ci, re.MULTILINE)
    assert checks
    assert re.findall(r"exec (.*)'$", hooks, re.MULTILINE) == checks
    assert "grep -m 1 'python -m pytest' README.md" in ci
    (line, *_) = (line for line in README.splitlines() if "python -m pytest" in line)
    assert line.startswith("python3 -m venv .venv && ")


def test_nothing_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in filter(Path.exists, map(ROOT.joinpath, listed.stdout.splitlines())):
        named = re.findall(r"/(?:root|home)/\w|/work/|pypi\.org/simple", name.read_text(errors="replace"))
        assert not named or name == Path(__file__), name


@pytest.mark.slow
def test_the_wheel_carries_the_manual(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    for end in ("data/share/man/man1/probfs-rank.1", "data/share/man/man5/probfs-mapping.5"):
        assert any(name.endswith(end) for name in names)
    assert {"probfs/py.typed", "probfs/cli/completion.zsh"} <= set(names)
    for sample in (*(f"{name}.csv" for name in (*SAMPLES_BY_NAME, "joint")), "breast_cancer.toml"):
        assert archive.read(f"probfs/sample_data/{sample}") == (SAMPLES / sample).read_bytes()
    for name in ("report.html.jinja", "report.css", "report.js"):
        assert f"probfs/output/assets/{name}" in names
