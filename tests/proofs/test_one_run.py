"""The sharp one-run bound: its typed statements, and that the kernel refuses them when changed."""

from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest
from dpaudit_proofs.canary_words import CANARIES

from dpaudit.claims.discover import discover
from dpaudit.kernel import development
from dpaudit.results.claims import Statement
from tests.claims.kernel_mutants import accepted, compiled, module_of, proofs_of

needs_coq = pytest.mark.skipif(
    development.coq_version() is None, reason="Coq is not installed: theorems are not checked"
)

CHANGES = [
    ("one-run-bound", " + m*d*", " - m*d*"),  # the sign of what δ adds
    ("one-run-bound", " + m*d*", " + m*d/2*"),  # half of it
    ("one-run-bound", "/2^m <= ", "/2^m < "),  # never attained
    ("one-run-bound", "at_most(v, ", "at_most(v - 1, "),  # one right guess fewer
    ("one-run-bound", "<= d", "<= 2*d"),  # privacy with twice the δ
    ("one-run-bound", "1)) <= r", "1)) <= r + 1"),  # one guess more
    ("one-run-bound", "2*digit(2, s, i)", "digit(2, s, i)"),  # no neighbour where a canary is in
    ("one-run-bound-pure", "(1 + E)^r", "(2 + E)^r"),  # other odds
    ("one-run-bound-pure", ") == 1", ") == 2"),  # no law
    ("one-run-attained", "E >= 1", "E > 0"),  # ε below 0
    ("one-run-attained", "M <= m*d", "M <= 2*m*d"),  # twice the mass
    ("one-run-attained", "at_most(v, h) - ", "at_most(v, h) + "),  # no law
]
"""Hand-changed statements: a claim, a text in its statement, and what is put in for it."""


def changed(statement: Statement, old: str, new: str) -> Statement:
    domain = tuple(part.replace(old, new) for part in statement.domain)
    found = Statement(
        quantifier=statement.quantifier,
        variables=statement.variables,
        domain=domain,
        proposition=statement.proposition.replace(old, new),
    )
    assert found != statement
    return found


@needs_coq
def test_twelve_changed_statements_are_refused_by_the_kernel(tmp_path: Path) -> None:
    claims = {name: item.claim for name, item in discover().items()}
    own = [claims[name] for name in dict.fromkeys(name for name, _, _ in CHANGES)]
    every = development.sources(["dpaudit_proofs"], own)
    needed = {"Guesses", "Canaries", "TheoremsCanaries", "Stated", "Words", "Values"}
    needed |= {"Laws", "Sensitivity", "Posterior"}
    texts = {name: text for name, text in every.items() if name in needed}
    compiled(texts, tmp_path)
    assert len(CHANGES) == 12
    for claim in own:
        assert claim.typed is not None
        (proof,) = proofs_of(claim, texts)
        statements = [claim.typed]
        statements += [changed(claim.typed, old, new) for n, old, new in CHANGES if n == claim.id]
        modules = {}
        for number, statement in enumerate(statements):
            text = module_of(claim, proof, statement, number)
            assert text is not None
            modules[number] = text
        said, late = accepted(proof, modules, tmp_path)
        assert said == {0}  # the statement itself, and none that was changed
        assert not late


def test_the_words_are_what_their_meanings_say() -> None:
    words = {word.name: word for word in CANARIES}
    for n, k in product(range(6), range(7)):
        assert words["choose"].balls(Fraction(n), Fraction(k)).as_fraction() == comb(n, k)
        assert words["choose"].again(n, k) == comb(n, k)
    for base, number in product((2, 3), range(30)):
        digits = [words["digit"].balls(*map(Fraction, (base, number, i))) for i in range(5)]
        assert sum(int(d.as_fraction()) * base**i for i, d in enumerate(digits)) == number
        again = [words["digit"].again(base, number, i) for i in range(5)]
        assert [int(d.as_fraction()) for d in digits] == again


def test_the_training_of_the_example_is_a_law_of_guesses() -> None:
    words = {word.name: word for word in CANARIES}
    for world in range(4):
        chances = [
            words["chance"].balls(*map(_real, (world, output))).as_fraction() for output in range(9)
        ]
        assert sum(chances) == 1
        assert max(chances) == Fraction(9, 16)


def _real(value: int) -> object:
    from dpaudit.numbers.real import rational

    return rational(value)
