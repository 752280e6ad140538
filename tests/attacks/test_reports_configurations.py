"""Hostile reports of gates: none passes for a configuration that it does not answer."""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dpaudit import check
from dpaudit.api.rechecks import own_mechanisms
from dpaudit.audit.plan import MAX_SIZE
from dpaudit.gate.config import Entry, GateConfig
from dpaudit.gate.run import run_gate
from dpaudit.recheck import configurations, entry_requests
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.findings import NotAReportError, VerificationDocument
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import encode, seal_of
from dpaudit.results.values import LARGEST_N

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

OWN = '''
from fractions import Fraction

from dpaudit.numbers.ball import Ball


class Coin:
    """Randomised response with the probability p of the truth."""

    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def __init__(self, p: Fraction = Fraction(3, 4)):
        self.p = p

    def law(self, answer):
        other = "no" if answer == "yes" else "yes"
        return {answer: self.p, other: 1 - self.p}


class Tie:
    """Realises its ε, given as balls: no precision tells."""

    budget, neighbours, datasets = "ln(3)", "all", [0, 1]

    def law(self, bit):
        p = Ball("0.75", "1e-100")
        return {bit: p, 1 - bit: 1 - p}


class Loose(Tie):
    """ε is ln(3), known to 10^-9."""

    def law(self, bit):
        p = Ball("0.75", "1e-9")
        return {bit: p, 1 - bit: 1 - p}
'''


def entry(mechanism: str, *lines: str, above: str = "") -> str:
    return "\n".join([above, "[[mechanism]]", f'mechanism = "{mechanism}"', *lines, ""])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    return tmp_path


def answer(config: str) -> Document:
    """The report of a gate on a configuration."""
    Path("dpaudit.toml").write_text(config)
    report: Document = json.loads(encode(run_gate(Path("dpaudit.toml"), jobs=1)))
    return report


