"""dp-accounting's distributions of audited mechanisms, and what is said about them."""

import sys
from collections.abc import Hashable
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.api import mechanism
from dpaudit.audit.curve import privacy_curve
from dpaudit.errors import DomainError, MissingExtraError, ParameterError, SizeError
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import upper_fraction
from dpaudit.numbers.enclosure import Enclosure, enclose_real
from dpaudit.numbers.real import real
from dpaudit.questions.account.comparison import Standing, account, excess, float_below, standing
from dpaudit.questions.account.dominating import dominating_pair
from dpaudit.questions.account.export import (
    accounting_plan,
    dominating_distribution,
    pair_distribution,
    read_discretisation,
    to_dp_accounting,
)
from dpaudit.results.comparing import float_down, float_up

FLOAT_ERROR = Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("name", "n"), [("EHDS", 12), ("LSHist", 8), ("MH", 9), ("NotesLaplace", 4)]
)
@pytest.mark.parametrize("of", ["dominating", "worst-pairs"])
def test_an_exported_distribution_is_above_the_curve(name: str, n: int, of: str) -> None:
    found = to_dp_accounting(name, n, of=of, discretisation="1e-3")  # type: ignore[arg-type]
    curve = dpaudit.curve(name, n).curves[0]
    for text in ("0", "1/10", "1/4", "7/10"):
        truth = curve.delta(real(text), 25).value
        estimate = Fraction(found.delta(float_below(real(text))))
        assert estimate >= Fraction(truth.lower) - FLOAT_ERROR
        assert estimate <= Fraction(truth.upper) + Fraction(1, 500)
    assert found.sound_for_composition is (of == "dominating")


def test_optimistic_distributions_are_below() -> None:
    found = to_dp_accounting("EHDS", 12, of="worst-pairs", pessimistic=False)
    truth = dpaudit.curve("EHDS", 12).curves[0].delta(real("1/10"), 25).value
    assert Fraction(found.delta(0.1)) <= Fraction(truth.upper) + FLOAT_ERROR
    assert "Losses are rounded down" in found.note


def test_the_notes_say_what_is_sound() -> None:
    dominating = to_dp_accounting("LSHist", 5)
    pairs = to_dp_accounting("LSHist", 5, of="worst-pairs")
    assert "Sound" in dominating.note
    assert "adaptive" in dominating.note
    assert "Not sound for composition" in pairs.note
    for found in (dominating, pairs):
        assert "in floating point without an error bound" in found.note


def test_the_note_says_that_pairs_were_chosen() -> None:
    assert "it covers no others" in to_dp_accounting("LSHist", 4, at=(2, 2)).note
    assert "it covers no others" not in to_dp_accounting("LSHist", 4).note


def test_the_distributions_compose_in_the_library() -> None:
    found = to_dp_accounting("LSHist", 5)
    composed = found.pld.self_compose(4)
    rows = account("LSHist", 5, ["1"], compose=4).rows
    assert composed.get_delta_for_epsilon(1.0) >= float(rows[0].delta.value.lower) - 1e-12


def test_only_one_distribution_is_the_distribution() -> None:
    found = to_dp_accounting("EHDS", 12, of="worst-pairs")
    assert len(found.distributions) > 1
    with pytest.raises(ValueError, match="pairs are each the worst at some ε; read"):
        _ = found.pld


def test_losses_and_masses_are_rounded_outward() -> None:
    subject = mechanism("EHDS")
    pair = dominating_pair(privacy_curve(subject, 10, accounting_plan(subject)))
    step = 1e-3
    pld = dominating_distribution(pair, step)
    losses, masses = pld._pmf_remove._get_losses_probs()
    assert sum(map(Fraction, masses)) >= 1
    total = Fraction(0)
    for loss, mass in sorted(pair.losses(), key=lambda item: -float(item[0])):
        total += Fraction(mass, 1 << pair.bits)
        above = [
            Fraction(m)
            for at, m in zip(losses, masses, strict=True)
            if Fraction(at) >= upper_fraction(loss)
        ]
        assert sum(above) >= total


def test_a_missing_library_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "dp_accounting"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'dpaudit\[accounting\]'"):
        to_dp_accounting("LSHist", 5)
    with pytest.raises(MissingExtraError):
        account("LSHist", 5, ["1/2"])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean dominating"):
        to_dp_accounting("LSHist", 5, of="dominatin")  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match="a dominating pair is always an upper estimate; leave"
    ):
        to_dp_accounting("LSHist", 5, pessimistic=False)
    for bad in ("0", "-1", "2", "1e-12", "ln(2)"):
        with pytest.raises(DomainError, match="from 1e-9 to 1"):
            read_discretisation(bad)
    with pytest.raises(ParameterError, match="the list of ε is empty; give at least one"):
        account("LSHist", 5, [])
    with pytest.raises(SizeError):
        account("LSHist", 0, ["1"])


def test_a_mechanism_that_states_nothing_can_be_exported() -> None:
    @finite_mechanism(datasets=[0, 1])
    def own(bit: int) -> dict[Hashable, str]:
        return {bit: "2/3", 1 - bit: "1/3"}

    assert to_dp_accounting(own, 1).delta(0.0) == pytest.approx(1 / 3, abs=1e-4)
    (row,) = account(own, 1, ["0"]).rows
    assert row.delta.value.exact == real("1/3")


def test_an_unlisted_tail_counts_in_full_against_privacy() -> None:
    subject = mechanism("NotesLaplace")
    book = subject.laws()
    divergence = book.law((2, 3)).divergence_from(book.law((3, 2)))

    class Shortened(type(divergence)):  # type: ignore[misc]
        def atoms(self, *, forward: bool):  # type: ignore[no-untyped-def]
            return list(super().atoms(forward=forward))[:-1]

    divergence.__class__ = Shortened
    pessimistic = pair_distribution(divergence, 1e-3)
    optimistic = pair_distribution(divergence, 1e-3, pessimistic=False)
    assert pessimistic.get_delta_for_epsilon(30.0) > 0.1
    assert optimistic.get_delta_for_epsilon(30.0) < 1e-9


def test_standings_are_exact() -> None:
    value = enclose_real(real("1/10"), 30)
    assert standing(0.1, value) is Standing.ABOVE  # the float is above one tenth
    below = float_down(Fraction(1, 10))
    assert standing(below, value) is Standing.BELOW
    assert excess(below, value) < 0 < excess(float_up(Fraction(1, 10)), value)
    wide = Enclosure(value.lower - value.lower / 2, value.upper * 2)
    assert standing(0.1, wide) is Standing.WITHIN
    assert excess(0.1, wide) == 0
    assert excess(0.0, wide) == -Fraction(wide.lower)


def test_epsilons_are_handed_over_rounded_down() -> None:
    for text in ("4/5", "1/10", "ln(3)", "0", "3"):
        given = Fraction(float_below(real(text)))
        with_next = Fraction(float_up(given + Fraction(1, 10**30)))
        assert given <= upper_fraction(real(text).ball())
        assert with_next > given
    assert Fraction(float_below(real("4/5"))) < Fraction(4, 5) < Fraction(0.8)


def test_a_planted_underestimate_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    original = PrivacyLossDistribution.get_delta_for_epsilon
    monkeypatch.setattr(
        PrivacyLossDistribution,
        "get_delta_for_epsilon",
        lambda self, epsilon: original(self, epsilon) * (1 - 1e-3),
    )
    found = account("EHDS", 10, ["0", "1/5", "4/5"])
    assert [row.below for row in found.rows] == [True, True, False]
    assert len(found.below) == 2
