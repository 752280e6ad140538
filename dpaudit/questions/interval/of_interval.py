"""Base of measures over an interval of a parameter: its mechanism, its ends, its laws."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.audit.measure import Measure, Needs, head
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.mechanisms.parameters import MARK
from dpaudit.numbers.real import rational
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

__all__ = ["OfInterval", "without_result_where_unscreened"]

SizedT = TypeVar("SizedT")
ReportT = TypeVar("ReportT")


@contextmanager
def without_result_where_unscreened() -> Iterator[None]:
    """Turn ``NotScreened`` into ``PrecisionError``: the size has no result, the others do."""
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
                f"{self.asked}: an interval is audited over all pairs of the mechanism's own "
                f"relation; give a single {self.symbol} for another relation or for --at",
            )
        if not self.has_laws(mechanism):
            raise ParameterError(
                self.option,
                f"{self.asked}: {mechanism.name} with these parameters cannot be audited over an "
                f"interval of {self.symbol}; give one {self.symbol} at a time",
            )
        own = "epsilon", *(parameter.name for parameter in mechanism.parameters)
        if self.parameter not in own:
            raise ParameterError(
                self.option, f"{self.asked}: {mechanism.name} has no parameter {self.parameter}"
            )
        for end in self.interval:  # each end may be out of the parameter's range
            self.with_value(mechanism, end)
        return mechanism

    def has_laws(self, mechanism: Mechanism[Any]) -> bool:
        """Tell whether the laws of a mechanism are known as functions of the parameter."""
        with suppress(NotScreened):  # the size that cannot be screened says so itself
            return mechanism.over(self.parameter, 1) is not None
        return True

    def family(self, mechanism: Mechanism[Any], n: int) -> EpsilonFamily:
        """Return the laws of one size; ``PrecisionError`` where there are none."""
        found = mechanism.over(self.parameter, n)
        if found is None:
            reason = (
                f"{mechanism.name} cannot be audited over an interval of {self.symbol} at n = {n}"
            )
            raise PrecisionError(reason)
        return found

    def with_value(self, mechanism: Mechanism[Any], value: Fraction) -> Mechanism[Any]:
        """Return the mechanism with another value of the parameter."""
        if self.parameter == "epsilon":
            # Here, as it loads the search for a calibration.
            from dpaudit.questions.calibrate.size import with_nominal

            return with_nominal(mechanism, rational(value))
        (definition,) = (
            parameter for parameter in mechanism.parameters if parameter.name == self.parameter
        )
        values = [value] * len(mechanism.values()["prior"]) if definition.name == "prior" else value
        return type(mechanism)(**{**mechanism.values(), definition.name: definition.read(values)})

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
        fields = head(mechanism, plan)
        several = len(fields["described"].get("prior", ()))
        text = [self.text] * several if self.parameter == "prior" else self.text
        fields["described"] = fields["described"] | {self.parameter: text}
        if self.parameter == "epsilon":
            fields["stated"] = None  # it is a function of ε: what the budget says
        first, last = map(written, self.interval)
        interval = NominalEpsilon(first=first, last=last)
        return {**fields, "epsilon": interval, "parameter": self.parameter}
