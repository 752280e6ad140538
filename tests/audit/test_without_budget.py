"""Audits and curves of what states no budget: the realised ε, some δ, and no verdict."""

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.api.plans import make_plan
from dpaudit.audit.certify import EpsilonDelta, audit_size
from dpaudit.audit.verdicts import NOT_ENCLOSED, judged_again
from dpaudit.errors import ParameterError
from dpaudit.kernel.export import EXPORTS, export
from dpaudit.numbers.real import real
from dpaudit.questions.check.figure import plot_realised
from dpaudit.report.figures.curves import plot_curves
from dpaudit.results import Enclosure
from dpaudit.testing import assert_private

TRUE, FALSE = Fraction(3, 4), Fraction(1, 4)


@dpaudit.finite_mechanism(datasets=["yes", "no"], neighbours="all")
def response(answer: str) -> dict[str, Fraction]:
    return {answer: TRUE, "no" if answer == "yes" else "yes": FALSE}


@dpaudit.finite_mechanism(datasets=["yes", "no"], neighbours="all")
def leaky(answer: str) -> dict[str, Fraction]:
    return {answer: TRUE, "other": FALSE}


@dpaudit.finite_mechanism(datasets=["yes", "no"], neighbours="all", budget="ln(3)")
def stated(answer: str) -> dict[str, Fraction]:
    return {answer: TRUE, "no" if answer == "yes" else "yes": FALSE}


def test_the_realised_epsilon_and_some_deltas_are_given() -> None:
    found = dpaudit.check(response)
    assert (found.verdict, found.delta, found.audit.budget) == (None, None, None)
    assert found.epsilon.exact == real("ln(3)")
    assert [str(point.epsilon) for point in found.only.curve] == ["1/2", "1", "2"]
    assert found.only.curve[0].exact == real("3/4 - exp(1/2)/4")
    assert (found.witness.x, found.witness.y, found.witness.output) == ("yes", "no", "yes")
    assert found.audit.enclosed
    assert found.only.reason == ""
    with pytest.raises(ValueError, match="no budget"):
        _ = found.delta_held


def test_the_epsilons_that_are_named_are_taken() -> None:
    found = dpaudit.check(response, at_eps=["0"])
    assert [str(point) for point in found.only.curve] == ["0.5"]


def test_the_numbers_are_those_of_an_audit_with_a_budget() -> None:
    alone = dpaudit.check(response, at_eps=["1/3"]).only
    beside = dpaudit.check(response, budget=2, at_eps=["1/3"]).only
    assert (alone.epsilon, alone.curve, alone.witness) == (
        beside.epsilon,
        beside.curve,
        beside.witness,
    )


def test_an_infinite_epsilon_is_an_answer() -> None:
    found = dpaudit.check(leaky)
    assert found.epsilon.lower.is_infinite()
    assert found.audit.enclosed
    assert "ε is infinite" in str(found)


def test_a_budget_that_is_stated_or_nominal_is_held_to() -> None:
    assert dpaudit.check(stated).verdict == "within"
    assert str(dpaudit.check("NotesLaplace", 5).audit.budget) == "ε = 4/5"


def test_a_curve_needs_no_budget() -> None:
    found = dpaudit.curve(response)
    assert found.audit.budget is None
    assert [str(point.epsilon) for point in found.curves[0].values] == ["1/2", "1", "2"]
    assert len(plot_curves([found.audit]).axes) == 1
    assert len(plot_curves([dpaudit.curve(leaky).audit]).axes) == 1


def test_the_figure_shows_no_budget() -> None:
    audits = [dpaudit.check(response).audit, dpaudit.check(stated).audit]
    assert len(plot_realised(audits[:1]).axes) == 1
    assert len(plot_realised(audits).axes) == 1
    with pytest.raises(ValueError, match="without a budget"):
        plot_realised(audits[:1], quantity="delta")


def test_no_verdict_is_made_of_the_numbers_of_another_process() -> None:
    plan = make_plan(response, held="if stated")
    result = audit_size(response, 1, plan)
    assert judged_again(result, None, 1) == result
    within = replace(result, verdict=dpaudit.Verdict.WITHIN)
    assert judged_again(within, None, 1).verdict is None
    open_above = replace(result, epsilon=Enclosure(Decimal(1), Decimal("Infinity")), reason="")
    assert judged_again(open_above, None, 1).reason == NOT_ENCLOSED
    with pytest.raises(ValueError, match="no δ is given at"):
        judged_again(result, make_plan(stated).budget, 1)
    other = audit_size(stated, 1, make_plan(stated))
    with pytest.raises(ValueError, match="but no budget"):
        judged_again(other, None, 1)


def test_what_was_not_covered_leaves_the_answer_open() -> None:
    plan = make_plan(response, held="if stated")
    result = audit_size(response, 1, plan)
    some = replace(result, pairs_covered=0, reason="0 of 1 pairs were covered")
    report = EpsilonDelta().report(response, (1,), plan, [some])
    assert report.verdict is None
    assert not report.enclosed
    assert not EpsilonDelta().report(response, (1, 2), plan, [result]).enclosed


def test_a_size_that_is_stopped_bounds_epsilon_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    from dpaudit.audit import certify

    plan = make_plan(response, held="if stated", engine="ball")
    passes: list[Any] = []
    audit_size(response, 1, plan, passes=passes)
    passes[-1].covered = 0
    monkeypatch.setattr(type(response), "laws_at_hand", lambda self: ["yes", "no"])
    found = certify._from_below(response, 1, plan, passes)
    assert found is not None
    assert (found.verdict, found.delta) == (None, None)
    assert found.epsilon.upper.is_infinite()
    assert {point.upper for point in found.curve} == {Decimal(1)}
    assert "it was stopped when 0 of 1 pairs" in found.reason


@pytest.mark.parametrize("kind", list(EXPORTS))
def test_what_another_checker_accepts_needs_a_budget(kind: str) -> None:
    plan = dataclasses.replace(make_plan(stated), budget=None)
    with pytest.raises(ParameterError, match=r"no budget is stated; give one \(--budget\)"):
        export(kind, stated, 1, plan)


def test_what_is_about_a_budget_asks_for_one() -> None:
    for ask in (
        lambda: assert_private(response),
        lambda: assert_private(response, notion="kl"),
        lambda: dpaudit.check_notion(response, 1, "zcdp"),
        lambda: dpaudit.calibrate(response, 1),
        lambda: make_plan(response),
    ):
        with pytest.raises(ParameterError, match="states no budget"):
            ask()


def test_what_is_about_none_never_asks() -> None:
    assert make_plan(stated, held="never").budget is None
    assert dpaudit.tradeoff(response).results[0].mu.lower > 1
    assert dpaudit.check_notion(response, 1, "tv", budget="1/2").verdict == "within"
