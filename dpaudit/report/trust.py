"""Assumptions behind certificates and verdicts on claims, with the versions in use."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from dpaudit.claims import bases as grounds
from dpaudit.claims.discover import discover
from dpaudit.claims.ledger import load_ledgers
from dpaudit.claims.statement import formula_text
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.errors import counted
from dpaudit.fingerprint import fingerprint
from dpaudit.numbers.ball import flint_version
from dpaudit.results import Assumption, ClaimTrust, TrustReport
from dpaudit.version import __version__

__all__ = ["trust", "trust_text"]


def trust(kernel: Mapping[str, tuple[str, ...]] | None = None) -> TrustReport:
    """Return the assumptions behind the certificates of this installation, with versions.

    Args:
        kernel: claims whose theorems Coq has accepted on record, each with Coq's version and the
            axioms that its theorems rest on.
    """
    accepted = kernel or {}
    return TrustReport(
        schema="dpaudit.trust/1",
        version=__version__,
        fingerprint=fingerprint(),
        trusted=(
            Assumption(
                "ball arithmetic (Arb, part of FLINT)",
                "every operation returns an interval (a ball) that contains the true result",
                f"FLINT {flint_version()}, python-flint {_installed('python-flint')}",
            ),
            Assumption(
                "whole numbers, fractions and decimals of Python",
                "exact inputs, hulls of curves, rounding outward, the polynomials that decide ties",
                f"{platform.python_implementation()} {platform.python_version()}",
            ),
            Assumption(
                "the reading of the definitions",
                "a mechanism is the output distribution that its formula defines; `dpaudit "
                "show MECHANISM` prints it",
            ),
            Assumption(
                "the output distributions of a mechanism of your own",
                "they are what its functions return; dpaudit calls these twice, and checks that "
                "probabilities add up to 1; reports name the file and its SHA-256",
            ),
            Assumption(
                "this program",
                "its bounds are proved in its docstrings; tests compare it with brute force "
                "that shares no code with it",
                f"dpaudit {__version__}",
            ),
        ),
        screen=(
            Assumption(
                "float64 is IEEE 754 binary64, rounding to nearest",
                "no flush to zero is relied on: operands are kept away from subnormal numbers",
            ),
            Assumption(
                "+ − × ÷ √ on arrays are correctly rounded",
                "each returns the true result times 1 + θ, |θ| ≤ 2⁻⁵³; a fused multiply-add is as "
                "good",
                f"NumPy {_installed('numpy')}",
            ),
            Assumption(
                "rint, floor, minimum, maximum, nextafter, comparisons and conversions of whole "
                "numbers below 2⁵³ are exact",
                "splitting of arguments, maxima over pairs",
                f"NumPy {_installed('numpy')}",
            ),
            Assumption(
                "a sum of N positive terms, in any order, is within N·2⁻⁵³ of itself",
                "normalisers; it follows from the above, whatever order NumPy adds in",
            ),
        ),
        not_trusted=(
            Assumption(
                "exp, log, gamma of any float library",
                "e^(−t) comes from tables that were rounded once from balls and correctly rounded "
                "operations; logarithms and gamma functions are taken in balls",
            ),
            Assumption("BLAS and LAPACK", "no matrix product, no linear algebra"),
            Assumption(
                "the screen's numbers",
                "they only rule out pairs; every number in a report comes from balls or exact "
                "arithmetic",
            ),
            Assumption("plots", "they are drawn in floats, from the certified intervals"),
            Assumption(
                "the number of workers, the machines they run on, and the order in which they "
                "finish",
                "work is always split in the same way, and combined in the same order",
            ),
        ),
        not_claimed=(
            Assumption("other sizes than those of the command", ""),
            Assumption(
                "samplers",
                "a program that draws floating-point noise is another mechanism (Mironov 2012)",
            ),
        ),
        checkers=(*_checkers(), *_coq(accepted)),
        facts=_facts(),
        claims=_claims(accepted),
    )


def _checkers() -> tuple[Assumption, ...]:
    """Return what the evidence of claims is checked with, under the names that claims list."""
    solver = _installed("z3-solver")
    return (
        Assumption(
            grounds.SMT,
            "answers “unsat” only if the query is unsatisfiable; --solver both asks cvc5 too",
            f"z3 {solver}, cvc5 {_installed('cvc5')}",
        ),
        Assumption(
            grounds.SYMPY,
            "simplifies to 0 only what is 0, on the symbols' signs",
            f"sympy {_installed('sympy')}",
        ),
        Assumption(
            grounds.MPMATH,
            "the second evaluation at a point; never alone",
            f"mpmath {_installed('mpmath')}",
        ),
        Assumption(grounds.BALLS, "the first evaluation at a point", f"FLINT {flint_version()}"),
        Assumption(
            grounds.RATIONALS, "polynomials, certificates of positivity, algebra of derivations"
        ),
        Assumption(
            grounds.ENGINE_CODE, "that a statement follows from instances of the lemmas used"
        ),
        Assumption(grounds.OWN_CODE, "sweeps and certified values that a claim computes itself"),
        Assumption(
            grounds.PROSE, "that the evidence decides the statement, where the grade is argued"
        ),
        Assumption(
            "the C compiler and its floats",
            "Python, FLINT, z3 and NumPy are compiled programs; no verdict on a claim rests on a "
            "float, but they use the machine that runs them",
        ),
    )


_AXIOMS = {
    "Classical_Prop.classic": "every proposition or its negation holds",
    "ClassicalDedekindReals.sig_forall_dec": (
        "a decidable property of natural numbers holds for all of them, or there is one for "
        "which it fails"
    ),
    "ClassicalDedekindReals.sig_not_dec": "a negated proposition can be decided",
    "FunctionalExtensionality.functional_extensionality_dep": "functions of the same values are "
    "the same",
    "is_gamma": "an open hypothesis: there is a function with these properties of Γ",
}
"""Meanings of the axioms of theorems."""


def _coq(accepted: Mapping[str, tuple[str, ...]]) -> Iterator[Assumption]:
    """Iterate over what the grade kernel rests on: Coq, and the axioms by name."""
    if not accepted:
        return
    versions = ", ".join(sorted({bases[0] for bases in accepted.values()}))
    yield Assumption(
        "Coq",
        "its kernel accepts only correct proofs, and coqchk checks them again; run with dpaudit "
        f"prove --kernel, on record for {counted(len(accepted), 'claim')}",
        versions,
    )
    yield Assumption(
        "the translation of statements to Coq",
        "that the proposition made of a typed statement says the same (dpaudit/kernel/stated.py, "
        "Words.v)",
    )
    named = [axiom for bases in accepted.values() for axiom in bases[1:]]
    for axiom in sorted(set(named)):
        meaning = _AXIOMS.get(axiom, "")
        count = counted(named.count(axiom), "claim")
        yield Assumption(f"{axiom}, of Coq", f"{meaning}; {count}" if meaning else count)


def _facts() -> tuple[Assumption, ...]:
    words = vocabulary()
    facts = [Assumption(name, formula_text(fact)) for name, fact in words.facts.items()]
    named = (f for f in words.functions.values())
    return (*facts, *(Assumption(f"the function {f.name}", f.meaning) for f in named))


def _claims(accepted: Mapping[str, tuple[str, ...]]) -> tuple[ClaimTrust, ...]:
    items = discover()
    recorded = load_ledgers(items.values())
    entries = []
    for name, item in items.items():
        grade = recorded[name].grade if name in recorded else ""
        kernel = accepted.get(name, ())
        entries.append(ClaimTrust(name, grade, grounds.rests_on(item.claim, grade), kernel))
    return tuple(entries)


def trust_text(page: TrustReport) -> str:
    """Return the page of :func:`trust` as text."""
    lines = [f"What a certificate of dpaudit {page.version} rests on"]
    for title, assumptions in (
        ("Trusted by every certificate", page.trusted),
        ("Trusted by the screen as well (not with --engine ball)", page.screen),
        ("Not trusted", page.not_trusted),
        ("Not claimed", page.not_claimed),
    ):
        lines += ["", title, *_lines(assumptions)]
    lines += ["", "Trusted by verdicts on claims (dpaudit prove)", *_lines(page.checkers)]
    lines += ["", "Taken for granted of functions in statements", *_lines(page.facts)]
    lines += ["", "Claim by claim"]
    lines += [
        f"  - {c.id} ({c.grade or 'not recorded'}): {', '.join(c.rests_on)}"
        + (f"; kernel, on record: {', '.join(c.kernel)}" if c.kernel else "")
        for c in page.claims
    ]
    return "\n".join(lines)


def _lines(assumptions: Sequence[Assumption]) -> list[str]:
    lines = []
    for assumption in assumptions:
        used = f" [{assumption.version}]" if assumption.version else ""
        lines.append(f"  - {assumption.what}{used}")
        if assumption.why:
            lines.append(f"      {assumption.why}")
    return lines


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
