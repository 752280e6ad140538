"""Certificates: the checker of a hundred lines accepts true ones, and nothing that is false."""

import copy
import json
import random
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import mpmath
import pytest

import dpaudit
from dpaudit.api.plans import make_plan
from dpaudit.errors import ParameterError
from dpaudit.kernel import certificate_checker
from dpaudit.kernel.certificate_checker import check, exp_minus
from dpaudit.kernel.certificates import certificate

CHECKER = Path(certificate_checker.__file__)
SUBJECTS: list[tuple[str, int, dict[str, Any], str | None]] = [
    ("LSHist", 3, {}, None),
    ("LSHist", 2, {"eps": "ln(3)"}, None),
    ("RR", 1, {}, None),
    ("kRR", 1, {"eps": "1/2"}, None),
    ("RAPPOR", 1, {"bits": 4}, None),
    ("LSHist", 3, {}, "3/5,1/5"),
    ("RR", 1, {"truth": "3/4"}, "11/10"),
]


def written(name: str, n: int, parameters: dict[str, Any], budget: str | None) -> Any:
    mechanism = dpaudit.mechanism(name, **parameters)
    found = certificate(mechanism, n, make_plan(mechanism, budget=budget))
    assert found is not None
    return json.loads(found)


@pytest.fixture(scope="module")
def documents() -> list[Any]:
    return [written(*subject) for subject in SUBJECTS]


def number(text: str) -> Any:
    above, _, below = text.partition("/")
    return mpmath.mpf(int(above)) / int(below or 1)


def is_true(found: Any) -> bool:
    """Tell by mpmath whether what is listed are laws, and keeps the budget that is named."""
    t = mpmath.exp(-number(found.get("rate", "0")))
    (form, text), *more = found["epsilon"].items()
    assert not more
    factor = mpmath.exp(number(text)) if form == "rational" else number(text)

    def value(polynomial: list[str]) -> Any:
        return mpmath.fsum(int(a) * t**j for j, a in enumerate(polynomial))

    laws = []
    for weights, total in zip(found["weights"], found["totals"], strict=True):
        values = [value(p) for p in weights]
        whole = value(total)
        if whole <= 0 or min(values) < 0 or abs(mpmath.fsum(values) - whole) > 1e-40 * whole:
            return False
        laws.append([p / whole for p in values])
    for x, y in found["pairs"]:
        excess = mpmath.fsum(
            max(mpmath.mpf(0), p - factor * q) for p, q in zip(laws[x], laws[y], strict=True)
        )
        if excess > number(found["delta"]) + mpmath.mpf(10) ** -50:
            return False
    if found["adjacency"] == "histogram-substitution":
        counts = [json.loads(f"[{name.strip('()')}]") for name in found["datasets"]]
        near = {
            (i, j)
            for i, j in permutations(range(len(counts)), 2)
            if sum(abs(a - b) for a, b in zip(counts[i], counts[j], strict=True)) == 2
        }
        return near == set(map(tuple, found["pairs"]))
    return True


