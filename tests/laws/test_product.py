"""Product laws against the same laws in fractions, at rational t = e^(−1/b)."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.data.adjacency import AddRemove
from dpaudit.data.histograms import Counts
from dpaudit.laws.law import Divergence
from dpaudit.laws.product import Completion
from dpaudit.notes.hellinger_exponential import EHD
from dpaudit.notes.laplace_histogram import LSDim, LSHist
from dpaudit.numbers.ball import ball, precision
from dpaudit.numbers.real import Real, real
from tests.enclosing import assert_encloses, overlap
from tests.oracles import laplace_fractions as oracle
from tests.oracles.sensitivity import histograms, neighbours
from tests.oracles.setting import Log, Setting, variants
from tests.situations import build

SETTINGS = oracle.random_rational_settings(17, 24)
ONES = (Fraction(1),) * 2
Table = dict[Counts, Fraction]


def name_of(setting: Setting) -> str:
    return f"{setting.mechanism}-k{setting.k}-n{setting.n}"


def exact_fraction(value: Real | None) -> Fraction:
    assert value is not None
    found = value.as_fraction()
    assert found is not None
    return found


def check(divergence: Divergence, p: Table, q: Table, *, forward: bool) -> None:
    """Compare one direction of a divergence with the two tables, numerator first."""
    loss = divergence.max_loss(forward=forward)
    if any(r not in q for r in p):
        assert loss.infinite
        assert loss.exact is None
        ratios = [Fraction(1, 2), Fraction(1), Fraction(10)]
    else:
        largest = max(p[r] / q[r] for r in p)
        assert not loss.infinite
        assert loss.exact is not None
        assert exact_fraction(loss.exact.exp()) == largest
        again = divergence.loss_at(loss.output, forward=forward)
        assert again.exact == loss.exact
        assert overlap(again.ball, loss.ball)
        ratios = [Fraction(1), largest, (1 + largest) / 2, largest * 2, Fraction(1, 2)]
    for ratio in ratios:
        truth = sum(
            (max(mass - ratio * q.get(r, 0), Fraction(0)) for r, mass in p.items()), Fraction(0)
        )
        found = divergence.hockey_stick(real(ratio).ln(), forward=forward)
        assert exact_fraction(found.exact) == truth
        assert_encloses(found.ball, truth, width=Fraction(1, 10**25), slack=Fraction(0))
    atoms = list(divergence.atoms(forward=forward))
    for side, whole in (("p", 1), ("q", 0)):
        masses = sum((getattr(atom, side) for atom in atoms), ball(0))
        expected = Fraction(1) if whole else sum((q.get(r, Fraction(0)) for r in p), Fraction(0))
        assert_encloses(masses, expected, width=Fraction(1, 10**25), slack=Fraction(0))


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_every_pair_in_both_directions(setting: Setting) -> None:
    book = build(setting).laws()
    tables = {x: oracle.law(setting, x) for x in histograms(setting.n, setting.k)}
    with precision(128):
        for x, p in tables.items():
            for y in neighbours(x)[:3]:
                divergence = book.law(x).divergence_from(book.law(y))
                check(divergence, p, tables[y], forward=True)
                check(divergence, tables[y], p, forward=False)


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_probabilities(setting: Setting) -> None:
    book = build(setting).laws()
    n = setting.n
    for x in histograms(n, setting.k)[:8]:
        law = book.law(x)
        table = oracle.law(setting, x)
        for output, mass in table.items():
            inner = all(0 <= r <= n for r in output[: len(output) - 1]) and (
                setting.mechanism != "NotesLaplace" or all(0 <= r <= n for r in output)
            )
            if inner or setting.mechanism != "NotesLaplace":
                found = law.probability(output)
                assert exact_fraction(found.exact) == mass
                assert_encloses(found.ball, mass, width=Fraction(1, 10**12), slack=Fraction(0))
        assert law.output_count() == (None if setting.mechanism == "NotesLaplace" else len(table))


@pytest.mark.parametrize(
    ("mechanism", "outside"),
    [
        ("LSHist", (2, 2)),
        ("LSHist", (-1, 4)),
        ("LSHist", (1, 1, 1)),
        ("LSZhang", (1, 2)),
        ("NotesLaplace", (1, 1)),
    ],
)
def test_outputs_outside_the_support_have_no_mass(mechanism: str, outside: Counts) -> None:
    law = build(Setting(mechanism, 3, ONES, Fraction(1))).laws().law((1, 2))
    assert law.probability(outside).exact == real(0)
    assert law.probability(outside).ball.is_zero()


ADD_REMOVE = [
    Setting(
        name,
        n,
        (Fraction(1),) * k,
        Log(Fraction(2 if name != "LSDim" else k), Fraction(3)),
        readings=readings,
    )
    for name in ("LSZhang", "LSDim", "LSHist")
    for readings in variants(name)
    for n, k in ((1, 2), (3, 2), (2, 3))
]


@pytest.mark.parametrize("setting", ADD_REMOVE, ids=name_of)
def test_add_remove_pairs_of_finite_laws(setting: Setting) -> None:
    book = build(setting).laws()
    for x, y in AddRemove(setting.k).pairs(setting.n):
        p = oracle.law(replace(setting, n=sum(x)), x)
        q = oracle.law(replace(setting, n=sum(y)), y)
        divergence = book.law(x).divergence_from(book.law(y))
        with precision(128):
            check(divergence, p, q, forward=True)
            check(divergence, q, p, forward=False)


def test_printing_the_rest_shows_the_size() -> None:
    book = build(Setting("NotesLaplace", 3, ONES, Fraction(1))).laws()
    divergence = book.law((1, 2)).divergence_from(book.law((1, 3)))
    for forward in (True, False):
        assert divergence.max_loss(forward=forward).infinite
        assert divergence.hockey_stick(real(5), forward=forward).exact == real(1)
        assert sum((atom.p for atom in divergence.atoms(forward=forward)), ball(0)) == 1
        assert sum((atom.q for atom in divergence.atoms(forward=forward)), ball(0)) == 0


def test_noise_on_every_count_survives_add_remove_with_half_the_budget() -> None:
    setting = Setting("NotesLaplace", 3, ONES, Fraction(4, 5), readings=(("coordinates", "all"),))
    book = build(setting).laws()
    for x, y in AddRemove(2).pairs(3):
        divergence = book.law(x).divergence_from(book.law(y))
        assert divergence.max_loss(forward=True).exact == real("2/5")
        assert divergence.max_loss(forward=False).exact == real("2/5")


def test_an_output_of_neither_side_has_no_loss() -> None:
    book = LSHist.build({}).laws()
    with pytest.raises(ValueError, match="output of neither of the two datasets"):
        book.law((1, 2)).divergence_from(book.law((2, 1))).loss_at((7, -4), forward=True)


@pytest.mark.parametrize("stranger", [(9, 9), (0, 3), (2, 2)])
def test_an_output_the_numerator_cannot_print_has_no_loss_across_sizes(stranger: Counts) -> None:
    """(2, 2) and (0, 3) belong to one side each; here only the numerator's own may be asked for."""
    book = LSHist.build({}).laws()
    divergence = book.law((1, 2)).divergence_from(book.law((2, 2)))
    if stranger == (0, 3):
        assert divergence.loss_at(stranger, forward=True).infinite
    else:
        with pytest.raises(ValueError, match="not an output"):
            divergence.loss_at(stranger, forward=True)


