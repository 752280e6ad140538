"""``dpaudit verify`` on audits in a notion: true ones are accepted, over all pairs, no others."""

import copy
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from dpaudit import mechanism
from dpaudit.questions.notion.function import check_notion
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.measures import best_order, concentration, gaussian_tests, renyi
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

QUESTIONS: dict[str, Document] = {
    "pure": {"notion": "pure", "budget": "9/10"},
    "approximate": {"notion": "approximate", "budget": "1/10,1/20"},
    "renyi 2": {"notion": "renyi", "order": "2", "budget": "1"},
    "renyi 3/2": {"notion": "renyi", "order": "3/2", "budget": "1/20"},
    "renyi 1": {"notion": "renyi", "order": "1", "budget": "1/10"},
    "renyi inf": {"notion": "renyi", "order": "inf", "budget": "1"},
    "zcdp": {"notion": "zcdp", "budget": "1/8"},
    "gdp": {"notion": "gdp", "budget": "1"},
    "kl": {"notion": "kl", "budget": "1/9"},
    "tv": {"notion": "tv", "budget": "1/3"},
}
SUBJECTS: dict[str, tuple[Document, str]] = {
    "EHDS": ({}, "4,5"),
    "EHD": ({"prior": "1,2,1"}, "2"),
    "MH": ({}, "5"),
    "LSHist": ({"prior": "1,1,1"}, "3"),
    "NotesLaplace": ({}, "3"),
    "RR": ({"epsilon": "ln(3)"}, "1"),
    "kRR": ({}, "1"),
    "OUE": ({"k": "3"}, "1"),
    "RAPPOR": ({}, "1"),
    "Geometric": ({}, "3"),
    "TruncatedGeometric": ({}, "3"),
    "DiscreteGaussian": ({}, "2"),
    "ExponentialMechanism": ({}, "2"),
    "PermuteAndFlip": ({}, "2"),
    "SVT1": ({}, "2"),
}


def report(name: str, question: str, n: str | None = None, **asked: Any) -> str:
    parameters, size = SUBJECTS[name]
    made = mechanism(name, **parameters)
    return check_notion(made, n or size, **QUESTIONS[question] | asked).to_json()


def recheck(folder: Path, text: str, **options: Any) -> Any:
    path = folder / "report.json"
    path.write_text(text)
    return verify(path, **options)


def sealed(document: Document) -> str:
    return json.dumps({**document, "sha256": seal_of(document)}, ensure_ascii=False)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", SUBJECTS)
def test_true_reports_are_accepted_in_full(name: str, question: str, tmp_path: Path) -> None:
    found = recheck(tmp_path, report(name, question), all_pairs=True)
    assert not found.disagreements
    assert found.verdict == "accepted", found.unconfirmed
    finished = len(json.loads(report(name, question))["results"])
    assert finished or name == "DiscreteGaussian"  # whose tails are not enclosed
    for kind in ("values at witnesses", "values over all pairs"):
        assert found.rechecked.get(kind, 0) == finished


@pytest.mark.parametrize("question", ["pure", "approximate", "renyi 2", "zcdp", "kl", "tv"])
def test_budgets_that_are_implied_are_derived_again(question: str, tmp_path: Path) -> None:
    text = report("LSHist", question, budget=None)
    assert recheck(tmp_path, text).rechecked["implied budgets"] == 1
    document = json.loads(text)
    document["budget"] = "7/8"
    for size in document["results"]:
        size["verdict"] = document["verdict"] = "within"
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"


@pytest.mark.parametrize("question", QUESTIONS)
def test_infinite_values_are_rechecked(question: str, tmp_path: Path) -> None:
    """Where every count is shifted, one side alone can give an output."""
    text = report("EHDS", question, "3", adjacency="histogram-add-remove")
    found = recheck(tmp_path, text, all_pairs=True)
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)


# -- changes that are sealed anew ------------------------------------------------------------------


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def another_digit(text: str, place: int) -> str:
    digits = [match.start() for match in re.finditer(r"[0-9]", text.partition("E")[0])]
    at = digits[place] if len(digits) > 8 else digits[-1]
    return f"{text[:at]}{(int(text[at]) + 5) % 10}{text[at + 1 :]}"


