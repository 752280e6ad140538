"""The gate's reports, read by the readers that other people wrote."""

import json
import re
import tomllib
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import jsonschema
import pytest
import xmlschema
from junitparser import Error, Failure, JUnitXml
from msgspec.structs import replace
from sarif_pydantic import Sarif

from dpaudit.cli.main import invoke
from dpaudit.gate.entries import shares_of
from dpaudit.gate.rows import Row
from dpaudit.gate.run import run_gate
from dpaudit.numbers.real import real
from dpaudit.report.render import forms_of, render
from dpaudit.results import (
    Audit,
    ClaimFinding,
    Enclosure,
    Finding,
    GateDocument,
    GateVerdict,
    Kind,
    Location,
    Verdict,
)
from dpaudit.results.documents import decode
from tests.chromium import IN_A_BROWSER, check_renders_alone
from tests.gate.test_gate import BROKEN, ENTRY, SOUND, own, write

SCHEMAS = Path(__file__).parent / "schemas"
AWKWARD = "<b>&\"'|\\ ::error\n%0A \x07 ε ≤ 1"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> GateDocument:
    folder = tmp_path_factory.mktemp("project")
    config = f'{SOUND}{BROKEN}{ENTRY}\n[claims]\nI-left = "holds_on"\nI-right = "refuted"\n'
    return run_gate(write(folder, config, own("return {0: 2}")), jobs=2, curves=True)


@pytest.fixture
def awkward() -> GateDocument:
    finding = Finding(
        title=AWKWARD,
        mechanism=AWKWARD,
        kind=Kind.UNDECIDED,
        passed=False,
        message=AWKWARD,
        location=Location("a b,c:d.py", 0),
        report=None,
    )
    claim = ClaimFinding(
        id=AWKWARD, expected="proved", found="refuted", passed=False, message=AWKWARD
    )
    return GateDocument(
        schema="dpaudit.gate/1",
        version="0",
        config=AWKWARD,
        config_sha256="0" * 64,
        verdict=GateVerdict.UNDECIDED,
        mechanisms=(finding,),
        claims=(claim,),
    )


def test_json_reads_back(document: GateDocument) -> None:
    written = render([document], "json")
    assert render([decode(written, GateDocument, real)], "json") == written


def test_junit_in_a_real_reader(document: GateDocument, awkward: GateDocument) -> None:
    suites = JUnitXml.fromstring(render([document], "junit"))
    assert (suites.tests, suites.failures, suites.errors) == (9, 4, 1)
    results = {case.name: case.result for suite in suites for case in suite if case.result}
    failing = {name for name, found in results.items() if isinstance(found[0], Failure)}
    assert failing == {"MH with divisor 1", "EHD, quoted GS", "EHDL", "I-right"}
    assert [n for n, found in results.items() if isinstance(found[0], Error)] == [
        "own.py:mechanism"
    ]
    JUnitXml.fromstring(render([awkward], "junit"))


def test_junit_against_its_schema(document: GateDocument, awkward: GateDocument) -> None:
    schema = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
    for one in (document, awkward):
        schema.validate(render([one], "junit").decode())
    wrong = render([document], "junit").decode().replace("<testcase ", "<testcase wrong='1' ")
    assert not schema.is_valid(wrong)


def test_sarif_against_the_published_schema(document: GateDocument, awkward: GateDocument) -> None:
    schema = jsonschema.Draft202012Validator(
        json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())
    )
    for one in (document, awkward):
        schema.validate(json.loads(render([one], "sarif")))
    wrong = json.loads(render([document], "sarif"))
    wrong["runs"][0]["results"][0]["levle"] = "error"
    assert not schema.is_valid(wrong)