def test_a_realised_budget_is_seen_exactly_at_any_size() -> None:
    """LSHist with k = 2 realises ε itself (a tie no precision decides), also at n = 10⁵."""
    law = LSHist.build({"epsilon": "0.8"}).laws()
    n = 10**5
    inner = law.law((n // 2, n // 2)).divergence_from(law.law((n // 2 + 1, n // 2 - 1)))
    edge = law.law((0, n)).divergence_from(law.law((1, n - 1)))
    for divergence, forward in ((inner, True), (inner, False), (edge, False)):
        assert divergence.max_loss(forward=forward).exact == real("4/5")
        assert divergence.hockey_stick(real("4/5"), forward=forward).exact == real(0)
    with precision(128):
        assert overlap(edge.max_loss(forward=True).ball, real("ln(2 - exp(-4/5))").ball())


def test_laws_of_different_families_are_not_compared() -> None:
    product = LSHist.build({}).laws().law((1, 2))
    for other in (LSDim.build({}).laws().law((1, 2)), EHD.build({}).laws().law((1, 2))):
        with pytest.raises(TypeError):
            product.divergence_from(other)
        with pytest.raises(TypeError):
            other.divergence_from(product)


@pytest.mark.parametrize("kind", ["none", "zero", "rest", "clamped-rest"])
def test_completions_are_injective_and_invertible(kind: str) -> None:
    complete = Completion(kind, 4)  # type: ignore[arg-type]
    vectors = [(a, b) for a in range(-2, 7) for b in range(-2, 7)]
    outputs = [complete(vector) for vector in vectors]
    assert len(set(outputs)) == len(vectors)
    assert [complete.vector(output) for output in outputs] == vectors
    last = {output[-1] for output in outputs}
    if kind == "zero":
        assert last == {0}
    if kind == "rest":
        assert all(sum(output) == 4 for output in outputs)
    if kind == "clamped-rest":
        assert last == {0, 1, 2, 3, 4}
