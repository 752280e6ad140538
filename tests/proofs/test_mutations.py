"""Every proved inequality is perturbed, and the engine must no longer prove what comes out.

For a certificate, on an orthant or a box: the sign of the polynomial is flipped, and a constant is
taken away that makes it negative somewhere.  For a sum of products: the goal's sign is flipped, its
constant changed, a product left out.  For a solver's proof: the goal is negated (so that hypotheses
which contradict themselves are found out), and all hypotheses are dropped, or, where there are
none, the first relation of the goal is turned round.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Evidence, Role, Settings, Status
from dpaudit.claims.discover import discover
from dpaudit.claims.evidence import SMTProof

TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def inequalities() -> list[tuple[str, Evidence]]:
    """Return every proved inequality with the id of its claim, the same one once."""
    found: dict[str, tuple[str, Evidence]] = {}
    for claim_id, item in discover().items():
        for evidence in item.claim.evidence:
            if evidence.role is Role.ILLUSTRATES or not isinstance(
                evidence, (OrthantCertificate, BoxCertificate, SumOfProducts, SMTProof)
            ):
                continue
            if isinstance(evidence, SMTProof) and evidence.satisfiable:
                continue
            found.setdefault(f"{evidence.kind}{evidence.explain()}", (claim_id, evidence))
    return list(found.values())


def mutants(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    match evidence:
        case OrthantCertificate():
            yield "sign flipped", replace(evidence, positive=f"-({evidence.positive})")
            enough = sum(abs(q) for q in evidence.shifted().coefficients()) + 1
            yield (
                "constant changed",
                replace(evidence, positive=f"{evidence.positive} - ({enough})"),
            )
        case BoxCertificate():
            yield "sign flipped", replace(evidence, positive=f"-({evidence.positive})")
            enough = max(evidence.coefficients().values()) + 1
            yield (
                "constant changed",
                replace(evidence, positive=f"{evidence.positive} - ({enough})"),
            )
        case SumOfProducts():
            yield "sign flipped", replace(evidence, goal=f"-({evidence.goal})")
            yield "constant changed", replace(evidence, goal=f"{evidence.goal} - 1")
            yield "product left out", replace(evidence, products=evidence.products[1:])
        case SMTProof():
            yield "goal negated", replace(evidence, goal=f"not ({evidence.goal})")
            if evidence.hypotheses:
                yield "hypotheses dropped", replace(evidence, hypotheses=())
            else:
                goal = re.sub(r"[<>]=?", lambda m: TURNED[m.group()], evidence.goal, count=1)
                yield "relation turned", replace(evidence, goal=goal)


INEQUALITIES = inequalities()


def named(case: tuple[str, Evidence]) -> str:
    return f"{case[0]}: {case[1].title}"


@pytest.mark.parametrize("case", INEQUALITIES, ids=named)
def test_perturbed_claims_are_not_proved(case: tuple[str, Evidence]) -> None:
    _, evidence = case
    settings = Settings(timeout_seconds=5)
    assert evidence.check(Settings(timeout_seconds=60)).status is Status.HOLDS
    tried = 0
    for name, mutant in mutants(evidence):
        assert mutant.check(settings).status is not Status.HOLDS, name
        tried += 1
    assert tried >= 2


def test_there_is_something_to_perturb() -> None:
    assert len(INEQUALITIES) >= 2
