"""What the README and the pages promise beyond the blocks that ``test_pages`` runs."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests import pages
from tests.pages import ROOT, shell

README = pages.PAGES[pages.README]


def blocks(language: str) -> list[str]:
    return pages.blocks(pages.README, language)


def page(name: str) -> str:
    return pages.PAGES[f"docs/{name}.md"]


def test_the_two_commands_open_the_readme() -> None:
    top = README.partition("\n## ")[0]
    assert re.findall(r"^```(\w+)", top, re.MULTILINE) == ["sh", "sh"]


@pytest.mark.parametrize("part", re.split(r"^(?=## )", README, flags=re.MULTILINE))
def test_every_part_fits_one_screen(part: str) -> None:
    lines = part.rstrip().splitlines()
    assert len(lines) <= 45
    assert max(len(line) for line in lines if not line.startswith("|")) <= 130


def test_the_readme_is_short_and_so_is_each_output() -> None:
    assert len(README.splitlines()) <= 120
    for block in blocks("console"):
        assert len(re.findall(r"^(?!\$ |$)", block, re.MULTILINE)) <= 6, block


def test_a_task_is_a_command_that_runs_with_a_short_output_and_a_next_step() -> None:
    tasks = {name: text for name, text in pages.PAGES.items() if name.startswith("docs/howto/")}
    assert tasks
    for name, text in tasks.items():
        assert pages.blocks(name, "console"), name
        for block in pages.blocks(name, "console"):
            assert len(re.findall(r"^(?!\$ )", block, re.MULTILINE)) <= 12, block
        assert text.count("**Next.**") == 1, name
        assert len(text.splitlines()) <= 70, name


def test_every_page_is_named_in_the_contents() -> None:
    folder = ROOT / "docs"
    named = set(re.findall(r"\]\((\w[\w/-]*\.md)", page("index")))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    assert named == there - {"index.md"}


def test_the_first_command_installs_and_runs_the_main_job(tmp_path: Path) -> None:
    install, job = blocks("sh")[0].strip().rsplit(" && ", 1)
    assert install == "python3 -m venv .venv && .venv/bin/pip install ."
    assert job == ".venv/bin/dpaudit check EHDS --n 10..180"
    out = shell(job.removeprefix(".venv/bin/") + "; echo exit $?", tmp_path)
    assert out.endswith("plot: dpaudit-results/check-EHDS-n10-180.png\nexit 0\n")
    summary = (
        "within: ε = 4/5 at n = 10..180 (171 sizes), 16245 pairs, both directions, every output"
    )
    assert summary in " ".join(out.split())
    rows = re.findall(r"^ *(\d+|…)(?: {2}|$)", out, re.MULTILINE)
    assert (rows[0], rows[-1], rows.count("…")) == ("10", "180", 1)


def test_the_second_command_is_what_continuous_integration_runs() -> None:
    command = blocks("sh")[1].strip()
    assert command.startswith('python3 -m venv .venv && .venv/bin/pip install ".[test]" && ')
    assert command.endswith(".venv/bin/python -m pytest --quiet -n auto")
    script = (ROOT / ".ci" / "run").read_text()
    assert "README.md" in script
    extract = re.search(r"^command=\$\((.*)\)$", script, re.MULTILINE)
    assert extract is not None
    assert shell(extract.group(1), ROOT).strip() == command


def test_the_picture_is_what_its_command_draws(tmp_path: Path) -> None:
    from matplotlib.image import imread

    match = re.search(r"Made by `(.*?)`", README)
    assert match is not None
    shell(match.group(1), tmp_path)
    drawn = imread(tmp_path / "realised-epsilon.png")
    shown = imread(ROOT / "docs" / "pictures" / "realised-epsilon.png")
    assert drawn.shape == shown.shape
    assert np.abs(drawn - shown).mean() < 0.005  # another release of the library may shift a pixel


def test_the_run_of_training_in_the_table_is_answered(tmp_path: Path) -> None:
    (command,) = re.findall(r"^\|.*`(dpaudit account .*?)`", README, re.MULTILINE)
    out = shell(f"{command}; echo exit $?", tmp_path)
    assert "ε: 1.133874" in out
    assert out.endswith("exit 0\n")


def test_the_rooms_named_exist() -> None:
    for name in re.findall(
        r"^\| `((?:dpaudit|tests)/\w+|proofs)`", page("architecture"), re.MULTILINE
    ):
        package = "proofs/dpaudit_proofs" if name == "proofs" else name
        assert (ROOT / package / "__init__.py").exists()


def test_the_exit_codes_named_are_the_ones_there_are() -> None:
    from dpaudit.cli.exits import Exit, epilogue

    rows = re.findall(r"^\| (\d+) \| (.*?) \|$", page("commands"), re.MULTILINE)
    assert {int(code) for code, _ in rows} == {code.value for code in Exit}
    for code, meaning in rows:
        first = re.split("[:;]", meaning)[0] if code in "012" else meaning
        assert re.search(rf"^  {code} +{re.escape(first)}", epilogue(), re.MULTILINE)


def test_the_documents_named_are_the_ones_that_are_cited() -> None:
    from dpaudit.notes import NOTES

    rows = re.findall(r"^\| ([A-Z]) \| (.*?) \|$", page("claims"), re.MULTILINE)
    assert dict(rows) == NOTES


def test_the_workflow_runs(tmp_path: Path) -> None:
    """What the workflow runs after the installation: the gate, and the summary in any case."""
    workflow, baseline = pages.blocks("docs/gate.md", "yaml")
    install, *steps = re.findall(r"- run: (.*)$", workflow, re.MULTILINE)
    assert install == "pip install dpaudit"
    for name, content in pages.files("docs/gate.md").items():
        (tmp_path / name).write_text(content)
    script = f"export GITHUB_STEP_SUMMARY=summary.md\n{steps[0]} >out.txt; echo exit $?\n{steps[1]}"
    assert shell(script, tmp_path).endswith("exit 1\n")
    assert (tmp_path / "summary.md").read_text() == (tmp_path / "privacy.md").read_text()
    assert {"privacy.xml", "privacy.html"} <= {path.name for path in tmp_path.iterdir()}

    compared = re.findall(r"- run: (.*)$", baseline, re.MULTILINE)
    (tmp_path / "summary.md").unlink()
    kept = (
        "export GITHUB_STEP_SUMMARY=summary.md; dpaudit gate --format json --output baseline.json"
    )
    gated = f"{compared[0]} >out.txt; echo exit $?\n{compared[1]}"
    assert shell(f"{kept}\n{gated}", tmp_path).endswith("exit 1\n")  # it fails as it did before
    summary = (tmp_path / "summary.md").read_text()
    assert summary == (tmp_path / "privacy.md").read_text()
    assert "no worse" in summary
    (tmp_path / "baseline.json").unlink()
    assert "\nexit 2\n" in shell(gated, tmp_path)


def test_the_pre_commit_hook_named_is_offered() -> None:
    offered = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (hook,) = re.findall(r"the hook `(.*?)`", page("gate"))
    assert f"- id: {hook}\n" in offered
    assert "entry: dpaudit gate\n" in offered


def test_the_quick_set_is_run_as_the_tests_are() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    command, campaign = re.findall(r"^```sh\n(.*)\n```$", text, re.MULTILINE)
    everything = blocks("sh")[1].strip()
    assert command == everything.replace(' ".[test]"', ' -e ".[test]"') + " -m quick tests"
    assert everything.endswith(campaign.removesuffix(" -m campaign"))
    assert f"{campaign}\n" in (ROOT / ".ci" / "run").read_text()
    for name in re.findall(r"`((?:dpaudit|tests)/[\w/.]+|proofs)`", text):
        path = ROOT / name  # NAME.py is a file to come, in a folder that is there
        assert (path.parent if path.stem == "NAME" else path).exists(), name
