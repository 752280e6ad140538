"""What Python callers give: nothing is cut, passed over or taken for a pass."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.errors import LawError, ParameterError, SizeError, UsageError
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.user import FiniteMechanism, own_mechanism
from dpaudit.numbers.real import ONE, ZERO, real
from dpaudit.testing import assert_private

Law = Callable[[int], Mapping[int, str]]


def honest(bit: int) -> dict[int, str]:
    return {bit: "3/4", 1 - bit: "1/4"}


def own(budget: Any = "ln(3)", **more: Any) -> FiniteMechanism:
    described = type("Coin", (), {"budget": budget, "datasets": range(32), **more})()
    described.law = lambda bit: honest(bit % 2)
    return own_mechanism(described)


@pytest.mark.parametrize(
    "given", [1.0, "1.0", True, np.True_, b"1", "1..2..0", "1.." + "9" * 5000, "١", [[1]], 1j]
)
def test_what_is_no_size_is_refused(given: Any) -> None:
    with pytest.raises(SizeError):
        dpaudit.check("LSHist", given)


@pytest.mark.parametrize("given", [np.int64(3), [np.int64(3)], np.array([3, 3]), (3,), "3"])
def test_whole_numbers_of_numpy_are_sizes(given: Any) -> None:
    found = dpaudit.check("LSHist", given)
    assert [type(result.n) for result in found.results] == [int]
    assert found.only.n == 3


@pytest.mark.parametrize("given", [(2.9, 1.2), (True, 2), "2.9,1.2", "1_0,2", ("x", 2), [None]])
def test_counts_are_not_cut(given: Any) -> None:
    with pytest.raises(ParameterError, match="must be counts"):
        dpaudit.check("LSHist", 3, at=given)


def test_one_number_is_no_histogram() -> None:
    five: Any = 5
    with pytest.raises(SizeError, match="its counts must be 2 numbers"):
        dpaudit.check("LSHist", 3, at=five)


def test_numpy_numbers_are_read_exactly() -> None:
    seven: Any = np.int64(7)
    counts: Any = np.array([1, 2])
    assert real(seven) == real(7)
    assert dpaudit.check("LSHist", 3, eps=np.int64(1), at=counts).only.n == 3
    with pytest.raises(UsageError, match="does not count as a number"):
        real(np.True_)  # type: ignore[arg-type]


def test_further_epsilons_may_be_one_number_or_a_text() -> None:
    for given, count in ((1, 1), ("1", 1), ("1,2", 2), ([1, 2], 2)):
        found = dpaudit.check("LSHist", 3, at_eps=given)  # type: ignore[arg-type]
        assert len(found.only.curve) == count


def test_parameters_of_a_mechanism_that_is_given_are_not_passed_over() -> None:
    subject = own()
    for call in (
        lambda: dpaudit.check(subject, 1, eps=9),
        lambda: dpaudit.curve(subject, 1, eps=9),
        lambda: assert_private(subject, budget=2, gamma=3),
    ):
        with pytest.raises(ParameterError, match="is a mechanism already and takes no"):
            call()


def test_a_budget_given_as_a_parameter_is_not_passed_over() -> None:
    with pytest.raises(ParameterError, match="takes no delta; for a budget, give budget="):
        assert_private(own(), delta=0)
    with pytest.raises(AssertionError, match="not private"):
        assert_private(own(), budget=1)


@pytest.mark.parametrize(
    "budget", [Budget(real("1/10"), ONE), Budget(real(-1), ZERO), Budget(ZERO, ZERO)]
)
def test_a_stated_budget_is_one(budget: Budget) -> None:
    with pytest.raises(UsageError, match="must be"):
        own(budget)
    subject = own()
    object.__setattr__(subject, "claim", budget)
    with pytest.raises(UsageError, match="must be"):
        dpaudit.check(subject, 1)


def test_laws_of_many_that_are_all_the_same_do_not_pass() -> None:
    """The commonest slip: the laws of many datasets are all that of the first."""

    def laws(self: object, datasets: list[int]) -> list[Mapping[int, str]]:
        return [honest(datasets[0] % 2) for _ in datasets]

    with pytest.raises(LawError, match="different output distributions"):
        dpaudit.check(own(laws=laws), 1, budget="1/100")


def _account(**given: Any) -> Any:
    return dpaudit.account("Laplace", scale=5, at_eps=["3/5"], **given)


@pytest.mark.parametrize("runs", [2.5, "2", None, True, 0, -1, [2.5], ["2"]])
def test_what_is_no_number_of_runs_is_refused(runs: Any) -> None:
    """A half of a run was composed."""
    with pytest.raises(UsageError, match="compose = "):
        _account(compose=runs)
    one = runs[0] if isinstance(runs, list) else runs
    with pytest.raises(UsageError, match="compose = "):
        _account(then=[dpaudit.Run(dpaudit.mechanism("Laplace", scale=5), one)])


@pytest.mark.parametrize("then", ["Laplace", [5], 5, [dpaudit.Run("Laplace", 1)]])  # type: ignore[arg-type]
def test_what_is_no_run_is_refused(then: Any) -> None:
    with pytest.raises(UsageError, match="then: must be a list of"):
        _account(then=then)


def test_a_recheck_of_no_report_is_refused() -> None:
    with pytest.raises(UsageError, match="path = None"):
        dpaudit.verify(None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="own = 5"):
        dpaudit.verify("report.json", own=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        dpaudit.verify("report.json", own="missing.py:mine")
