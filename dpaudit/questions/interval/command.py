"""Intervals in the commands of other questions: what is measured then, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.cli.measuring import measure
from dpaudit.cli.parameter_options import OPTION_NAMES
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import intervals_among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.audit.measure import Measure
    from dpaudit.cli.request import SweepRequest
    from dpaudit.questions.interval.reading import Interval

__all__ = ["INTERVAL_HELP", "interval_measure"]

INTERVAL_HELP = {
    "more_epsilon": (
        " FIRST..LAST covers every real ε between the two ends. Each ε is compared with "
        "itself as its budget, or, with --budget, with that constant. Instead of ε, one of "
        "--gamma, --delta, --scale, --sigma and --prior may be such an interval."
    )
}
"""Help of the options of commands that take an interval of ε."""

_NOT_OVER_INTERVALS = {
    "at": "--at",
    "at_eps": "--at-eps",
    "at_delta": "--at-delta",
    "adjacency": "--adjacency",
    "data": "--data",
    "resume": "--resume",
}
"""Options about one ε, or about one dataset."""


def interval_measure(
    names: tuple[str, ...],
    request: SweepRequest,
    command: str,
    measure_of: Callable[[Interval, str], Measure[Any, Any]] | None = None,
    others: Mapping[str, object] | None = None,
) -> int | None:
    """Measure over an interval of a parameter; None where the options ask for none.

    Args:
        names: the mechanisms.
        request: the options.
        command: name of the command, which default names of files start with.
        measure_of: makes the measure of the interval and its parameter: by default an audit.
        others: further options by flag that do not go together with an interval.
    """
    parameters = dict(request.parameters)
    if not intervals_among(parameters):
        return None
    # an audit at one ε does not wait for these
    from dpaudit.questions.interval.measure import OverInterval
    from dpaudit.questions.interval.reading import end_of, interval_among

    named_interval = interval_among(parameters)
    assert named_interval is not None, "one is an interval"
    name, interval = named_interval
    text = parameters[name]
    of_request = {
        flag: getattr(request, attribute) for attribute, flag in _NOT_OVER_INTERVALS.items()
    }
    for flag, value in {**of_request, **(others or {})}.items():
        if value and not (measure_of is not None and flag == "--at-eps"):
            option = OPTION_NAMES.get(name, name)
            raise ParameterError(
                option,
                f"{option} = {text}: an interval cannot be combined with {flag}; leave one out",
            )
    constant = request.budget is not None
    measured = (
        OverInterval(interval, name, constant) if measure_of is None else measure_of(interval, name)
    )
    parameters[name] = end_of(name, text, interval, request.k)
    return measure(
        names,
        replace(request, parameters=parameters),  # one end stands for all: the measure varies it
        command,
        lambda tasks, data: [replace(task, measure=measured) for task in tasks],
    )