def test_sarif_in_a_real_reader(document: GateDocument, awkward: GateDocument) -> None:
    log = Sarif.model_validate_json(render([document], "sarif"))
    (run,) = log.runs
    rules = [rule.id for rule in run.tool.driver.rules or []]
    found = run.results or []
    assert len(found) == 5
    for result in found:
        assert result.rule_id is not None
        assert result.rule_index is not None
        assert rules[result.rule_index] == result.rule_id
    files = {
        location.physical_location.artifact_location.uri
        for result in found
        for location in result.locations or []
        if location.physical_location and location.physical_location.artifact_location
    }
    assert "own.py" in files
    assert "dpaudit/notes/hellinger_exponential.py" in files
    raw = json.loads(render([awkward], "sarif"))
    region = raw["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert region["region"]["startLine"] == 1
    assert region["artifactLocation"]["uri"] == "a%20b%2Cc%3Ad.py"


def test_annotations_are_one_command_each(document: GateDocument, awkward: GateDocument) -> None:
    lines = render([document], "annotations").decode().splitlines()
    assert len(lines) == 5
    assert all(re.match(r"::error file=[^:]+(,line=\d+)?,title=[^:]+::", line) for line in lines)
    assert len(render([awkward], "annotations").decode().splitlines()) == 2


def test_markdown_keeps_its_columns(document: GateDocument, awkward: GateDocument) -> None:
    for one in (document, awkward):
        rows = [
            line for line in render([one], "markdown").decode().splitlines() if line.startswith("|")
        ]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def test_text_says_what_failed(document: GateDocument) -> None:
    text = render([document], "text").decode()
    assert "exceeds: 9 checked, 5 failed" in text
    assert "with (0,5) against (1,4), output (0,5) is e^0.823 times likelier" in text


@pytest.mark.parametrize("form", forms_of(GateDocument))
def test_the_same_findings_give_the_same_bytes(form: str, document: GateDocument) -> None:
    assert render([document], form) == render([document], form)


class _Page(HTMLParser):
    """Collects what a page would ask for, and whether its elements close."""

    VOID: ClassVar = {"meta", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [
            value or "" for name, value in attrs if name in ("href", "src", "xlink:href")
        ]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_asks_for_nothing(
    document: GateDocument, awkward: GateDocument
) -> None:
    for one in (document, awkward):
        page = _Page()
        page.feed(render([one], "html").decode())
        assert page.open == []
        assert not page.tags & {"script", "link", "img", "iframe", "object", "b"}
        assert all(link.startswith("#") for link in page.links)
        assert "url(" not in render([one], "html").decode()
    assert "svg" in page.tags or awkward.mechanisms[0].report is None


@IN_A_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_real_browser(scheme: str, document: GateDocument, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_bytes(render([document], "html"))
    check_renders_alone(page, tmp_path, scheme, 1600)


def test_the_report_and_the_configuration_fit_their_published_schemas(
    document: GateDocument, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, instance in (
        ("gate", json.loads(render([document], "json"))),
        ("gate-config", tomllib.loads(SOUND + BROKEN)),
    ):
        assert invoke(["schema", name]) == 0
        schema = json.loads(capsys.readouterr().out)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(instance, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**instance, "mechanism": 3, "mechanisms": 3}, schema)


SIZELESS = """
[[mechanism]]
label = "first"
mechanism = "EHDS"
n = [10, 11]

[[mechanism]]
label = "second"
mechanism = "own.py:mechanism"
budget = 1
"""


def test_failures_come_first_and_datasets_without_a_size_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, SIZELESS, own('return {x: "3/4", 1 - x: "1/4"}'))
    assert invoke(["gate", "--plot", "a.svg", "--report", "html=a.html"]) == 1
    page = Path("a.html").read_text()
    assert re.findall(r'<h3 id="h\d">(\w+)', page) == ["second", "first"]
    second, first = page.partition('<section id="m0"')[2].split('<section id="m1"')
    assert "Realised ε of first by number of records" in first
    assert "n = 10" in first
    assert "Lower bound of the privacy curve, from its worst events" in second
    assert "n = 1" not in second
    assert "records n" not in second
    assert "exceeds: 1 of 2 fail, 1 of 2 certified" in page
    assert "exceeds: 1 of 2 fail, 1 of 2 certified" in Path("a.caption.txt").read_text()


def test_a_page_has_the_date_and_the_commit(
    tmp_path: Path, document: GateDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    page = render([replace(document, commit="12ab" * 10)], "html").decode()
    assert "at commit 12ab12ab12ab," in page
    assert "2023-11-14" in page
    assert "commit" not in render([document], "html").decode().lower()


DRAWN = """
[[mechanism]]
mechanism = "EHDS"
n = "3..5"
[[mechanism]]
label = "far beyond"
mechanism = "MH"
n = "10..12"
parameters = { divisor = "1" }
[[mechanism]]
mechanism = "GRR"
measure = "calibrate"
budget = "0.8"
nominal = "0.4"
digits = 15
parameters = { k = 3 }
"""


def test_a_gate_draws_what_entries_use_and_makes_intervals_narrower_never_wider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, DRAWN)
    said = ["--plot", "shares.svg", "--format", "json", "--output", "found.json"]
    assert invoke(["gate", "--digits", "14", *said]) == 1
    found = decode((tmp_path / "found.json").read_bytes(), GateDocument, real)
    assert [getattr(one.report, "digits", None) for one in found.mechanisms] == [14, 14, 15]
    assert "<svg" in (tmp_path / "shares.svg").read_text()
    caption = (tmp_path / "shares.caption.txt").read_text()
    assert "1 of 3 fail, 2 of 3 certified" in caption
    assert "up to 128 times it: far beyond" in caption
    assert invoke(["verify", "found.json", "--config", "dpaudit.toml"]) == 0
    shares = shares_of(found)
    assert [len(own) for own in shares] == [3, 3, 1]
    audit = found.mechanisms[0].report
    assert isinstance(audit, Audit)
    for share, result in zip(shares[0], audit.results, strict=True):
        assert share.lower <= result.epsilon.lower / Decimal("0.8") <= share.upper
        assert share.width < Decimal("1e-10")
    assert shares[2][0].lower == shares[2][0].upper == Decimal("0.5")
    capfd.readouterr()
    for words in (["--digits", "0"], ["--plot", "f.svg", "--output", "f.svg"], ["--plot", "f.gif"]):
        assert invoke(["gate", *words]) == 2
        out, err = capfd.readouterr()
        assert (out, err.count("\n")) == ("", 1)


def test_a_report_of_fewer_digits_does_not_answer_its_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "digits = 9\n" + SOUND)
    assert invoke(["gate", "--digits", "5", "--format", "json", "--output", "found.json"]) == 0
    found = decode((tmp_path / "found.json").read_bytes(), GateDocument, real)
    assert {getattr(one.report, "digits", None) for one in found.mechanisms} == {9}


@pytest.mark.parametrize(
    ("value", "limit", "share"),
    [
        (("0", "0"), "0", ("0", "0")),
        (("0", "0.1"), "0", ("0", "Infinity")),
        (("0.1", "0.1"), "0", ("Infinity", "Infinity")),
        (("Infinity", "Infinity"), "1", ("Infinity", "Infinity")),
        (("0.2", "Infinity"), "2", ("0.1", "Infinity")),
    ],
)
def test_shares_at_the_ends(value: tuple[str, str], limit: str, share: tuple[str, str]) -> None:
    held = Enclosure(Decimal(value[0]), Decimal(value[1]))
    row = Row(1, Verdict.WITHIN, "", "ε", held, real(limit), True, "", Decimal(0))
    assert row.share() == Enclosure(Decimal(share[0]), Decimal(share[1]))


def test_a_size_of_one_is_told_where_datasets_have_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RR is of one user's value, whatever the size; EHDS at n = 1 is at the size 1."""
    monkeypatch.chdir(tmp_path)
    entries = [f'[[mechanism]]\nmechanism = "{name}"\nn = 1\n' for name in ("EHDS", "RR")]
    write(tmp_path, "".join(entries))
    reports = ["--report", "html=a.html", "--report", "json=a.json"]
    assert invoke(["gate", *reports]) == 0
    sized, alone = Path("a.html").read_text().split('<section id="m')[1:]
    assert "privacy curve at n = 1" in sized
    assert '<th scope="col">n</th>' in sized
    assert "Lower bound of the privacy curve, from its worst events" in alone
    assert '<th scope="col">n</th>' not in alone
    found = json.loads(Path("a.json").read_text())["mechanisms"]
    assert [one["report"].get("sized", True) for one in found] == [True, False]
