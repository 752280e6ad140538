"""Everything the README and the pages of ``docs`` show is run, and comes out as it is shown."""

import doctest
import re
from pathlib import Path

import pytest

from tests.golden.compare import differences_of_accounts
from tests.pages import PAGES, ROOT, blocks, files, printed, without_runs

CONSOLE = [(page, block) for page in PAGES for block in blocks(page, "console")]


@pytest.mark.wrong_on_purpose  # one report is changed, to be rejected
@pytest.mark.parametrize(
    ("page", "block"), CONSOLE, ids=[f"{page}-{b.splitlines()[0][:60]}" for page, b in CONSOLE]
)
def test_console_blocks_print_what_they_show(page: str, block: str, tmp_path: Path) -> None:
    shown, now = without_runs(block), without_runs(printed(page, block, tmp_path))
    if "$ dpaudit account" in block:
        assert not differences_of_accounts(shown, now)
    else:
        assert now == shown
    given = files(page)
    # What is printed may name options too.
    commands = "\n".join(re.findall(r"^[$>] .*$", block, re.MULTILINE))
    written = set(re.findall(r"--(?:output|export \w+) (\S+)", commands))
    for name in re.findall(r"--plot (\w+) ", commands):  # without a suffix
        written |= {f"{name}.svg", f"{name}.caption.txt"}
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == set(given) | written


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_blocks_are_one_session_that_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in files(page).items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "\n".join(blocks(page, "python"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, None, 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGES[page]):
        if not target.startswith("https://"):
            assert (ROOT / page).parent.joinpath(target).resolve().exists(), target
