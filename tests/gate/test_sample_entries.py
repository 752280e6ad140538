"""Entries about samplers: at a budget, over it, held to a law; what processes tell of them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import ConfigError
from dpaudit.gate.config import Entry, GateConfig, read_config
from dpaudit.gate.requests import EntryRequest
from dpaudit.gate.run import run_gate, with_digits
from dpaudit.mechanisms.loading import load
from dpaudit.mechanisms.references import reference
from dpaudit.questions.sample.gate import (
    MOST_ERROR,
    answered_by_draws,
    judged,
    sampled,
    with_errors,
)
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.verify import verify
from dpaudit.results import Kind, SampleReport
from dpaudit.results.documents import encode, seal_of
from tests.made_once import made_once

FILE = """
import numpy as np
from dpaudit import finite_mechanism, sampler

BITS = {"datasets": [0, 1], "neighbours": "all", "budget": "ln(3)"}

@sampler(**BITS)
def respond(answer, size, rng, p=0.75):
    return np.where(rng.random(size) < float(p), answer, 1 - answer)

@sampler(**BITS)
def leaking(answer, size, rng):
    said = np.where(rng.random(size) < 0.75, answer, 1 - answer)
    return np.where(rng.random(size) < 0.05 * answer, 7, said)

@sampler(**BITS)
def constant(answer, size, rng):
    return np.zeros(size)

@sampler(datasets=lambda n: range(n + 1), neighbours="all", budget=1)
def sized(count, size, rng):
    return rng.integers(0, 9, size)

@sampler(datasets=[0, 1], neighbours="all")
def unheld(answer, size, rng):
    return rng.integers(0, 9, size)

@sampler(**BITS)
def careless(answer, size, rng):
    return np.where(np.random.default_rng(1).random(size) < 0.75, answer, 1 - answer)

@finite_mechanism(**BITS)
def law(answer):
    return {answer: "3/4", 1 - answer: "1/4"}
