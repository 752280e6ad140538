"""What an author is told: each fault by the check that is about it."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from dpaudit import finite_mechanism, noise, program
from dpaudit.audit.conformance import conformance
from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import TimeCapReached
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.law import Law
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.mechanisms.user import own_mechanism
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import ZERO, real
from dpaudit.results import CHECKS, Status


def failures(mechanism: Mechanism[Any], *sizes: int) -> dict[str, str]:
    found = conformance(mechanism, sizes or (1,))
    assert found.conforms == all(check.status is Status.PASSED for check in found.checks)
    return {check.name: check.message for check in found.checks if check.status is Status.FAILED}


class Faulty(Adjacency[int]):
    """0, 1, 2 in a row; each way of being wrong is a subclass."""

    name = "faulty"

    def datasets(self, n: int) -> Iterable[int]:
        return range(3)

    def dataset_count(self, n: int) -> int:
        return 3

    def pair_count(self, n: int) -> int:
        return 2

    def pairs(self, n: int) -> Iterator[tuple[int, int]]:
        yield from ((0, 1), (1, 2))

    def adjacent(self, left: int, right: int) -> bool:
        return abs(left - right) == 1


class Miscounted(Faulty):
    def pair_count(self, n: int) -> int:
        return 3


class Repeated(Faulty):
    def pairs(self, n: int) -> Iterator[tuple[int, int]]:
        yield from ((0, 1), (1, 0))


class Stranger(Faulty):
    def pairs(self, n: int) -> Iterator[tuple[int, int]]:
        yield from ((0, 1), (2, 3))


class OneWay(Faulty):
    def adjacent(self, left: int, right: int) -> bool:
        return right - left == 1


class Reflexive(Faulty):
    def adjacent(self, left: int, right: int) -> bool:
        return abs(left - right) <= 1


class MoreData(Faulty):
    def dataset_count(self, n: int) -> int:
        return 4


@dataclass(frozen=True)
class Other(Mechanism[int]):
    """A mechanism with a relation and laws of its own classes."""

    relation: Adjacency[int]
    weights: dict[Hashable, Any]

    name: ClassVar = "Other"

    @property
    def stated(self) -> Budget:
        return Budget(real(1), ZERO)

    def adjacency(self, name: str | None = None) -> Adjacency[int]:
        return self.relation

    def laws(self) -> "Other":
        return self

    def law(self, dataset: int) -> Law:
        return ExplicitLaw(self.weights)


HALVES: dict[Hashable, Any] = {0: real("1/2"), 1: real("1/2")}


def test_a_sound_mechanism_of_other_classes_conforms() -> None:
    assert failures(Other(Faulty(), HALVES)) == {}


@pytest.mark.parametrize(
    ("relation", "check", "message"),
    [
        (Miscounted(), "neighbours", "3 pairs are announced"),
        (Repeated(), "neighbours", "is listed twice"),
        (Stranger(), "neighbours", "3 has a neighbour, but is not a dataset"),
        (OneWay(), "neighbours", "not adjacent in both orders"),
        (Reflexive(), "neighbours", "is its own neighbour"),
        (MoreData(), "datasets", "4 are announced"),
    ],
)
def test_a_faulty_relation_is_found(relation: Faulty, check: str, message: str) -> None:
    found = failures(Other(relation, HALVES))
    assert list(found) == [check]
    assert message in found[check]


def test_laws_of_other_classes_are_held_to_their_sums() -> None:
    short: dict[Hashable, Any] = {0: real("1/2"), 1: real("1/3")}
    assert "is 5/6" in failures(Other(Faulty(), short))["laws"]


class Coin:
    budget: ClassVar[Any] = "ln(3)"
    datasets: ClassVar[Any] = [0, 1]

    def law(self, bit: Any) -> dict[Any, Any]:
        return {0: "1/2", 1: "1/2"}


class NoText:
    pass


class Unpicklable:
    def __repr__(self) -> str:
        return "unpicklable"

    def __reduce__(self) -> str:
        raise TypeError("not this one")


ONE, FIXED = NoText(), Unpicklable()


class Stuck(Coin):
    def law(self, bit: Any) -> dict[Any, Any]:
        return {FIXED: 1}


def test_values_have_texts_of_their_own_and_travel() -> None:
    class Memory(Coin):
        def law(self, bit: Any) -> dict[Any, Any]:
            return {ONE: 1}

    class Same(Coin):
        datasets: ClassVar[Any] = [1, "1"]

    assert "differs from run to run" in failures(own_mechanism(Memory()))["texts"]
    assert (
        "two datasets have the same text 1: 1 and '1'" in failures(own_mechanism(Same()))["texts"]
    )
    assert "not this one" in failures(own_mechanism(Stuck()))["processes"]


def test_a_law_that_is_late_leaves_the_rest_unchecked() -> None:
    class Late(Coin):
        def datasets(self, n: int) -> list[tuple[int, int]]:
            return [(n, 0), (n, 1)]

        def law(self, bit: Any) -> dict[Any, Any]:
            if bit == (2, 1):
                raise TimeCapReached  # as the clock does, in the middle of a law
            return {0: "1/2", 1: "1/2"}

        neighbours = "all"

    found = conformance(own_mechanism(Late()), (1, 2, 3), cap=7)
    status = {check.name: check.status for check in found.checks}
    assert status["neighbours"] is Status.PASSED
    assert status["laws"] is status["sums"] is status["texts"] is Status.NOT_REACHED
    assert status["speed"] is Status.FAILED
    assert "the law at (2, 1) took longer than the time cap of 7 s" in found.checks[-1].message


def test_datasets_that_change_are_found() -> None:
    class Moving(Coin):
        calls = 0
        neighbours = "all"

        def datasets(self, n: int) -> list[int]:
            self.calls += 1
            return [0, self.calls]

    assert (
        "a second listing gives different datasets" in failures(own_mechanism(Moving()))["datasets"]
    )


def test_every_check_is_about_something() -> None:
    found = conformance(mechanism_class("EHDS").build({}), (1, 2))
    assert found.conforms
    assert {check.name for check in found.checks} == set(CHECKS) - {"many"}


def endless_noise(x: int) -> Any:
    return noise.geometric("1/2") + x


def a_rest(x: int) -> Any:
    return {x: "1/2", 1 - x: "1/4"}


def noisy_count(x: int, random: Any) -> Any:
    return x + random.discrete_laplace(2)


def noisy_number(x: int, random: Any) -> Any:
    return x + random.laplace(2)


def without_an_end(x: int, random: Any) -> Any:
    while random.bernoulli("1/3"):
        pass
    return x


@pytest.mark.parametrize("law", [endless_noise, a_rest, noisy_count, noisy_number, without_an_end])
def test_laws_that_are_no_tables_conform(law: Any) -> None:
    made: Any = program if law.__code__.co_argcount > 1 else finite_mechanism
    given = {"rest": "1/4"} if law is a_rest else {}
    assert failures(made(datasets=[0, 1], neighbours="all", budget=1, **given)(law)) == {}


def test_what_is_wrong_with_a_law_with_a_rest_is_said() -> None:
    def told(law: Any, rest: str) -> str:
        made = finite_mechanism(datasets=[0, 1], neighbours="all", budget=1, rest=rest)(law)
        return failures(made)["sums"]

    assert "less than 1 − 1/5: the unlisted part is larger" in told(a_rest, "1/5")
    assert "add up to more than 1" in told(lambda x: {0: 1, 1: "1/9"}, "1/5")


def test_an_endless_law_that_changes_does_not_conform() -> None:
    seen: list[int] = []

    def law(x: int) -> Any:
        seen.append(x)
        return noise.geometric(1) + len(seen)

    made = finite_mechanism(datasets=[0, 1], neighbours="all", budget=1)(law)
    assert "two different output distributions" in " ".join(failures(made).values())


@pytest.mark.parametrize(
    ("law", "probabilities", "sums"),
    [
        ({0: "1/2", 1: "1/2"}, "exact", "exactly"),
        ({0: ball(1) / 2, 1: ball(1) / 2}, "exact at 0 of 2 datasets, else balls", "to 128 bits"),
    ],
)
def test_a_report_says_whether_probabilities_are_exact(
    law: dict[Any, Any], probabilities: str, sums: str
) -> None:
    class Told(Coin):
        def law(self, bit: Any) -> dict[Any, Any]:
            return law

    notes = {check.name: check.message for check in conformance(own_mechanism(Told()), (1,)).checks}
    assert notes["probabilities"] == probabilities
    assert notes["sums"] == sums
