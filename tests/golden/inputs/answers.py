"""Mechanisms written out, for the recorded command lines."""

from fractions import Fraction
from typing import Any

from dpaudit import finite_mechanism


@finite_mechanism(budget="ln(3)", datasets=["yes", "no"], neighbours="all")
def randomised_response(answer: str) -> Any:
    """The truth with probability 3/4; the relation is named: all."""
    return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}


class RandomisedResponse:
    """The same with a parameter."""

    budget, neighbours = "ln(3)", "all"

    def __init__(self, p: Fraction = Fraction(3, 4)) -> None:
        self.p = p

    def datasets(self, n: int) -> Any:
        return ["yes", "no"]

    def law(self, answer: str) -> Any:
        return {answer: self.p, "no" if answer == "yes" else "yes": 1 - self.p}


@finite_mechanism(
    budget=("1/2", "1/100"),
    datasets=lambda n: [(a, n - a) for a in range(n + 1)],
    neighbours=lambda x, y: abs(x[0] - y[0]) == 1,
    normalised=False,
)
def softmax(counts: tuple[int, ...]) -> Any:
    """Weights exp(c/4), which the audit divides by their sum."""
    return {index: f"exp({count}/4)" for index, count in enumerate(counts)}


@finite_mechanism(budget="1", datasets=[0, 1, 2], neighbours=[(0, 1), (1, 2)])
def leaky(bit: int) -> Any:
    """Output 2 is impossible at 0: an infinite ε."""
    return {0: {0: "1/2", 1: "1/2"}, 1: {0: "1/4", 1: "1/2", 2: "1/4"}, 2: {1: "1/2", 2: "1/2"}}[
        bit
    ]


class Short:
    """A law that does not add up to 1."""

    budget, neighbours = "1", "all"

    def datasets(self, n: int) -> Any:
        return [0, 1]

    def law(self, bit: int) -> Any:
        return {bit: "3/4", 1 - bit: "1/8"}
