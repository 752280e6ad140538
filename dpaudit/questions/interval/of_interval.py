"""Base of measures over an interval of a parameter: its mechanism, its ends, its laws."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.audit.measure import Measure, Needs, head
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.mechanisms.parameters import MARK
from dpaudit.numbers.real import rational
from dpaudit.questions.calibrate.size import with_nominal
from dpaudit.questions.interval.pieces import written
from dpaudit.results import NominalEpsilon, symbol_of
from dpaudit.screens.bounds import NotScreened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from dpaudit.audit.plan import Plan
    from dpaudit.laws.over_epsilon import EpsilonFamily
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.interval.reading import Interval

__all__ = ["OfInterval", "told_where_not_screened"]

SizedT = TypeVar("SizedT")
ReportT = TypeVar("ReportT")


@contextmanager
def told_where_not_screened() -> Iterator[None]:
    """Leave a size without a result where its laws are not followed over an interval."""
    try:
        yield
    except NotScreened as reason:
        raise PrecisionError(str(reason)) from None


@dataclass(frozen=True)
class OfInterval(Measure[SizedT, ReportT]):
    """A measure for every value of a parameter in an interval."""

    interval: Interval
    """The values: nominal ε, or those of another parameter."""
    parameter: str = "epsilon"
    """Name of the parameter."""

    @property
    def needs(self) -> Needs:
        return Needs(pairs=False)

    def subject(self, mechanism: Mechanism[Any], plan: Plan) -> Mechanism[Any]:
        """Return the mechanism; ``ParameterError`` for what has no laws over an interval."""
        relation = mechanism.adjacency(plan.adjacency)
        if plan.at is not None or relation.name != mechanism.adjacency().name:
            raise ParameterError(
                self.option,
                f"{self.asked}: over an interval all pairs of the mechanism's own relation "
                f"are looked at; give one {self.symbol} for others",
            )
        if not self.has_laws(mechanism):
            raise ParameterError(
                self.option,
                f"{self.asked}: {mechanism.name} with these parameters has no laws as "
                f"functions of {self.symbol}; give one {self.symbol} at a time",
            )
        own = "epsilon", *(one.name for one in mechanism.parameters)
        if self.parameter not in own:
            raise ParameterError(
                self.option, f"{self.asked}: {mechanism.name} has no parameter {self.parameter}"
            )
        for end in self.interval:  # as each is read
            self.with_value(mechanism, end)
        return mechanism

    def has_laws(self, mechanism: Mechanism[Any]) -> bool:
        """Tell whether the laws of a mechanism are known as functions of the parameter."""
        with suppress(NotScreened):  # which is said where it matters
            return mechanism.over(self.parameter, 1) is not None
        return True

    def family(self, mechanism: Mechanism[Any], n: int) -> EpsilonFamily:
        """Return the laws of one size; ``PrecisionError`` where there are none."""
        found = mechanism.over(self.parameter, n)
        if found is None:
            told = f"{mechanism.name} has no laws as functions of {self.symbol} at n = {n}"
            raise PrecisionError(told)
        return found

    def with_value(self, mechanism: Mechanism[Any], value: Fraction) -> Mechanism[Any]:
        """Return the mechanism with another value of the parameter."""
        if self.parameter == "epsilon":
            return with_nominal(mechanism, rational(value))
        (how,) = (one for one in mechanism.parameters if one.name == self.parameter)
        given = [value] * len(mechanism.values()["prior"]) if how.name == "prior" else value
        return type(mechanism)(**{**mechanism.values(), how.name: how.read(given)})

    @property
    def option(self) -> str:
        """Name of the parameter on a command line."""
        return "eps" if self.parameter == "epsilon" else self.parameter

    @property
    def symbol(self) -> str:
        """Symbol of the parameter in tables and messages."""
        return symbol_of(self.parameter)

    @property
    def asked(self) -> str:
        """The interval as it is asked for."""
        return f"{self.option} = {self.text}"

    @property
    def text(self) -> str:
        """The interval as text."""
        return MARK.join(map(written, self.interval))

    def about(
        self, mechanism: Mechanism[Any], plan: Plan, results: Sequence[SizedT]
    ) -> dict[str, Any]:
        """Return the fields of a report that say what was asked, and over which interval."""
        told = head(mechanism, plan)
        several = len(told["described"].get("prior", ()))
        shown = [self.text] * several if self.parameter == "prior" else self.text
        told["described"] = told["described"] | {self.parameter: shown}
        if self.parameter == "epsilon":
            told["stated"] = None  # it is a function of ε: what the budget says
        first, last = map(written, self.interval)
        interval = NominalEpsilon(first=first, last=last)
        return {**told, "epsilon": interval, "parameter": self.parameter}