"""
ENTRIES = {
    "at its budget": ('"own.py:respond"\ndraws = 20000', "not refuted"),
    "leaks": ('"own.py:leaking"\ndraws = 20000', "exceeds"),
    "of its law": ('"own.py:respond"\ndraws = 200000\nagainst = "own.py:law"', "conforms"),
    "of another": (
        '"own.py:respond"\ndraws = 100000\nagainst = "own.py:law"\nparameters = { p = "0.8" }',
        "differs",
    ),
    "few": ('"own.py:respond"\ndraws = 20', "too few draws"),
    "far": ('"own.py:respond"\ndraws = 2000\nagainst = "own.py:law"', "too few draws"),
    "one output": ('"own.py:constant"\ndraws = 2000', "vacuous"),
    "repeats": ('"own.py:careless"\ndraws = 2000', "broken"),
    "no law": ('"own.py:respond"\ndraws = 2000\nagainst = "Laplace"', "broken"),
    "no sampler": ('"own.py:law"\ndraws = 2000', "not loaded"),
}
PASS = ("not refuted", "conforms")


def config_of(folder: Path, names: Any, lines: str = "") -> Path:
    (folder / "own.py").write_text(FILE)
    path = folder / "dpaudit.toml"
    path.write_text(
        "".join(
            f'[[mechanism]]\nlabel = "{name}"\nmeasure = "sample"\nmechanism = {ENTRIES[name][0]}\n'
            for name in names
        )
        + lines
    )
    return path


@pytest.fixture(scope="module")
def gated(kept: Path) -> tuple[Path, Any, dict[str, str]]:
    forms = ("json", "junit", "sarif", "annotations", "html")

    def make(folder: Path) -> None:
        path = config_of(folder, ENTRIES)
        asked = ["gate", "--config", str(path), "--jobs", "2", "--output", str(folder / "text")]
        for name in forms:
            asked += ["--report", f"{name}={folder / name}"]
        assert invoke(asked) == 1

    folder = made_once(kept, "gate of samplers in every form", make)
    texts = {name: (folder / name).read_text() for name in (*forms, "text")}
    return folder / "dpaudit.toml", json.loads(texts["json"]), texts


def test_what_becomes_of_each(gated: tuple[Path, Any, dict[str, str]]) -> None:
    _, document, _ = gated
    assert document["verdict"] == "exceeds"
    for finding, (name, (_, kind)) in zip(document["mechanisms"], ENTRIES.items(), strict=True):
        assert (finding["title"], finding["kind"]) == (name, kind), finding["message"]
        assert finding["passed"] is (kind in PASS)
        if finding["report"] is not None and kind in (*PASS, "exceeds", "differs"):
            assert Fraction(finding["report"]["error"]) == Fraction(1, 10**10)
            assert finding["report"]["error"] in finding["message"]
            assert kind in finding["message"] or kind == "exceeds"
        if kind == "not refuted":
            assert "which proves nothing" in finding["message"]


def test_messages_name_the_keys_of_entries(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FILE)
    path = tmp_path / "dpaudit.toml"
    entry = '[[mechanism]]\nmeasure = "sample"\ndraws = 2000\nmechanism = "own.py:{}"\n'
    path.write_text("".join(map(entry.format, ("sized", "unheld"))))
    said = [finding.message for finding in run_gate(path).mechanisms]
    assert ["give n = N" in said[0], "give budget = EPS" in said[1]] == [True, True]
    assert "--" not in "".join(said), "those are options of a command line"


def test_every_form_has_the_words(gated: tuple[Path, Any, dict[str, str]]) -> None:
    _, _, texts = gated
    for word in ("not refuted", "exceeds", "conforms", "differs", "too few draws", "vacuous"):
        assert word in " ".join(texts["text"].split())
        assert word in texts["html"]
    suites = ElementTree.fromstring(texts["junit"])
    failures = {one.attrib["type"] for one in suites.iter("failure")}
    assert failures == {"exceeds", "differs", "too few draws", "vacuous"}
    passed = [one.text or "" for one in suites.iter("system-out")]
    assert len(passed) == 2
    assert passed[0].startswith("not refuted by 20000 draws of each dataset, which proves nothing")
    assert "conforms to law: total variation distance at most" in passed[1]
    (run,) = json.loads(texts["sarif"])["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {one["ruleId"] for one in run["results"]} == {
        "exceeds", "differs", "too-few-draws", "vacuous", "broken", "not-loaded",
    }  # fmt: skip
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    assert texts["annotations"].count("::error") == 8
    assert "file=own.py,line=11,title=leaks" in texts["annotations"]
    assert "2 passed by draws alone" in texts["html"]
    assert "2 passed by draws alone" in " ".join(texts["text"].split())


def test_a_gate_of_samplers_is_never_within(tmp_path: Path) -> None:
    path = config_of(tmp_path, ["at its budget"])
    found = run_gate(path)
    assert found.verdict == "not refuted"
    code = invoke(["gate", "--config", str(path), "--output", str(tmp_path / "text")])
    assert (code, "not refuted: 1 checked" in (tmp_path / "text").read_text()) == (0, True)
    (tmp_path / "dpaudit.toml").write_text('[[mechanism]]\nmechanism = "RR"\n')
    assert dpaudit.run_gate(path).verdict == "within"


def test_a_report_is_rechecked_with_its_configuration(
    gated: tuple[Path, Any, dict[str, str]], tmp_path: Path
) -> None:
    path, document, _ = gated

    def verdict(changed: Any, config: Path = path) -> str:
        file = tmp_path / "gate.json"
        file.write_text(json.dumps(changed | {"sha256": seal_of(changed)}))
        found = verify(file, requirements=Requirements(config=config))
        assert any("nothing is drawn again" in one for one in found.taken)
        return found.verdict

    assert verdict(document) == "accepted"

    def changed(index: int, *fields: str, to: Any) -> Any:
        found = json.loads(json.dumps(document))
        part = found["mechanisms"][index]
        for field in fields[:-1]:
            part = part[field]
        part[fields[-1]] = to
        return found

    for index, *fields, to in (
        (0, "kind", "within"),
        (0, "report", "verdict", "exceeds"),
        (0, "report", "error", "1/1000"),
        (0, "report", "draws", 30_000),
        (0, "report", "seed", 1),
        (0, "report", "epsilon", "3"),
        (1, "passed", True),
        (1, "report", "event", "count_x", 10**7),
        (1, "report", "event", "count_x", 0),
        (2, "report", "verdict", "not refuted"),
        (2, "report", "comparisons", ()),
        (3, "report", "verdict", "conforms"),
    ):
        assert verdict(changed(index, *fields, to=to)) == "rejected", (index, fields)
    other = config_of(tmp_path, ENTRIES).read_text().replace("draws = 2000\n", "draws = 3000\n")
    (tmp_path / "dpaudit.toml").write_text(other)
    assert verdict(document, tmp_path / "dpaudit.toml") == "rejected"


def entries(*errors: str | None) -> list[Entry]:
    return [Entry(mechanism="a.py:b", measure="sample", error=error) for error in errors]


@pytest.mark.parametrize(
    ("errors", "shared"),
    [
        ((None,), "1/1000000000"),
        ((None, None), "1/2000000000"),
        (("1e-10", None, None), "9/20000000000"),
        (("1e-9",), "1e-9"),
    ],
)
def test_errors_add_up_to_at_most_1e_9(errors: Any, shared: str) -> None:
    found = with_errors([Entry(mechanism="RR"), *entries(*errors)])
    assert found[0].error is None
    assert found[-1].error == shared
    assert sum(Fraction(str(one.error)) for one in found[1:]) <= MOST_ERROR


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('error = "1e-8"', "from 1e-30 to 1e-9"),
        ('error = "0"', "from 1e-30 to 1e-9"),
        ("error = true", "a number is needed"),
        ("draws = 0", "a whole number from 1"),
        ("draws = 1.5", "a whole number from 1"),
        ('at = "uniform"', "its own datasets"),
        ('adjacency = "all"', "its own datasets"),
        ('ties = "accept"', "draws cannot show a tie"),
        ("digits = 20", "digits and precision-cap do not apply to measure ="),
        ("precision-cap = 2048", "digits and precision-cap do not apply to measure ="),
        ('against = "RR"\nbudget = 1', "one of the two"),
        ("seed = -1", "seed = -1"),
        ('events = "guessed"', "features or learned"),
        ('events = "learned"\nagainst = "RR"', "without against"),
        ('n = "1..2"', "needs a single size"),
        ('notion = "zcdp"', "does not apply to measure"),
        ("budget = [1, 2, 3]", "budget"),
        ('measure = "check"\ndraws = 10', "apply only to measure"),
        ('mechanism = "EHDS"', "is not a sampler"),
    ],
)
def test_entries_that_make_no_sense_end_the_gate(lines: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FILE)
    keys = {"mechanism": '"own.py:respond"', "measure": '"sample"'}
    keys |= dict(line.split(" = ", 1) for line in lines.splitlines())
    path = tmp_path / "dpaudit.toml"
    path.write_text("[[mechanism]]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items()))
    with pytest.raises(ConfigError, match=said) as caught:
        run_gate(path)
    assert "\n" not in str(caught.value)
    key = lines.splitlines()[-1 if lines.startswith("measure") else 0].split(" = ")[0]
    assert f"mechanism[0]{'' if key == 'mechanism' else f'.{key}'}:" in str(caught.value)


def test_more_digits_for_all_leave_samplers_alone(tmp_path: Path) -> None:
    path = config_of(tmp_path, ["at its budget"], "")
    path.write_text(path.read_text() + '[[mechanism]]\nmechanism = "RR"\n')
    sampler, law = with_digits(read_config(path), 20).mechanisms
    assert (sampler.digits, law.digits) == (None, 20)
    assert [one.kind for one in run_gate(path, digits=20).mechanisms] == [
        Kind.NOT_REFUTED,
        Kind.WITHIN,
    ]


def test_a_larger_total_is_refused(tmp_path: Path) -> None:
    path = config_of(tmp_path, ["few"], 'error = "9e-10"\n')
    more = path.read_text() + path.read_text()
    path.write_text(more)
    with pytest.raises(ConfigError, match=r"add up to 1.8e-9, and a whole gate"):
        run_gate(path)
    path.write_text(path.read_text().replace("9e-10", "1e-9", 1).replace('error = "9e-10"\n', ""))
    with pytest.raises(ConfigError, match="nothing is left for the entries"):
        run_gate(path)
    assert [one.error for one in read_config(path).mechanisms] == ["1e-9", None]
    path.write_text(more.replace("9e-10", "1e-9", 1).replace("9e-10", "1e-30"))
    with pytest.raises(
        ConfigError, match=r"add up to 1.000000000000000000001e-9, and a whole gate"
    ):
        run_gate(path)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[EntryRequest, SampleReport]:
    folder = tmp_path_factory.mktemp("told")
    (folder / "own.py").write_text(FILE)
    entry = Entry(mechanism="own.py:leaking", measure="sample", draws=20_000, error="1e-9")
    spec = reference(entry.mechanism, {}, folder)
    return EntryRequest(entry, GateConfig(), spec), sampled(load(spec), entry, folder)


def answered(asked: EntryRequest, report: SampleReport) -> SampleReport:
    """Return what a gate makes of a report from the process of an entry."""
    return answered_by_draws(asked.renamed(report), asked.entry)


def test_what_a_process_tells_is_held_to_the_entry(told: tuple[EntryRequest, SampleReport]) -> None:
    asked, report = told
    assert report.verdict == "exceeds"
    assert judged(answered(asked, report))[0] is Kind.EXCEEDS
    event = report.event
    assert event is not None
    assert report.loaded is not None
    # A word that does not follow from the counts is not believed, and neither are bounds.
    for lie in ({"verdict": type(report.verdict).NOT_REFUTED}, {"epsilon": "0.1", "delta": ""}):
        found = answered(asked, replace(report, **lie))
        assert (found.verdict, found.epsilon) == (report.verdict, report.epsilon)
    fewer = replace(event, count_x=0, count_y=event.draws)
    made_up = answered(asked, replace(report, event=fewer))
    assert judged(made_up)[0] is Kind.NOT_REFUTED  # numbers of trusted code
    for wrong in (
        {"draws": 10_000},
        {"error": "1/2"},
        {"seed": 7},
        {"sequential": True},
        {"n": -1, "schema": "dpaudit.sample/2"},
        {"event": None},
        {"event": replace(event, draws=event.draws - 1)},
        {"event": replace(event, count_x=event.draws + 1)},
        {"selected": 0},
        {"against": "law"},
        {"budget": None},
        {"loaded": replace(report.loaded, reference="own.py:respond")},
        {"loaded": replace(report.loaded, sha256="0" * 64)},
    ):
        with pytest.raises(ValueError, match=r"its|it|counted"):
            answered(asked, replace(report, **wrong))


STEPS = """
import numpy as np
from dpaudit import sampler

