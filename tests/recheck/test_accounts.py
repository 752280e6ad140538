"""``dpaudit verify`` on accounts: true ones are accepted, no others."""

import copy
import itertools
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.cli.main import invoke
from dpaudit.recheck.accounts import TOO_MANY, Composition
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Document]:
    """Run ``dpaudit account`` and return its report."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Document:
        assert invoke(["account", *arguments, "--format", "json", "--output", "made.json"]) == 0
        document: Document = json.loads(Path("made.json").read_text())
        return document

    return run


def recheck(document: Document, *, all_pairs: bool = False) -> Any:
    path = Path("report.json")
    sealed = {**document, "sha256": seal_of(document)}
    path.write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(path, all_pairs=all_pairs)


@pytest.mark.parametrize(
    "arguments",
    [
        "EHDS --n 4",
        "EHDS --n 4 --compose 3",
        "EHDS --n 6 --at 2,4 --compose 2",
        "EHDS --n 4 --adjacency histogram-add-remove",
        "MH --n 4 --compose 2",
        "LSDim --n 4 --compose 5",
        "NotesLaplace --n 3 --compose 4",
        "RR --n 1 --compose 200",
        "kRR --n 1 --compose 20",
        "Geometric --n 3 --compose 4",
        "PermuteAndFlip --n 2 --compose 2",
    ],
)
def test_true_reports_are_accepted_in_full(made: Callable[..., Document], arguments: str) -> None:
    found = recheck(made(*arguments.split()), all_pairs=True)
    assert not found.disagreements
    assert found.verdict == "accepted"
    assert found.rechecked["δ over all pairs"] == 5


def row(document: Document, place: int = 1) -> Document:
    found: Document = document["rows"][place]
    return found


def changed_digit(document: Document) -> None:
    for end in ("lower", "upper"):
        text = row(document)["delta"][end]
        at = [match.start() for match in re.finditer(r"\d", text)][-4]
        row(document)["delta"][end] = f"{text[:at]}{(int(text[at]) + 5) % 10}{text[at + 1 :]}"


def swapped_pair(document: Document) -> None:
    delta = row(document)["delta"]
    delta["x"], delta["y"] = delta["y"], delta["x"]


def no_pair(document: Document) -> None:
    row(document)["delta"]["y"] = row(document)["delta"]["x"]


def without_pair(document: Document) -> None:
    del row(document)["delta"]["x"]


def fewer_runs(document: Document) -> None:
    document["compose"] -= 1


def more_runs(document: Document) -> None:
    document["compose"] += 1


def other_epsilon(document: Document) -> None:
    row(document)["delta"]["epsilon"] = "1/7"


def smaller_epsilon(document: Document) -> None:
    document["epsilon"] = {"lower": "0.1", "upper": "0.1"}


def wide_epsilon(document: Document) -> None:
    document["epsilon"]["lower"] = "0"


def other_estimate(document: Document) -> None:
    row(document)["pessimistic"]["estimate"] = "0.001"


def other_standing(document: Document) -> None:
    row(document)["pessimistic"]["standing"] = "within"


def other_difference(document: Document) -> None:
    row(document)["dominating"]["difference"] = "+1.000e-9"


def other_ratio(document: Document) -> None:
    row(document)["ratio"] = "1.00000001"


def said_below(document: Document) -> None:
    row(document)["below"] = True


def more_below(document: Document) -> None:
    document["below"] += 1


def smaller_bound(document: Document) -> None:
    row(document)["adaptive_upper"] = "1e-9"


def missing_pair(document: Document) -> None:
    document["pairs"] -= 1


def other_nominal(document: Document) -> None:
    document["mechanism"]["epsilon"] = "17/19"


def other_stated(document: Document) -> None:
    document["stated"]["epsilon"] = "17/19"


CHANGES: list[Callable[[Document], None]] = [
    changed_digit,
    swapped_pair,
    no_pair,
    without_pair,
    fewer_runs,
    more_runs,
    other_epsilon,
    smaller_epsilon,
    wide_epsilon,
    other_estimate,
    other_standing,
    other_difference,
    other_ratio,
    said_below,
    more_below,
    smaller_bound,
    missing_pair,
    other_nominal,
    other_stated,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_changed_is_noticed(
    made: Callable[..., Document], change: Callable[[Document], None]
) -> None:
    document = made("EHDS", "--n", "4", "--compose", "3", "--prior", "1,2")
    changed = copy.deepcopy(document)
    change(changed)
    assert changed != document
    assert recheck(changed).verdict == "rejected"


def test_a_pair_that_is_not_the_worst_is_noticed_over_all_pairs(
    made: Callable[..., Document],
) -> None:
    document = made("EHDS", "--n", "6", "--compose", "2", "--at", "6,0")
    document["at"], document["pairs"] = None, 6
    assert recheck(document, all_pairs=True).verdict == "rejected"


# -- compositions against brute force --------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4),
    st.integers(1, 4),
    st.fractions(0, 3),
)
def test_composition_is_the_sum_over_all_sequences(
    weights: list[tuple[int, int]], runs: int, bound: Fraction
) -> None:
    p_total, q_total = (sum(w[side] for w in weights) or 1 for side in (0, 1))
    exact = [(Fraction(p, p_total), Fraction(q, q_total)) for p, q in weights]
    ratio = 1 + bound
    truth = Fraction(0)
    for sequence in itertools.product(exact, repeat=runs):
        p, q = Fraction(1), Fraction(1)
        for a, b in sequence:
            p, q = p * a, q * b
        truth += max(Fraction(0), p - ratio * q)
    if not all(sum(w[side] for w in weights) for side in (0, 1)):
        return  # no law
    with mp.workdps(50):
        masses = [
            (mpf(p.numerator) / p.denominator, mpf(q.numerator) / q.denominator) for p, q in exact
        ]
        epsilon = mp.log(mpf(ratio.numerator) / ratio.denominator)
        found = Composition(masses, runs, 30).delta(epsilon)
        assert abs(found - mpf(truth.numerator) / truth.denominator) < mpf(10) ** -28


def test_many_unrelated_losses_are_refused_and_a_lattice_is_not() -> None:
    with mp.workdps(50):
        lattice = [
            (mpf(2) ** -i, mpf(2) ** -j)
            for i, j in zip((1, 2, 3, 4, 5, 6, 6), (6, 6, 5, 4, 3, 2, 1), strict=True)
        ]
        assert 0 < Composition(lattice, 40, 30).delta(mpf(1)) < 1
        primes = [mpf(p) / 100 for p in (2, 3, 5, 7, 11, 13, 17, 42)]
        unrelated = list(zip(primes, reversed(primes), strict=True))
        unrelated = [(p, mp.sqrt(q) / 3) for p, q in unrelated]
        with pytest.raises(UnknownDefinitionError, match=TOO_MANY):
            Composition(unrelated, 60, 30)