def held(report: Document, config: str, *own: str) -> VerificationDocument:
    """What becomes of a report that says that it answers ``config``."""
    path = Path("dpaudit.toml")
    path.write_text(config)
    content = {**report, "config_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    Path("report.json").write_text(json.dumps({**content, "sha256": seal_of(content)}))
    requirements = Requirements(config=path)
    return verify(Path("report.json"), own_mechanisms(own), requirements, all_pairs=True)


# (what was run, what the file says): the report of the first is no answer to the second
OTHERS: dict[str, tuple[str, str]] = {
    "1a: pairs": (entry("EHDS", "n = 3"), entry("EHDS", 'n = "3,4"')),
    "1b: ε left out": (
        entry("EHD", "n = 3", 'budget = "4/5"', 'parameters = { epsilon = "1/10" }'),
        entry("EHD", "n = 3", 'budget = "4/5"'),
    ),
    "1b: a reading left out": (
        entry("LSZhang", "n = 2", "budget = 3", 'parameters = { coordinates = "all" }'),
        entry("LSZhang", "n = 2", "budget = 3"),
    ),
    "1b: a prior left out": (
        entry("EHDS", "n = 3", 'parameters = { prior = "5,5" }'),
        entry("EHDS", "n = 3"),
    ),
    "1b: k": (entry("EHDS", "n = 3"), entry("EHDS", "n = 3", "parameters = { k = 3 }")),
    "1b: a relation left out": (
        entry("SVT4", "n = 2", "budget = 1", 'adjacency = "unit-moves-one-sign"'),
        entry("SVT4", "n = 2", "budget = 1"),
    ),
    "1b: a parameter of an own mechanism left out": (
        entry("own.py:Coin", 'parameters = { p = "3/5" }'),
        entry("own.py:Coin"),
    ),
    "1b: a parameter nearly the same": (
        entry("EHDS", "n = 3", 'parameters = { gamma = "1" }', "budget = 1"),
        entry("EHDS", "n = 3", f'parameters = {{ gamma = "1.{50 * "0"}1" }}', "budget = 1"),
    ),
    "1c: an exact tie fails": (
        entry("LSHist", "n = 3"),
        entry("LSHist", "n = 3", above='fail-on = "tie"'),
    ),
    "1d: a tie is not accepted": (
        entry("own.py:Tie", 'ties = "accept"'),
        entry("own.py:Tie"),
    ),
    "other digits": (entry("EHDS", "n = 3", "digits = 5"), entry("EHDS", "n = 3")),
    "other digits of the whole": (
        entry("EHDS", "n = 3"),
        entry("EHDS", "n = 3", above="digits = 20"),
    ),
    "another name": (entry("EHDS", "n = 3"), entry("EHDS", "n = 3", 'label = "release"')),
    "a tie that is wide at the cap": (
        entry("own.py:Tie", 'ties = "accept"', "precision-cap = 256"),
        entry("own.py:Tie", 'ties = "accept"', "precision-cap = 8192"),
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_report_answers_its_own_configuration_alone(case: str) -> None:
    run, asked = OTHERS[case]
    report = answer(run)
    own = ["own.py:Coin", "own.py:Tie"] if "own.py" in run else []
    found = held(report, run, *own)
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)
    assert held(report, asked, *own).verdict == "rejected"


def test_1a_an_entry_is_answered_over_all_pairs() -> None:
    config = entry("MH", "n = 10", 'parameters = { divisor = "1" }')
    report = answer(config)
    assert report["verdict"] == "exceeds"
    around = json.loads(check("MH", n=10, divisor="1", at="5,5").to_json())
    del around["sha256"]
    report["mechanisms"][0] |= {"report": around, "kind": "within", "passed": True}
    report["mechanisms"][0] |= {"events": [], "events_n": 0}
    report["verdict"] = "within"
    found = held(report, config)
    assert found.verdict == "rejected"
    assert "around 5,5" in found.disagreements[0].message


@pytest.mark.parametrize(
    ("name", "line", "told"),
    [("LSHist", 'fail-on = "tie"', "within"), ("own.py:Tie", "", "tie accepted")],
)
def test_1cd_the_kind_of_an_entry_follows_from_its_rules(name: str, line: str, told: str) -> None:
    config = entry(name, *(["n = 3"] if name == "LSHist" else []), above=line)
    report = answer(config)
    assert report["verdict"] != "within"
    own = ["own.py:Tie"] if ".py" in name else []
    assert held(report, config, *own).verdict == "accepted"  # as it fails
    report["mechanisms"][0] |= {"kind": told, "passed": True}
    assert held(report | {"verdict": "within"}, config, *own).verdict == "rejected"


def test_1d_what_is_wide_is_no_tie_without_a_configuration_either() -> None:
    config = entry("own.py:Loose", 'ties = "accept"')
    report = answer(config)
    assert report["mechanisms"][0]["kind"] == "undecided"
    report["mechanisms"][0] |= {"kind": "tie accepted", "passed": True}
    report["verdict"] = "within"
    assert held(report, config, "own.py:Loose").verdict == "rejected"
    assert verify(Path("report.json"), own_mechanisms(["own.py:Loose"])).verdict == "rejected"


def test_1c_a_tie_is_not_hidden_by_leaving_its_closed_form_out() -> None:
    config = entry("LSHist", "n = 3", above='fail-on = "tie"')
    report = answer(config)
    finding = report["mechanisms"][0]
    for part in (finding["report"]["results"][0]["epsilon"],):
        part.clear()
        part |= {"lower": "0.799999999999", "upper": "0.8"}
    finding |= {"kind": "within", "passed": True}
    found = held(report | {"verdict": "within"}, config)
    assert found.verdict == "unconfirmed"


@pytest.mark.filterwarnings("ignore::dpaudit.notices.OldNameWarning")
@pytest.mark.parametrize(
    "config",
    [
        entry("EHDL", "n = 3"),  # which states nothing, and is held to the ε it is run with
        entry("kRR", 'parameters = { k = 3, base = "2" }'),
        entry("EHDS", "n = 2", "parameters = { k = 3 }"),
        entry("NoisyHistogram", "n = 1", 'parameters = { neighbours = "substitution" }'),
        entry("lshist", "n = [2, 3]", 'budget = ["4/5", 0]', "digits = 8"),
        entry("LSHist", "n = 2", 'notion = "renyi"', "order = 2", "budget = 1"),
    ],
)
def test_a_report_is_accepted_for_its_configuration(config: str) -> None:
    found = held(answer(config), config)
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)
    assert configurations.CAPS in found.taken


def test_an_option_that_no_gate_has_is_refused() -> None:
    config = entry("LSHist", "n = 2")
    report = answer(config)
    for wrong in (entry("LSHist", "n = 2", "buget = 1"), entry("LSHist", "n = 2", above="tie = 1")):
        with pytest.raises(NotAReportError, match="which no gate has"):
            held(report, wrong)


def test_every_option_is_checked_or_taken() -> None:
    for kind, table in (
        (Entry, configurations._OF_ENTRIES),
        (GateConfig, configurations._OF_THE_WHOLE),
    ):
        fields = msgspec.structs.fields(kind)
        assert {field.encode_name for field in fields} == set(table)
        for field in fields:
            if field.encode_name in entry_requests._DEFAULTS and field.default is not None:
                assert entry_requests._DEFAULTS[field.encode_name] == field.default


def test_sizes_have_one_limit() -> None:
    assert LARGEST_N == MAX_SIZE