@sampler(datasets=[0, 1], neighbours="all", budget="1")
def running_sums(x, size, rng):
    return np.cumsum(x + rng.laplace(0, 8, (size, 12)).round(), axis=1)
"""


def test_an_entry_may_learn_its_event(tmp_path: Path) -> None:
    """The same draws are counted, and only what learned them is told otherwise."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: dpaudit[learn]")
    (tmp_path / "own.py").write_text(STEPS)
    path = tmp_path / "dpaudit.toml"
    entry = '[[mechanism]]\nmechanism = "own.py:running_sums"\nmeasure = "sample"\ndraws = 20000\n'
    path.write_text(entry + 'label = "plain"\n' + entry + 'events = "learned"\n')
    gate = run_gate(path)
    plain, learned = (one.report for one in gate.mechanisms)
    assert isinstance(plain, SampleReport)
    assert isinstance(learned, SampleReport)
    assert plain.event is not None
    assert learned.event is not None
    assert (plain.learned, learned.learned[:13]) == ("", "scikit-learn ")
    assert "logistic regression" in learned.event.words
    assert (learned.error, learned.selected) == (plain.error, plain.selected)
    assert learned.event.draws == plain.event.draws
    assert float(learned.epsilon) > 1.2 * float(plain.epsilon or 0)
    file = tmp_path / "gate.json"
    file.write_bytes(encode(gate))
    assert verify(file, requirements=Requirements(config=path)).verdict == "accepted"
    path.write_text(path.read_text().replace('events = "learned"\n', ""))
    assert verify(file, requirements=Requirements(config=path)).verdict == "rejected"


def test_what_a_process_says_it_learned_with_is_held_to_the_entry(
    told: tuple[EntryRequest, SampleReport],
) -> None:
    asked, report = told
    with pytest.raises(ValueError, match="its learned is 'scikit-learn 1'"):
        answered(asked, replace(report, learned="scikit-learn 1"))
