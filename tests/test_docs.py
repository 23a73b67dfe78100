"""Manual pages and README say what the commands do, because they are written from them."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.main import get_command

import probfs
from probfs.cli import build_app
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.experiments import reproduce
from probfs.paper.rendering.claims import claims_markdown
from tests.conftest import ROOT, Run

README = (ROOT / "README.md").read_text()


def generator(script: str = "man/generate.py") -> ModuleType:
    specification = importlib.util.spec_from_file_location("generate", ROOT / script)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def commands() -> dict[str, Any]:
    found: dict[str, Any] = get_command(build_app()).commands  # type: ignore[attr-defined]  # typer's group, typed as a command
    return found


def test_manual_pages_and_usage_are_what_the_generator_writes() -> None:
    for path, text in generator().files().items():
        assert path.read_text() == text, f"{path.name} is stale: run python man/generate.py"


@pytest.mark.parametrize("name", ["rank", "map", "suggest", "inspect", "exact", "generate", "reproduce"])
def test_every_option_is_in_its_manual_page_and_in_readme(name: str) -> None:
    page = (ROOT / "man" / f"probfs-{name}.1").read_text().replace("\\-", "-")
    usage = README.split(f"### probfs {name}\n")[1].split("\n### ")[0].split("<!-- usage ends")[0]
    options = [
        option for p in commands()[name].params for option in (*p.opts, *p.secondary_opts) if option.startswith("-")
    ]
    assert len(options) > 4
    for option in options:
        assert re.search(rf"{option}\b", page), f"{option} is not in the manual page"
        assert re.search(rf"{option}\b", usage), f"{option} is not in README's usage"


def test_every_command_has_its_page_and_the_wheel_installs_it() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    for name in commands():
        assert (ROOT / "man" / f"probfs-{name}.1").exists()
        assert f'"man/probfs-{name}.1" = "share/man/man1/probfs-{name}.1"' in project


def test_every_rule_and_key_of_the_mapping_is_on_its_page() -> None:
    page = (ROOT / "man" / "probfs-mapping.5").read_text()
    for word in (
        "target",
        "drop",
        "missing",
        "[columns]",
        "<=",
        "==",
        "!=",
        ">=",
        "in [",
        "cut",
        "quantiles",
        "widths",
    ):
        assert word in page
    for word in ("groups", "other", "category", "numeric"):
        assert word in page


def console_blocks() -> list[tuple[str, str]]:
    return [(command, output) for command, output in re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)]


@pytest.mark.parametrize(("command", "output"), console_blocks())
def test_what_readme_shows_is_what_is_printed(run: Run, command: str, output: str) -> None:
    program, _, filter_ = command.partition(" | ")
    if program.startswith("printf "):
        typed = shlex.split(program)[1].replace("\\n", "\n").encode()
        assert run(*shlex.split(filter_)[1:], stdin=typed).stderr == output
        return
    found = run(*shlex.split(program)[1:], cwd=ROOT).stdout
    if filter_:
        # README's filter is jq's; here is what it says, for machines without jq.
        assert filter_ == "jq -r '.rounds[] | [.features, .errors, .removed[0]] | @tsv'"
        rounds = json.loads(found)["rounds"]
        found = "".join(f"{r['features']}\t{r['errors']}\t{r['removed'][0]}\n" for r in rounds)
    assert found == output


def test_the_keys_of_the_json_are_in_readme() -> None:
    document = json.loads(probfs.rank(ROOT / "sample_data" / "commute.csv").to_json())
    keys = {*document["input"], *document["settings"], *document["features"][0], *document["rounds"][0], *document}
    section = README.split("## JSON")[1].split("## Usage")[0]
    for key in keys:
        assert f"`{key}`" in section, key


@pytest.mark.parametrize("name", ["example", "figure1", "figure2", "errors", "pairs"])
def test_the_page_about_the_paper_says_what_is_found(name: str) -> None:
    ((_, finding),) = reproduce([name])
    page = (ROOT / "docs" / "paper.md").read_text()
    assert generator("docs/regenerate.py").section(page, name).strip() == claims_markdown(finding.claims).strip()


def test_the_page_about_the_paper_shows_every_experiment() -> None:
    page = (ROOT / "docs" / "paper.md").read_text()
    for name in EXPERIMENTS:
        assert f"probfs reproduce {name} --output paper\n" in page
        assert f"(figures/{name}.png)" in page
        assert (ROOT / "docs" / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "\n| --- | --- | --- | --- |\n| " in generator("docs/regenerate.py").section(page, name)


@pytest.mark.slow
def test_the_whole_page_about_the_paper_is_what_is_found() -> None:
    page = (ROOT / "docs" / "paper.md").read_text()
    for name, finding in reproduce():
        assert generator("docs/regenerate.py").section(page, name).strip() == claims_markdown(finding.claims).strip()


def test_readme_shows_the_last_benchmarks() -> None:
    written = (ROOT / "benchmarks" / "results.md").read_text()
    shown = README.split("<!-- benchmarks: what benchmarks/run.py wrote -->\n")[1].split("<!-- benchmarks end -->")[0]
    assert shown == written


def test_readme_and_ci_run_the_same_tests() -> None:
    assert "grep -m 1 'python -m pytest' README.md" in (ROOT / ".ci" / "run").read_text()
    line = next(line for line in README.splitlines() if "python -m pytest" in line)
    assert line.startswith("python3 -m venv .venv && ")


def test_nothing_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listed.stdout.splitlines():
        if not (ROOT / name).exists():
            continue
        text = (ROOT / name).read_text(errors="replace")
        assert not re.search(r"/(?:root|home)/\w|/work/|pypi\.org/simple", text) or name == "tests/test_docs.py", name


@pytest.mark.slow
def test_the_wheel_carries_the_manual(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("data/share/man/man1/probfs-rank.1") for name in names)
    assert any(name.endswith("data/share/man/man5/probfs-mapping.5") for name in names)
    assert "probfs/py.typed" in names
    data = zipfile.ZipFile(wheel).read("probfs/experiments/data/breast_cancer.csv")
    assert data == (ROOT / "sample_data" / "breast_cancer.csv").read_bytes()