def changed_digit(document: Document) -> None:
    value = first(document)["value"]
    value["lower"], value["upper"] = (another_digit(value[end], -3) for end in ("lower", "upper"))
    value.pop("exact", None)


def smaller(document: Document) -> None:
    value = first(document)["value"]
    value["lower"] = value["upper"] = "0.001"
    value.pop("exact", None)


def wider(document: Document) -> None:
    value = first(document)["value"]
    value["lower"] = "0"
    value.pop("exact", None)


def swapped_witness(document: Document) -> None:
    witness = first(document)["witness"]
    witness["x"], witness["y"] = witness["y"], witness["x"]


def no_witness(document: Document) -> None:
    first(document)["witness"]["y"] = first(document)["witness"]["x"]


def missing_pair(document: Document) -> None:
    first(document)["pairs"] -= 1
    first(document)["pairs_covered"] -= 1


def uncovered_pair(document: Document) -> None:
    first(document)["pairs_covered"] -= 1


def missing_dataset(document: Document) -> None:
    first(document)["datasets"] -= 1


def other_outputs(document: Document) -> None:
    first(document)["outputs"] = "infinite"


def other_verdict(document: Document) -> None:
    verdict = {"within": "exceeds"}.get(document["verdict"], "within")
    for size in document["results"]:
        size["verdict"] = verdict
    document["verdict"] = verdict


def implied_budget(document: Document) -> None:
    document["budget_implied"] = True


def other_stated(document: Document) -> None:
    document["stated"]["epsilon"] = "9"


def other_epsilon(document: Document) -> None:
    document["mechanism"]["epsilon"] = "17/19"


def other_notion(document: Document) -> None:
    symbols = {"tv": "TV", "kl": "KL"}
    name = "kl" if document["notion"]["name"] == "tv" else "tv"
    document["notion"] = {"name": name, "symbol": symbols[name]}


def other_size(document: Document) -> None:
    first(document)["n"] += 3


CHANGES: list[Callable[[Document], None]] = [
    changed_digit,
    smaller,
    wider,
    swapped_witness,
    no_witness,
    missing_pair,
    uncovered_pair,
    missing_dataset,
    other_outputs,
    other_verdict,
    implied_budget,
    other_stated,
    other_epsilon,
    other_notion,
    other_size,
]
SYMMETRIC = ("gdp", "tv")


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_changed_is_noticed(question: str, tmp_path: Path) -> None:
    document = json.loads(report("EHDS", question, "4"))
    for change in CHANGES:
        if change is swapped_witness and question in SYMMETRIC:
            continue  # both directions have the same value
        changed = copy.deepcopy(document)
        change(changed)
        assert changed != document
        assert recheck(tmp_path, sealed(changed)).verdict == "rejected", change.__name__
    document["results"][0]["value"]["lower"] += "1"
    assert recheck(tmp_path, json.dumps(document)).verdict == "rejected"  # the seal


@pytest.mark.parametrize("order", ["3", "2.0001", "199/100", "1000"])
def test_another_order_is_noticed(order: str, tmp_path: Path) -> None:
    document = json.loads(report("EHDS", "renyi 2"))
    document["notion"]["order"] = order
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"


def test_another_epsilon_of_the_notion_is_noticed(tmp_path: Path) -> None:
    document = json.loads(report("EHDS", "approximate"))
    document["notion"]["epsilon"] = "1/9"
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"


def of_an_order() -> Document:
    """A supremum that is attained at an order well above 1."""
    made = mechanism("EHDS", prior="1,3")
    document: Document = json.loads(check_notion(made, 4, "zcdp", budget="1/2").to_json())
    assert Fraction(first(document)["witness"]["order"]) > Fraction(101, 100)
    return document


