"""Hostile reports: none that states something false is accepted, and none ends in a traceback."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import check
from dpaudit.api import mechanism, mechanisms
from dpaudit.api.rechecks import own_mechanisms
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError, VerificationDocument
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of
from tests.attacks.report_changes import at_place, leaves
from tests.attacks.reports import OWN, judged, made, mutants, refutation
from tests.campaigns import part

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


def held(folder: Path, document: Document, **options: Any) -> VerificationDocument:
    """What becomes of a document that is sealed anew."""
    path = folder / "report.json"
    sealed = {**document, "sha256": seal_of(document)}
    path.write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(path, **options)


def report(kind: str, **changes: Any) -> Document:
    """A report with some fields changed, by their places with dots."""
    document: Document = json.loads(json.dumps(made(kind)))
    del document["sha256"]
    for place, value in changes.items():
        keys = [int(key) if key.isdecimal() else key for key in place.split("__")]
        at_place(document, tuple(keys[:-1]))[keys[-1]] = value
    return document


# -- one leaf changed


def test_no_mutant_that_is_false_is_accepted() -> None:
    became: Counter[str] = Counter()
    for mutant in mutants(110, seed=20):
        verdict, why = refutation(mutant)
        assert not why
        became[verdict] += 1
    assert became["refused"] > 30
    assert became["rejected"] > 15


@settings(max_examples=part(30, 8))
@given(st.data())
def test_no_content_ends_in_a_traceback(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["within", "curve", "gate", "calibration", "own", "zcdp"]))
    document = report(kind)
    place = data.draw(st.sampled_from([place for place in leaves(document) if place]))
    simple = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats()
    inner = st.recursive(
        simple, lambda part: st.lists(part) | st.dictionaries(st.text(max_size=4), part)
    )
    at_place(document, place[:-1])[place[-1]] = data.draw(inner)
    text = json.dumps(document, ensure_ascii=data.draw(st.booleans()))
    judged(text.encode(errors="surrogatepass"))  # an answer or a refusal, no other end


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_end_in_a_traceback(content: bytes) -> None:
    assert judged(content)[0] == "refused"


# -- line 6: mechanisms of users


@pytest.fixture
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Document:
    monkeypatch.chdir(tmp_path)
    Path("coin.py").write_text(OWN)
    document: Document = json.loads(check("coin.py:Coin", p="76/100").to_json())
    del document["sha256"]
    return document


def test_own_is_run_with_the_parameters_that_are_reported(coin: Document, tmp_path: Path) -> None:
    own = own_mechanisms(["coin.py:Coin"])
    assert held(tmp_path, coin, own=own, all_pairs=True).verdict == "accepted"
    coin["mechanism"]["p"] = "99/100"
    assert held(tmp_path, coin, own=own, all_pairs=True).verdict == "rejected"
    del coin["mechanism"]["p"]  # which leaves its default, 3/4
    assert held(tmp_path, coin, own=own, all_pairs=True).verdict == "rejected"
    coin["mechanism"] |= {"q": "1/2"}
    with pytest.raises(NotAReportError, match="no parameter q"):
        held(tmp_path, coin, own=own)


def test_own_is_held_to_the_file_that_was_audited(coin: Document, tmp_path: Path) -> None:
    own = own_mechanisms(["coin.py:Coin"])
    for changed in ("0" * 64, ""):
        found = held(tmp_path, coin | {"loaded": coin["loaded"] | {"sha256": changed}}, own=own)
        assert found.verdict == "unconfirmed"
        assert "another file" in found.unconfirmed[0].message
    assert held(tmp_path, coin | {"loaded": None}, own=own).verdict == "unconfirmed"
    assert held(tmp_path, coin | {"adjacency": "one-entry"}, own=own).verdict == "rejected"
    Path("coin.py").write_text(f"{OWN}\n# another one\n")
    assert held(tmp_path, coin, own=own_mechanisms(["coin.py:Coin"])).verdict == "unconfirmed"


def test_own_that_takes_the_name_of_a_built_in_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = report("within", loaded={"reference": "coin.py:EHDS", "sha256": "0" * 64})
    assert held(tmp_path, document, all_pairs=True).verdict == "unconfirmed"


# -- line 7: every leaf as the mechanism would have it


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("within", "budget__delta", "-1/2000"),
        ("within", "budget__delta", "1"),
        ("within", "budget__delta", "9"),
        ("within", "budget__epsilon", "0"),
        ("within", "budget__epsilon", "-1"),
        ("within", "stated__delta", "1"),
        ("within", "results__0__curve__0__epsilon", "-1/10"),
        ("within", "version", "9.9"),
        ("within", "digits", 0),
        ("within", "results__0__pairs_covered", -5),
        ("within", "results__0__outputs", "many"),
        ("within", "mechanism__gamma", "-1"),
        ("within", "mechanism__epsilon", 1),
        ("within", "budget__epsilon", "0.8 # 1"),
        ("within", "budget__epsilon", "1_0"),
        ("within", "budget__epsilon", "٣"),
        ("audits", "reports__0__schema", "dpaudit.curve/1"),
        ("audits", "reports__0__sha256", "0" * 64),
        ("audits", "reports__0__version", "9.9"),
        ("audits", "version", "9.9"),
        ("audits", "surplus", 1),
        ("audits", "reports", []),
        ("audits", "reports__0", {"schema": "dpaudit.audit/1"}),
        ("audits", "reports__0__schema", ["dpaudit.audit/1"]),
        ("curve", "curves__0__upper__1__outputs", -5),
        ("gate", "mechanisms__0__report__schema", "dpaudit.notion/1"),
        ("gate", "mechanisms__0__report__schema", "dpaudit.gate/1"),
        ("gate", "mechanisms__0__report__sha256", "0" * 64),
        ("gate", "mechanisms__0__report__version", "9.9"),
        ("gate", "mechanisms__0__report", {"schema": "dpaudit.audit/1"}),
        ("gate", "mechanisms__0__audit", None),
        ("gate", "mechanisms__0__location", {"file": "x", "line": -1}),
    ],
)
def test_what_no_report_can_have_is_refused(
    kind: str, place: str, value: Any, tmp_path: Path
) -> None:
    with pytest.raises(NotAReportError):
        held(tmp_path, report(kind, **{place: value}))


@pytest.mark.parametrize(
    "kinds",
    [
        *(("within", "curve"), ("curve", "within"), ("within", "tradeoff"), ("audits",)),
        *(("within", "audits"), ("account",), ("gate",), ("within", "gate")),
    ],
)
def test_a_list_is_of_reports_of_one_kind(kinds: tuple[str, ...], tmp_path: Path) -> None:
    inner = [report(kind) for kind in kinds]
    for listed in (inner, [{**one, "schema": "dpaudit.audit/1"} for one in inner]):
        with pytest.raises(NotAReportError):
            held(tmp_path, report("audits", reports=listed))
    twice = [report("within")] * 2
    assert held(tmp_path, report("audits", reports=twice, verdict="within")).verdict == "accepted"


@pytest.mark.parametrize("kind", ["within", "exceeds", "with a delta", "renyi"])
def test_an_upper_end_needs_all_pairs(kind: str, tmp_path: Path) -> None:
    """Audits that are stopped bound nothing from above: an `exceeds` of some pairs was accepted."""
    found = held(tmp_path, report(kind, results__0__pairs_covered=1))
    assert any("covered" in one.message for one in found.disagreements)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"verdict"', '"verdict": "exceeds", "verdict"'), "twice"),
        (('"digits": 12', '"digits": 12.0'), "12.0"),
        (('"digits": 12', '"digits": NaN'), "NaN"),
        (('"digits": 12', '"digits": Infinity'), "Infinity"),
        (('"digits": 12', f'"digits": {"9" * 5000}'), "not JSON"),
        (('"at": null', f'"at": {"[" * 70}{"]" * 70}'), "deep"),
    ],
)
def test_json_that_two_readers_take_in_two_ways_is_refused(
    change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    text = json.dumps(made("within"))
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    with pytest.raises(NotAReportError, match=said):
        verify(path)


def test_a_file_that_is_too_large_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(NotAReportError, match="larger than"):
        verify(path)


BAD = ("-1", "0", "1", "2", "1e9", "-1/2", "x", "", "nan", "inf", "1/0", "calibrated", "1,1")


@pytest.mark.parametrize("name", mechanisms())
def test_parameters_are_refused_as_the_mechanism_refuses_them(name: str) -> None:
    values = mechanism(name).values().items()
    parameters = {key: parameter_text(value) for key, value in values}
    definition_of({"name": name, **parameters})
    for parameter in mechanism_class(name).parameters:
        for bad in BAD:
            shown = bad.split(",") if isinstance(parameters[parameter.name], list) else bad
            try:
                mechanism(name, **{**parameters, parameter.name: shown})
            except UsageError:
                with pytest.raises((NotAReportError, UnknownDefinitionError)):
                    definition_of({"name": name, **parameters, parameter.name: shown})


def test_a_size_that_is_dropped_is_seen(tmp_path: Path) -> None:
    for kind, listed in (
        *(("within", "results"), ("curve", "curves"), ("renyi", "results")),
        *(("tradeoff", "results"), ("calibration", "results")),
    ):
        document = report(kind)
        assert held(tmp_path, document).verdict == "accepted"
        del document[listed][0]
        assert held(tmp_path, document).verdict == "rejected"
    gate = report("gate")
    del gate["mechanisms"][0]["report"]["results"][0]
    assert held(tmp_path, gate).verdict == "rejected"


def test_a_budget_is_compared_exactly(tmp_path: Path) -> None:
    document = report("a tie", budget__epsilon="4/5 - 1e-100")
    for point in (document["results"][0]["delta"],):
        point["epsilon"] = document["budget"]["epsilon"]
    assert held(tmp_path, document).verdict == "rejected"


def test_a_closed_form_is_held_to_all_digits(tmp_path: Path) -> None:
    document = report("a tie")
    loss = document["results"][0]["witness"]["loss"]
    loss["exact"] = f"{loss['exact']} + 1e-30"
    assert held(tmp_path, document).verdict == "rejected"


def test_a_tiny_prior_ends_quickly(tmp_path: Path) -> None:
    document = report("within", mechanism__prior=["1e-4000", "1"])
    started = time.monotonic()
    assert held(tmp_path, document).verdict == "rejected"
    assert time.monotonic() - started < 60


def test_what_runs_past_the_time_cap_is_unconfirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    document = report("within", mechanism__prior=["1", "1", "1", "1", "1", "1"])
    document["results"][0]["n"] = document["sizes"][0] = 60
    Path("report.json").write_text(json.dumps({**document, "sha256": seal_of(document)}))
    Path("true.json").write_text(json.dumps(made("within"), ensure_ascii=False))
    assert invoke(["verify", "report.json", "--all-pairs", "--time-cap", "0.001"]) == 3
    assert "time cap" in "".join(capfd.readouterr())
    assert invoke(["verify", "true.json"]) == 0
    assert "true.json: accepted" in capfd.readouterr().out


# -- line 8: what was meant


@pytest.mark.parametrize(
    ("kind", "meant", "fits"),
    [
        ("within", {"budget": "0.8"}, True),
        ("within", {"budget": "4/5,0"}, True),
        ("within", {"budget": "4/5,1/10"}, False),
        ("within", {"budget": "1"}, False),
        ("within", {"budget": "4/5 + 1e-100"}, False),
        ("with a delta", {"budget": "1/2,1/100"}, True),
        ("with a delta", {"budget": "1/2"}, False),
        ("renyi", {"budget": "1/5"}, True),
        ("renyi", {"budget": "1/4"}, False),
        ("approximate", {"budget": "1/5,1/20"}, True),
        ("approximate", {"budget": "1/20"}, False),
        ("audits", {"budget": "1/2", "n": "4"}, True),
        ("curve", {"n": "3..4"}, True),
        ("curve", {"n": "3..5"}, False),
        ("account", {"n": "4"}, True),
        ("gate", {"n": "3..4"}, False),
        ("calibration", {"budget": "4/5", "n": "4"}, True),
    ],
)
def test_a_report_is_held_to_what_was_meant(
    kind: str, meant: dict[str, Any], fits: bool, tmp_path: Path
) -> None:
    found = held(tmp_path, report(kind), requirements=Requirements(**meant))
    assert (found.verdict == "accepted") is fits
    assert fits or all("not" in one.message for one in found.disagreements)
    assert found.bound == list(meant)


@pytest.mark.parametrize(
    "meant",
    [{"budget": "0"}, {"budget": "1,1"}, {"budget": "1,2,3"}, {"budget": "x"}, {"n": "0"}],
)
def test_what_cannot_be_meant_is_refused(meant: dict[str, Any]) -> None:
    with pytest.raises(NotAReportError):
        Requirements(**meant)


def test_an_unbound_report_says_what_it_does_not_prove(tmp_path: Path) -> None:
    found = held(tmp_path, report("within"))
    assert sum("the ones you mean" in one or "the one you mean" in one for one in found.taken) == 3
    bound = held(tmp_path, report("within"), requirements=Requirements("0.8", "4,5"))
    assert sum("you mean" in one for one in bound.taken) == 1
