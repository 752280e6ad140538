"""``dpaudit verify``: true audits are accepted, changed ones are not, even if sealed anew."""

import contextlib
import copy
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import check, curve
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import verify
from tests.recheck.sealing import Document, verdict

pytestmark = pytest.mark.wrong_on_purpose


AUDITS = {
    "EHDS": check("EHDS", n="9,10", at_eps=["0.1"]).to_json(),
    "MH": check("MH", n="9,10", divisor="1").to_json(),
    "LSHist": check("LSHist", n="4", prior="1,1,1", at_eps=["0.3"]).to_json(),
    "NotesLaplace": check("NotesLaplace", n="4").to_json(),
    "at": check("EHDL", n=6, budget="0.8", at="uniform").to_json(),
    "add-remove": check(
        "LSZhang", n=5, adjacency="histogram-add-remove", coordinates="all"
    ).to_json(),
    "infinite": check("EHDS", n=5, adjacency="histogram-add-remove").to_json(),
}


@pytest.fixture(params=AUDITS)
def audit(request: pytest.FixtureRequest) -> Document:
    document: Document = json.loads(AUDITS[request.param])
    return document


def test_true_audits_are_accepted_in_full(audit: Document, tmp_path: Path) -> None:
    assert verdict(tmp_path, audit, sealed=False) == "accepted"
    assert verdict(tmp_path, audit, all_pairs=True) == "accepted"


def test_any_change_breaks_the_seal(audit: Document, tmp_path: Path) -> None:
    for change in ({"adjacency": "none"}, {"missing": [7]}, {"mechanism": {"name": "none"}}):
        assert verdict(tmp_path, {**audit, **change}, sealed=False) == "rejected"
    del audit["sha256"]
    assert verdict(tmp_path, audit, sealed=False) == "rejected"


# -- changes that are sealed anew ------------------------------------------------------------------


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def changed_digit(text: str) -> str | None:
    """The decimal with its fifth digit from the end changed; None if it has too few."""
    digits = [match.start() for match in re.finditer(r"\d", text.partition("E")[0])]
    if len(digits) < 8:
        return None
    place = digits[-5]
    return f"{text[:place]}{(int(text[place]) + 5) % 10}{text[place + 1 :]}"


