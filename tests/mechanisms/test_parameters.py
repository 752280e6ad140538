"""Parameters: defaults, what is allowed, and one clear line for what is not."""

from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest

from dpaudit.data.adjacency import AddRemove, Substitution
from dpaudit.errors import (
    DomainError,
    NumberSyntaxError,
    ParameterError,
    UnknownMechanismError,
    UsageError,
)
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.parameters import parameter_text, read_budget_delta
from dpaudit.mechanisms.registry import (
    NOTES_GROUP,
    mechanism_class,
    mechanism_classes,
    mechanism_groups,
)
from dpaudit.notes.hellinger_exponential import EHD, EHDL, EHDS, MH
from dpaudit.notes.laplace_histogram import LSDim, LSHist, LSZhang, NotesLaplace
from dpaudit.numbers.real import ZERO, real
from tests.oracles.setting import READINGS

DEFAULTS: dict[str, dict[str, object]] = {
    "LSZhang": {"coordinates": "printed"},
    "LSDim": {},
    "LSHist": {},
    "EHD": {"gs": "quoted"},
    "EHDL": {"divisor": real(2)},
    "EHDS": {"gamma": real(1)},
    "MH": {"delta": real("0.0005"), "divisor": real(2), "count": "n+1", "smoothing": "neighbour"},
    "NotesLaplace": {"rounding": "floor", "coordinates": "printed"},
}
"""DESIGN §1: the notes' own defaults, besides ε = 0.8 and α = (1, 1)."""
OF_THE_NOTES = mechanism_groups()[NOTES_GROUP]


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_of_the_notes(name: str) -> None:
    mechanism = mechanism_class(name).build({})
    common = {"epsilon": real("4/5"), "prior": (Fraction(1), Fraction(1))}
    assert mechanism.values() == common | DEFAULTS[name]


@pytest.mark.parametrize("cls", mechanism_classes().values(), ids=lambda cls: str(cls.name))
def test_parameters_are_the_fields_and_say_what_they_mean(cls: Any) -> None:
    assert [p.name for p in cls.parameters] == [f.name for f in fields(cls)]
    for parameter in cls.parameters:
        assert parameter.meaning
        assert parameter.reason
        assert parameter.allowed
        parameter.read(parameter.default)
    assert cls.source
    assert cls.definition
    assert cls.guarantee


@pytest.mark.parametrize("cls", OF_THE_NOTES.values(), ids=lambda cls: str(cls.name))
def test_choices_are_the_readings_of_the_notes(cls: Any) -> None:
    choices = {p.name: {name for name, _ in p.described} for p in cls.parameters if p.described}
    assert choices == {name: set(options) for name, options in READINGS[cls.name].items()}


BAD = [
    (EHD, {"prior": "0,1"}, DomainError, "prior = 0"),
    (EHD, {"prior": "1"}, ParameterError, "two or more"),
    (EHD, {"prior": ""}, NumberSyntaxError, "is not a number"),
    (EHD, {"prior": "1,-2"}, DomainError, "prior = -2"),
    (EHD, {"prior": "pi,1"}, DomainError, "must be rational"),
    (EHD, {"prior": "1,,2"}, NumberSyntaxError, "is not a number"),
    (EHD, {"prior": 3}, ParameterError, "two or more"),
    (EHD, {"prior": None}, ParameterError, "two or more"),
    (EHD, {"prior": (1, True)}, NumberSyntaxError, "bool"),
    (EHD, {"prior": (1, float("nan"))}, NumberSyntaxError, "not finite"),
    (EHD, {"epsilon": "0"}, DomainError, "epsilon = 0"),
    (EHD, {"epsilon": "-1"}, DomainError, "greater than 0"),
    (EHD, {"epsilon": "ln(1)"}, DomainError, "greater than 0"),
    (EHD, {"epsilon": "nan"}, NumberSyntaxError, "not understood"),
    (EHD, {"epsilon": float("inf")}, NumberSyntaxError, "not finite"),
    (EHD, {"epsilon": None}, NumberSyntaxError, "NoneType"),
    (EHD, {"epsilon": True}, NumberSyntaxError, "bool"),
    (EHD, {"gs": "printed"}, ParameterError, "quoted, computed"),
    (EHD, {"gama": 1}, ParameterError, "has no parameter gama"),
    (EHDS, {"gama": 1}, ParameterError, "did you mean gamma"),
    (EHDS, {"gamma": 0}, DomainError, "gamma = 0"),
    (EHDS, {"gamma": "-1/2"}, DomainError, "greater than 0"),
    (EHDS, {"delta": "0.1"}, ParameterError, "has no parameter delta"),
    (EHDL, {"divisor": -3}, DomainError, "must be a number greater than 0"),
    (MH, {"divisor": "0"}, DomainError, "must be a number greater than 0"),
    (MH, {"delta": 0}, DomainError, "greater than 0"),
    (MH, {"delta": 1}, DomainError, "less than 1"),
    (MH, {"delta": "-0.1"}, DomainError, "delta = -1/10"),
    (MH, {"count": "|R|"}, ParameterError, "candidates"),
    (MH, {"smoothing": "neighbor"}, ParameterError, "did you mean neighbour"),
    (NotesLaplace, {"rounding": "ceil"}, ParameterError, "toward-zero"),
    (LSZhang, {"coordinates": "some"}, ParameterError, "printed, all"),
    (LSHist, {"k": 3, "prior": "1,1"}, ParameterError, "prior has 2 parameters but k = 3"),
    (LSHist, {"k": 1}, DomainError, "whole number from 2"),
    (LSHist, {"k": "three"}, NumberSyntaxError, "k = 'three' is not a number"),
    (LSHist, {"k": True}, NumberSyntaxError, "a bool does not count as a number"),
    (LSDim, {"k": 2.5}, DomainError, "whole number"),
]


