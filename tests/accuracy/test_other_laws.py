"""Mechanisms whose law is a table, or that have no posterior or no sampler."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from dpaudit.accuracy import error_law, sample_errors
from dpaudit.data.histograms import Counts
from dpaudit.errors import ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.base import HistogramMechanism
from dpaudit.numbers.real import Real, real


@dataclass(frozen=True)
class Table(HistogramMechanism):
    """The data with probability 1/2, else one of the two edges."""

    name: ClassVar = "Table"
    outputs: ClassVar[dict[Hashable, Real]] = {
        (2, 1): real("1/2"),
        (0, 3): real("1/3"),
        (3, 0): real("1/6"),
    }

    def laws(self) -> "Table":
        return self

    def law(self, dataset: Counts) -> ExplicitLaw:
        return ExplicitLaw(self.outputs)


@dataclass(frozen=True)
class Wordy(Table):
    outputs: ClassVar = {"yes": real("1/2"), "no": real("1/2")}


def table(cls: type[Table] = Table) -> Table:
    return cls(real("4/5"), (Fraction(1), Fraction(1)))


def test_a_table_has_an_exact_law() -> None:
    law = error_law(table(), (2, 1), "l1")
    assert [str(group.exact) for group in law.groups] == ["0", "2", "4"]
    assert [group.steps for group in law.groups] == [(0,), (1,), (2,)]
    assert Fraction(5, 3) in law.mean()
    assert Fraction(1, 6) * 4 + Fraction(1, 3) * 16 - Fraction(25, 9) in law.variance()
    for level, value in (("1/2", 0), ("1/2+1e-90", 2), ("2/3", 2), ("2/3 + 1e-90", 4)):
        found = law.quantile(level)
        assert found.decided, level
        assert value in found.value, level
    assert Fraction(1, 2) in law.tail("2")
    assert Fraction(1, 3) in law.tail("2+1e-90")


def test_outputs_that_are_no_counts_have_no_error() -> None:
    with pytest.raises(ParameterError, match="not a tuple of counts"):
        error_law(table(Wordy), (2, 1), "l1").mean()


def test_a_mechanism_without_a_sampler_says_so() -> None:
    with pytest.raises(ParameterError, match="has no sampler"):
        sample_errors(table(), (2, 1), 5, 1)
