"""``dpaudit reproduce``: what it prints, writes and exits with, and its page."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from dpaudit.cli.main import invoke
from dpaudit.errors import PrecisionError
from dpaudit.notes.reproduce.page import render_text, reproduction_document
from dpaudit.notes.reproduce.targets import TARGETS, Target, reproduce
from dpaudit.results import Failed
from tests.chromium import IN_A_BROWSER, check_renders_alone
from tests.interrupts import heeding_interrupts

Run = Callable[..., tuple[int, str, str]]
SOME = ("table-beta", "fig-9")


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run the command line in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run_in_folder


def test_some_targets_print_their_verdicts_and_write_the_page(run: Run, tmp_path: Path) -> None:
    code, out, err = run("reproduce", "fig-9", "table-beta", "--jobs", "1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("table-beta: reproduced (20 of 20), its numbers to all 11 to 12")
    assert lines[-1] == "page: dpaudit-results/reproduce/reproduce.html"
    assert sum("to 12 digits" in line or "to 11 digits" in line for line in lines) >= 14
    folder = tmp_path / "dpaudit-results" / "reproduce"
    expected = {f"{name}.{end}" for name in SOME for end in ("csv", "svg", "caption.txt")}
    assert {path.name for path in folder.iterdir()} == expected | {"reproduce.html", "reproduce.md"}
    caption = (folder / "fig-9.caption.txt").read_text()
    for told in ("N §4.3.4, Fig. 9", "ε = ", "whiskers: 5% and 95% quantiles", "certified to"):
        assert told in caption
    rows = list(csv.reader(io.StringIO((folder / "table-beta.csv").read_text())))
    assert len(rows) == 1 + 5 * 8
    assert {len(row) for row in rows} == {7}
    markdown = (folder / "reproduce.md").read_text()
    for name in SOME:
        assert f"({name}.svg)" in markdown
        assert f"({name}.csv)" in markdown
        drawing = (folder / f"{name}.svg").read_text()
        assert "<svg" in drawing
        assert "ε = 0.8" in drawing
        assert "whiskers: 5% and 95% quantiles" in drawing or name != "fig-9"
        assert "reading: as defined" in drawing or name != "fig-9"
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}


def test_the_same_run_writes_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        assert run("reproduce", "fig-9", "--output", folder, "--jobs", "1")[0] == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_csv_and_markdown_have_a_row_for_every_number(run: Run) -> None:
    code, out, err = run("reproduce", "table-beta", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, err) == (0, "page: dpaudit-results/reproduce/reproduce.html\n")
    assert len(rows) == 20
    assert {row["item"] for row in rows} == {"table-beta"}
    assert all(row["value_lower"] <= row["value_upper"] for row in rows)
    listed = run("reproduce", "--list", "--format", "csv")[1].splitlines()
    assert len(listed) == 1 + len(TARGETS)
    assert run("reproduce", "table-beta", "--format", "markdown")[1].count("| ✓ reproduced") == 20


def test_json_fits_its_schema(run: Run) -> None:
    code, out, err = run("reproduce", *SOME, "--format", "json", "--output", "out", "--jobs", "2")
    assert code == 0
    assert err == "page: out/reproduce.html\n"
    document = json.loads(out)
    schema = json.loads(run("schema", "reproduce")[1])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert document["schema"] == "dpaudit.reproduce/1"
    assert document["verdict"] == "decided"
    assert [item["id"] for item in document["items"]] == list(SOME)
    assert document["items"][0]["digits"] == 11
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "items": 3}, schema)


def test_list_names_every_target_and_computes_nothing(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("reproduce", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == list(TARGETS)
    assert {f"fig-{number}" for number in range(2, 12)} <= set(TARGETS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["fig-66"], "no target is called 'fig-66'; did you mean fig-6"),
        (["fig-6", "table-bta"], "did you mean table-beta"),
        (["??"], "known: table-beta"),
        (["", "--list"], "no target is called ''"),
        (["fig-9", "--jobs", "0"], "jobs = 0: must be a whole number from 1 to 1024"),
        (["fig-9", "--jobs", "two"], "jobs = two"),
        (["fig-9", "--output", "taken"], "cannot write taken"),
        (["fig-9", "--output", "taken/in"], "cannot write taken/in"),
        (["fig-9", "--output", ""], "must be a folder"),
        (["fig-9", "--format", "xml"], "xml"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    run: Run, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    (tmp_path / "taken").write_text("a file")
    code, out, err = run("reproduce", *arguments)
    assert code == 2
    assert out == ""
    assert reason in err
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken").read_text() == "a file"


def test_a_target_that_no_precision_decides_is_not_a_pass(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up() -> None:
        raise PrecisionError("not enclosed | <b>")

    hopeless = Target("fig-9", "hopeless", "N Fig. 9", give_up)  # type: ignore[arg-type]
    monkeypatch.setitem(TARGETS, "fig-9", hopeless)
    code, out, _ = run("reproduce", "fig-9", "table-beta", "--output", "out", "--jobs", "1")
    assert code == 3
    assert "fig-9: undecided: not enclosed | <b>\n" in out
    page = (tmp_path / "out" / "reproduce.html").read_text()
    assert "not enclosed | &lt;b&gt;" in page
    found = list(reproduce([hopeless]))
    assert found == [Failed("fig-9", "hopeless", "N Fig. 9", "not enclosed | <b>")]
    assert reproduction_document(found, []).verdict == "undecided"
    assert reproduction_document([], ["fig-6"]).verdict == "undecided"
    assert render_text([], ["fig-6"]) == "fig-6: not computed\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, jobs: str) -> None:
    targets = ("table-beta", "fig-2", "fig-20-20-20-20")  # the last takes minutes
    command = (*targets, "--jobs", jobs, "--output", "out", "--format", "json")
    with heeding_interrupts():
        process = subprocess.Popen(
            [sys.executable, "-m", "dpaudit", "reproduce", *command],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    while not (tmp_path / "out" / "fig-2.svg").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "interrupted; what was finished is kept" in err
    assert "Traceback" not in err
    document = json.loads(out)
    finished = {item["id"] for item in document["items"]}
    assert "fig-2" in finished
    assert "fig-20-20-20-20" in document["missing"]
    assert finished | set(document["missing"]) == set(targets)
    assert document["verdict"] == "undecided"
    page = (tmp_path / "out" / "reproduce.html").read_text()
    assert "not computed" in page


class _Page(HTMLParser):
    """Collects what a page would ask for, and whether its elements close."""

    VOID = ("meta", "img")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_asks_for_nothing(run: Run, tmp_path: Path) -> None:
    assert run("reproduce", *SOME, "--output", "out", "--jobs", "1")[0] == 0
    text = (tmp_path / "out" / "reproduce.html").read_text()
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert not page.tags & {"script", "link", "iframe", "object"}
    assert all(link.startswith(("#", "data:image/svg+xml;base64,")) for link in page.links)
    assert "url(" not in text
    assert "default-src 'none'" in text


@IN_A_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_real_browser(run: Run, scheme: str, tmp_path: Path) -> None:
    assert run("reproduce", *SOME, "--output", "out", "--jobs", "1")[0] == 0
    check_renders_alone(tmp_path / "out" / "reproduce.html", tmp_path, scheme, 2400)
