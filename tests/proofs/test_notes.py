"""The claims of the notes as a whole: decided, recorded, written up, and none left out."""

import json
import re
from collections import Counter
from pathlib import Path

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import ClaimVerdict, Decision, Role, Settings
from dpaudit.claims.deciding import decide
from dpaudit.claims.discover import discover
from dpaudit.claims.evidence import Counterexample
from dpaudit.claims.ledger import Standing, load_ledgers, standing
from dpaudit.report.claims import claims_markdown
from tests.campaigns import part
from tests.proofs import recorded

PROOFS = Path(__file__).resolve().parent.parent.parent / "proofs"
PACKAGE = "dpaudit_proofs"
CLAIMS = {key: item for key, item in discover().items() if item.package == PACKAGE}
LEDGER = load_ledgers(CLAIMS.values())


def test_the_ledger_is_that_of_the_package() -> None:
    assert LEDGER == recorded.LEDGER


def test_every_claim_was_recorded_from_the_code_that_is_here() -> None:
    """Deciding all claims takes minutes; that their code is the recorded one, none."""
    changed = {key for key, item in CLAIMS.items() if LEDGER[key].hash != item.hash}
    assert not changed, "dpaudit prove --solver both --record proofs/dpaudit_proofs/ledger.json"


def test_every_module_of_claims_is_registered() -> None:
    offering = {
        f"{PACKAGE}.{path.stem}"
        for path in (PROOFS / PACKAGE).glob("*.py")
        if re.search(r"^CLAIMS\b", path.read_text(), re.MULTILINE)
    }
    assert offering
    assert offering == {item.module for item in CLAIMS.values()}


def test_the_page_says_why_claims_are_argued() -> None:
    page = (PROOFS.parent / "docs" / "claims.md").read_text()
    (table,) = re.findall(r"## Argued claims, and the reasons\n(.*?)\n## ", page, re.DOTALL)
    named = re.findall(r"`([\w.-]+)`", table.partition("|---|")[2])
    accepted = {
        one["id"] for one in json.loads((PROOFS / PACKAGE / "kernel.json").read_text())["claims"]
    }
    argued = {key for key, entry in LEDGER.items() if entry.grade == "argued"} - accepted
    assert sorted(named) == sorted(argued)


def test_every_claim_is_decided_as_recorded() -> None:
    """Decide claims with both solvers: all of them, in a campaign, takes minutes."""
    settings = Settings(solvers=("z3", "cvc5"))
    chosen = list(CLAIMS)[:: part(1, 48)]
    decisions = {key: decide(CLAIMS[key].claim, settings) for key in chosen}
    check_verdicts(decisions)
    check_evidence(decisions)
    assert set(LEDGER) == set(CLAIMS)
    if len(chosen) < len(CLAIMS):
        return
    written = (PROOFS / "CLAIMS.md").read_text()
    assert written.endswith(claims_markdown(list(decisions.values())))


def check_verdicts(decisions: dict[str, Decision]) -> None:
    found = {
        key: standing(LEDGER.get(key), decision.verdict, decision.grade, CLAIMS[key].hash)
        for key, decision in decisions.items()
    }
    wrong = {key: value for key, value in found.items() if value is not Standing.AS_RECORDED}
    assert not wrong
    open_verdicts = {ClaimVerdict.UNDECIDED, ClaimVerdict.FAILED}
    assert not {key for key, d in decisions.items() if d.verdict in open_verdicts}


def check_evidence(decisions: dict[str, Decision]) -> None:
    for key, decision in decisions.items():
        claim = decision.claim
        roles = Counter(evidence.role for evidence in claim.evidence)
        assert claim.evidence or decision.verdict is ClaimVerdict.AMBIGUOUS, key
        if decision.verdict in (ClaimVerdict.REFUTED, ClaimVerdict.HOLDS_ON):
            assert roles[Role.REFUTES], key
            assert any(isinstance(e, Counterexample) for e in claim.evidence), key
            assert claim.repaired or claim.derivation, key
        assert claim.source, key
        assert claim.domain or claim.ambiguous, key


def test_steps_belong_to_claims() -> None:
    for item in CLAIMS.values():
        parent = item.claim.step_of
        assert not parent or parent in CLAIMS, f"{item.claim.id} is a step of {parent}"


def test_certificates_are_among_the_proofs() -> None:
    kinds = Counter(type(e) for item in CLAIMS.values() for e in item.claim.evidence)
    assert kinds[OrthantCertificate] + kinds[SumOfProducts] >= 1


INVENTORY = [
    "basics-density",
    "basics-posterior",
    "basics-hellinger",
    "basics-candidates",
    "ls-reduction",
    "gs-constant",
    "gs-caption",
    "I-right",
    "I-left",
    "I-general",
    "I-base-reduction",
    "I-base-polynomial",
    "I-induction-factors",
    "I-induction-step",
    "II-right",
    "II-left",
    "III",
    "em-global-dp",
    "em-local-step-1",
    "em-local-step-11",
    "em-local-not-dp",
    "thm-3.1-LSDim",
    "thm-3.1-LSHist",
    "thm-3.1-EHD",
    "thm-3.1-EHDS",
    "LSZhang-dp",
    "LSZhang-dp-all",
    "corr-half",
    "sliding-literal",
    "sliding-density",
    "dilation-negative-1",
    "dilation-negative-2",
    "dilation-negative-3",
    "dilation-event",
    "accuracy-property",
    "accuracy-equality",
    "beta-positive",
    "beta-bound",
    "beta-candidates",
    "dilation-literal",
    "dilation-density",
    "lemma-2.3-U1",
    "lemma-2.3-U3",
    "lemma-2.3-ratio",
    "lemma-2.3",
    "lemma-2.3-tables",
    "beta-captions",
    "lap-tail",
    "lap-floor",
    "lap-half-split",
    "lap-orderings",
    "lap-dilation-1",
    "lap-dilation-6",
    "lap-dilation",
    "acc-global",
    "acc-tight",
    "acc-second",
    "acc-N",
    "steps-distance",
    "thm-4.2",
    "cor-4.4.1",
    "thm-4.4",
    "thm-4.5-LSZhang-equality",
    "thm-4.5-LSZhang-bound",
    "thm-4.5-LSHist-equality",
    "thm-4.5-LSHist-bound",
    "thm-4.5-EHD-lower",
    "thm-4.5-EHD-upper",
    "thm-4.5-EHD-step",
    "thm-4.5-EHDL-lower",
    "thm-4.5-EHDL-upper",
    "cor-4.5.1",
    "cor-4.5.2",
    "cor-4.5.3",
    "cor-4.5.1-order",
    "cor-4.5.2-order",
    "cor-4.5.3-dirichlet",
    "thm-4.5-LS-limit",
    "captions-smooth-dp",
    "utility-table-H",
    "utility-table-KL",
    "crossover-12",
    "crossover-15",
]
"""The assertions of the documents that must have a verdict, whatever else is added."""


def test_nothing_that_was_asserted_is_left_out() -> None:
    assert set(INVENTORY) <= set(CLAIMS)