def test_the_order_of_a_supremum_is_looked_at(tmp_path: Path) -> None:
    document = of_an_order()
    assert recheck(tmp_path, sealed(document), all_pairs=True).verdict == "accepted"
    right = Fraction(first(document)["witness"]["order"])
    for order in ("1", "64", "1.0001", str(float(right) * 1.01), None):
        first(document)["witness"]["order"] = order
        assert recheck(tmp_path, sealed(document)).verdict == "rejected", order


def test_the_errors_of_a_test_are_looked_at(tmp_path: Path) -> None:
    document = json.loads(report("EHDS", "gdp"))
    witness = first(document)["witness"]
    witness["type_one"], witness["type_two"] = "0.25", "0.5"
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"
    del witness["type_one"]
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"


@pytest.mark.parametrize("question", ["pure", "renyi inf"])
def test_the_output_of_a_largest_loss_is_looked_at(question: str, tmp_path: Path) -> None:
    document = json.loads(report("EHDS", question))
    first(document)["witness"]["output"] = [2, 2]
    assert recheck(tmp_path, sealed(document)).verdict == "rejected"


def test_a_pair_that_is_not_the_worst_is_noticed_over_all_pairs(tmp_path: Path) -> None:
    document = json.loads(report("EHDS", "kl", "10", at="10,0"))
    whole = first(json.loads(report("EHDS", "kl", "10")))
    document["at"] = None
    for key in ("datasets", "pairs", "pairs_covered"):
        first(document)[key] = whole[key]
    assert recheck(tmp_path, sealed(document)).verdict == "accepted"
    assert recheck(tmp_path, sealed(document), all_pairs=True).verdict == "rejected"


@pytest.mark.parametrize(
    ("notion", "said"),
    [
        ({"name": "kl", "symbol": "ε"}, "no notion"),
        ({"name": "surprise", "symbol": "ε"}, "no notion"),
        ({"name": "renyi", "symbol": "ε_α"}, "does not apply to"),
        ({"name": "kl", "symbol": "KL", "order": "2"}, "does not apply to"),
        ({"name": "renyi", "symbol": "ε_α", "order": "1/2"}, "must be from 1"),
        (
            {"name": "renyi", "symbol": "ε_α", "order": "1e999999999"},
            "must be from 1|not a fraction",
        ),
        ({"name": "renyi", "symbol": "ε_α", "order": "open('x')"}, "not a fraction"),
    ],
)
def test_nonsense_is_refused(notion: Document, said: str, tmp_path: Path) -> None:
    document = json.loads(report("EHDS", "kl"))
    document["notion"] = notion
    with pytest.raises(NotAReportError, match=said):
        recheck(tmp_path, sealed(document))


# -- the measures against closed forms -------------------------------------------------------------


def test_the_measures_of_randomised_response() -> None:
    """Mironov 2017, Prop. 5; Dong, Roth and Su 2022, for the trade-off of (ε, 0)."""
    with mp.workdps(40):
        definition = definition_of(
            {
                "name": "RR",
                "epsilon": "ln(3)",
                "truth": "calibrated",
                "coin": "tossed",
                "base": "e",
            },
        )
        tiny = mpf(10) ** -35
        assert abs(renyi(definition, 0, 1, mpf(2)) - mp.log(mpf(7) / 3)) < tiny
        assert abs(concentration(definition, 0, 1, mpf(1)) - mp.log(3) / 2) < tiny
        (test,) = gaussian_tests(definition, 0, 1)
        assert abs(mp.ncdf(test.mu / 2) - mpf(3) / 4) < tiny
        assert abs(test.type_one - mpf(1) / 4) < tiny
        at = best_order(definition, 0, 1, mpf(2))
        assert concentration(definition, 0, 1, at) >= concentration(definition, 0, 1, mpf(2))


@pytest.mark.parametrize("n", [1, 2])
def test_the_closed_form_is_that_of_the_witness(n: int, tmp_path: Path) -> None:
    """Pairs that differ by 10^-41 in an ε of 10^-20: the form of one stood beside another."""
    found = check_notion("LSHist", n, "kl", budget=1, eps="1e-20")
    (tmp_path / "near.json").write_text(found.to_json())
    assert verify(tmp_path / "near.json").verdict == "accepted"