def mutated(found: Any, rng: random.Random) -> Any:
    """Return the certificate with one thing changed."""
    found = copy.deepcopy(found)
    row = rng.randrange(len(found["weights"]))
    output = rng.randrange(len(found["outputs"]))
    polynomial = found["weights"][row][output]
    match rng.randrange(11):
        case 0:
            place = rng.randrange(len(polynomial))
            polynomial[place] = str(int(polynomial[place]) + rng.choice([-3, -1, 1, 2]))
        case 1:  # one that keeps the total
            other = found["weights"][row][output - 1]
            for p, step in ((polynomial, 1), (other, -1)):
                p[0] = str(int(p[0]) + step)
        case 2:
            place = rng.randrange(len(found["totals"][row]))
            found["totals"][row][place] = str(
                int(found["totals"][row][place]) + rng.choice([-1, 1])
            )
        case 3:
            name = next(iter(found["epsilon"]))
            p, q = rng.randrange(1, 60), rng.randrange(1, 40)
            found["epsilon"][name] = f"{p}/{q}"
        case 4:
            found["multiple"] = f"{rng.randrange(1, 60)}/{rng.randrange(1, 30)}"
        case 5:
            found["power"] = rng.randrange(4)
        case 6:
            found["rate"] = f"{rng.randrange(1, 9)}/{rng.randrange(1, 9)}"
        case 7:
            found["delta"] = f"{rng.randrange(0, 5)}/{rng.randrange(5, 40)}"
        case 8:
            found["pairs"].pop(rng.randrange(len(found["pairs"])))
        case 9:
            found["weights"][row], found["weights"][row - 1] = (
                found["weights"][row - 1],
                found["weights"][row],
            )
        case _:
            found["weights"][row][output] = ["0"]
            found["totals"][row] = [
                str(sum(int(p[j]) for p in found["weights"][row] if j < len(p)))
                for j in range(max(map(len, found["weights"][row])))
            ]
    return found


def accepted(found: Any) -> bool:
    try:
        check(found)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False
    return True


def test_true_certificates_are_accepted(documents: list[Any]) -> None:
    with mpmath.workdps(80):
        for found in documents:
            assert accepted(found)
            assert is_true(found)


def test_no_false_mutant_is_accepted(documents: list[Any]) -> None:
    rng = random.Random(7)
    false = true_and_accepted = 0
    with mpmath.workdps(80):
        for _ in range(700):
            found = mutated(rng.choice(documents), rng)
            if accepted(found):
                assert is_true(found), found
                true_and_accepted += 1
            else:
                false += not is_true(found)
    assert false >= 200
    assert true_and_accepted >= 20, "a checker that refuses everything would pass"


def test_a_certificate_of_more_than_is_kept_is_not_written() -> None:
    mechanism = dpaudit.mechanism("LSHist")
    assert certificate(mechanism, 3, make_plan(mechanism, budget="79/100")) is None
    assert certificate(mechanism, 3, make_plan(mechanism, budget="4/5")) is not None


@pytest.mark.parametrize(
    ("name", "n", "parameters", "said"),
    [
        ("EHDS", 3, {}, "only as intervals, for example because they contain Γ"),
        ("LSDim", 3, {"eps": "ln(3)"}, "roots"),
        ("NotesLaplace", 3, {}, "infinitely many outputs"),
        ("LSHist", 400, {}, "at most 20000 entries"),
    ],
)
def test_laws_that_do_not_fit_are_refused(
    name: str, n: int, parameters: dict[str, Any], said: str
) -> None:
    mechanism = dpaudit.mechanism(name, **parameters)
    with pytest.raises(ParameterError, match=said):
        certificate(mechanism, n, make_plan(mechanism))


def test_the_checker_is_short_and_stands_alone(tmp_path: Path, documents: list[Any]) -> None:
    text = CHECKER.read_text()
    assert len(text.splitlines()) < 150
    copied = tmp_path / "checker.py"
    copied.write_text(text)
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(documents[0]))
    bad.write_text(json.dumps({**documents[0], "delta": "-1"}))

    def run(path: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(copied), str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run(good).stdout.startswith("accepted: ")
    refused = run(bad)
    assert refused.returncode == 1
    assert refused.stderr.startswith("refused: ")
    assert "Traceback" not in refused.stderr
    assert run(tmp_path / "none.json").returncode == 1


@pytest.mark.parametrize("argument", [(0, 1), (1, 3), (4, 5), (7, 2), (300, 1), (1, 10**9)])
def test_exponentials_are_enclosed(argument: tuple[int, int]) -> None:
    with mpmath.workdps(400):
        for bits in (16, 128, 512):
            low, high = exp_minus(*argument, bits)
            true = mpmath.exp(-mpmath.mpf(argument[0]) / argument[1]) * 2**bits
            assert low <= true <= high
            assert high - low <= 4