def decimals(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all printed decimals that are long enough to be changed."""
    if isinstance(value, dict):
        return [place for key, part in value.items() for place in decimals(part, (*at, key))]
    if isinstance(value, list):
        return [place for key, part in enumerate(value) for place in decimals(part, (*at, key))]
    if isinstance(value, str) and at[-1] in ("lower", "upper") and changed_digit(value):
        return [at]
    return []


def test_every_digit_that_is_changed_is_noticed(audit: Document, tmp_path: Path) -> None:
    places = decimals(audit)
    for place in places:
        changed = copy.deepcopy(audit)
        part = changed
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = changed_digit(part[place[-1]])
        assert verdict(tmp_path, changed) == "rejected", place


def swap_witness(audit: Document) -> None:
    witness = first(audit)["witness"]
    witness["x"], witness["y"] = witness["y"], witness["x"]


def other_output(audit: Document) -> None:
    witness = first(audit)["witness"]
    witness["output"] = list(reversed(witness["output"]))


def no_neighbours(audit: Document) -> None:
    first(audit)["witness"]["y"] = first(audit)["witness"]["x"]


def missing_pair(audit: Document) -> None:
    first(audit)["pairs_covered"] -= 1


def missing_pair_everywhere(audit: Document) -> None:
    first(audit)["pairs_covered"] -= 1
    first(audit)["pairs"] -= 1


def missing_dataset(audit: Document) -> None:
    first(audit)["datasets"] -= 1


def raised_budget(audit: Document) -> None:
    audit["budget"]["epsilon"] = "9/10"


def raised_budget_everywhere(audit: Document) -> None:
    for result in audit["results"]:
        result["delta"]["epsilon"] = "9/10"
        result["verdict"] = "within"
    audit["budget"]["epsilon"] = "9/10"
    audit["stated"] = {"epsilon": "9/10", "delta": "0"}
    audit["verdict"] = "within"


def better_verdict(audit: Document) -> None:
    audit["verdict"] = {"within": "exceeds"}.get(audit["verdict"], "within")


def better_verdicts(audit: Document) -> None:
    for result in audit["results"]:
        result["verdict"] = {"within": "exceeds"}.get(result["verdict"], "within")
    audit["verdict"] = audit["results"][0]["verdict"]


def size_twice(audit: Document) -> None:
    audit["results"].append(audit["results"][0])


def another_size(audit: Document) -> None:
    first(audit)["n"] -= 1


def another_parameter(audit: Document) -> None:
    audit["mechanism"]["prior"][0] = "7/3"


def another_delta(audit: Document) -> None:
    first(audit)["delta"] |= {"lower": "0.25", "upper": "0.25"}
    first(audit)["delta"].pop("exact", None)


def narrower_epsilon(audit: Document) -> None:
    first(audit)["epsilon"]["upper"] = first(audit)["epsilon"]["lower"] = "0.1"
    first(audit)["epsilon"].pop("exact", None)


CHANGES: list[Callable[[Document], None]] = [
    swap_witness,
    other_output,
    no_neighbours,
    missing_pair,
    missing_pair_everywhere,
    missing_dataset,
    raised_budget,
    raised_budget_everywhere,
    better_verdict,
    better_verdicts,
    size_twice,
    another_size,
    another_parameter,
    another_delta,
    narrower_epsilon,
]


@pytest.mark.parametrize("name", ["EHDS", "MH", "LSHist"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_changed_is_noticed(
    change: Callable[[Document], None], name: str, tmp_path: Path
) -> None:
    if name == "LSHist" and change in (other_output, another_parameter):
        pytest.skip("all losses are equal, and nothing depends on the prior: it is still true")
    document = json.loads(AUDITS[name])
    change(document)
    assert document != json.loads(AUDITS[name])
    assert verdict(tmp_path, document) == "rejected"


def test_a_witness_that_is_not_the_worst_is_noticed_over_all_pairs(tmp_path: Path) -> None:
    """A true loss of another pair: only the maximum over all pairs gives it away."""
    document = json.loads(check("EHDS", n=10, at="5,5").to_json())
    document["at"] = None
    result = first(document)
    whole = first(json.loads(check("EHDS", n=10).to_json()))
    for key in ("datasets", "pairs", "pairs_covered"):
        result[key] = whole[key]
    assert verdict(tmp_path, document) == "accepted"
    assert verdict(tmp_path, document, all_pairs=True) == "rejected"


@settings(max_examples=40)
@given(st.data())
def test_a_digit_anywhere_in_the_text_is_noticed(data: st.DataObject) -> None:
    text = AUDITS[data.draw(st.sampled_from(sorted(AUDITS)))]
    places = [match.start() for match in re.finditer(r"\d", text)]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != text[place]]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(f"{text[:place]}{digit}{text[place + 1 :]}")
        with contextlib.suppress(NotAReportError):
            assert verify(path).verdict == "rejected"


# -- curves


CURVES = {
    "EHDS": curve("EHDS", n="6,8", at_eps=["0.1"]).to_json(),
    "MH": curve("MH", n=7, prior="1,2,1").to_json(),
    "LSZhang": curve("LSZhang", n=6, coordinates="all").to_json(),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves(name: str, tmp_path: Path) -> None:
    document = json.loads(CURVES[name])
    assert verdict(tmp_path, document, sealed=False) == "accepted"

    def changed(change: Callable[[Document], None]) -> str:
        copied = copy.deepcopy(document)
        change(copied["curves"][0])
        return verdict(tmp_path, copied)

    def vertex(size: Document) -> Document:
        found: Document = size["lower"][len(size["lower"]) // 2]
        return found

    def moved(size: Document) -> None:
        vertex(size)["p"] = str(int(vertex(size)["p"]) * 999 // 1000)

    def elsewhere(size: Document) -> None:
        one = vertex(size)
        one["x"], one["y"] = one["y"], one["x"]

    def left_out(size: Document) -> None:
        size["upper"] = size["upper"][:1]

    def fewer(size: Document) -> None:
        size["pairs"] -= 1

    def another(size: Document) -> None:
        size["values"][0] |= {"lower": "0.5", "upper": "0.5"}

    for change in (moved, left_out, fewer, another, *([elsewhere] if name != "LSZhang" else [])):
        assert changed(change) == "rejected", change.__name__