@pytest.mark.parametrize(("cls", "given", "error", "says"), BAD, ids=str)
def test_bad_values_are_refused_in_one_line(
    cls: Any, given: dict[str, object], error: type[UsageError], says: str
) -> None:
    with pytest.raises(error) as caught:
        cls.build(given)
    assert type(caught.value) is error
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "prior"),
    [
        ({"k": 3}, (1, 1, 1)),
        ({"k": "3"}, (1, 1, 1)),
        ({"prior": "1/2, 0.25,3"}, (Fraction(1, 2), Fraction(1, 4), 3)),
        ({"prior": [0.5, 1]}, (Fraction(1, 2), 1)),
        ({"prior": (2, Fraction(1, 3)), "k": 2}, (2, Fraction(1, 3))),
        ({"k": None}, (1, 1)),
    ],
)
def test_priors_are_read_exactly(given: dict[str, object], prior: tuple[Fraction, ...]) -> None:
    mechanism = LSHist.build(given)
    assert mechanism.prior == prior
    assert all(type(part) is Fraction for part in mechanism.prior)
    assert mechanism.k == len(prior)


def test_building_leaves_what_was_given_alone() -> None:
    given: dict[str, object] = {"k": 3, "epsilon": 1}
    LSHist.build(given)
    assert given == {"k": 3, "epsilon": 1}


@pytest.mark.parametrize("value", [0, "0.5", "1 - 1e-9"])
def test_a_budget_may_have_delta_zero(value: object) -> None:
    assert read_budget_delta(value) == real(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, "1.5", -1, "-1e-9", "2 - 1"])
def test_a_budget_delta_outside_its_range(value: object) -> None:
    with pytest.raises(DomainError, match="at least 0 and less than 1"):
        read_budget_delta(value)


def test_stated_and_nominal_budgets() -> None:
    for name, cls in OF_THE_NOTES.items():
        mechanism = cls.build({"epsilon": "1/3"})
        expected = Budget(real("1/3"), real("0.0005") if name == "MH" else real(0))
        assert mechanism.stated == (None if name == "EHDL" else expected)
        assert mechanism.nominal == expected
    assert str(Budget(real("1/3"), ZERO)) == "ε = 1/3"
    assert str(Budget(real("1/3"), real("0.0005"))) == "(1/3, 1/2000)"


@pytest.mark.parametrize(
    ("cls", "k", "rate"),
    [
        (LSZhang, 2, "2/5"),
        (LSZhang, 4, "2/5"),
        (LSDim, 2, "2/5"),
        (LSDim, 4, "1/5"),
        (LSHist, 2, "4/5"),
        (LSHist, 3, "2/5"),
        (NotesLaplace, 2, "2/5"),
        (NotesLaplace, 3, "2/5"),
    ],
)
def test_noise_scales(cls: Any, k: int, rate: str) -> None:
    assert cls.build({"k": k}).rate == real(rate)


def test_beta_of_each_count() -> None:
    for count, number in (("n", 100), ("n+1", 101), ("candidates", 5151)):
        mechanism = MH.build({"k": 3, "count": count})
        expected = real(f"ln(1 - 0.8/(2*ln(0.0005/(2*{number}))))")
        assert mechanism.beta(100) == expected


def test_relations_and_uniform_data() -> None:
    mechanism = LSHist.build({"k": 3})
    assert isinstance(mechanism.adjacency(), Substitution)
    assert isinstance(mechanism.adjacency("histogram-substitution"), Substitution)
    assert isinstance(mechanism.adjacency("histogram-add-remove"), AddRemove)
    assert isinstance(mechanism.adjacency("substitute"), Substitution)
    with pytest.raises(ParameterError, match="did you mean"):
        mechanism.adjacency("substitutes")
    assert mechanism.uniform(4) == [(1, 1, 2), (1, 2, 1), (2, 1, 1)]


def test_mechanisms_are_found_in_any_case() -> None:
    assert list(OF_THE_NOTES) == list(DEFAULTS)
    for name, cls in mechanism_classes().items():
        assert mechanism_class(name) is mechanism_class(name.lower()) is cls


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("EHSD", "did you mean"),
        ("ls-hist", "LSHist"),
        ("noteslaplce", "did you mean NotesLaplace"),
        ("???", "LSZhang, LSDim"),
        ("", "LSZhang"),
    ],
)
def test_unknown_mechanisms_are_met_with_a_suggestion(name: str, says: str) -> None:
    with pytest.raises(UnknownMechanismError) as caught:
        mechanism_class(name)
    assert says in str(caught.value)
    assert caught.value.name == name


def test_values_as_text() -> None:
    assert parameter_text((Fraction(1, 2), Fraction(3))) == ["1/2", "3"]
    assert parameter_text(real("0.8")) == "4/5"
    assert parameter_text("floor") == "floor"


@pytest.mark.parametrize("name", mechanism_classes())
def test_parameters_come_in_the_order_of_the_fields(name: str) -> None:
    """Reports list values by field and descriptions by parameter: both orders must be one."""
    cls = mechanism_classes()[name]
    assert [parameter.name for parameter in cls.parameters] == list(cls.build({}).values())
