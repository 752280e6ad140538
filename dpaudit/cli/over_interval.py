"""Intervals of parameters on the command line: what is measured over them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.cli.measuring import measure
from dpaudit.cli.parameter_options import OPTION_NAMES
from dpaudit.cli.reading import given_parameters
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import intervals_among

if TYPE_CHECKING:
    from dpaudit.audit.measure import Measure
    from dpaudit.intervals.asked import Interval

__all__ = ["INTERVAL_HELP", "curves_over", "interval_measure"]

INTERVAL_HELP = {
    "more_epsilon": " FIRST..LAST is every real ε between the two, a continuum, as 10..180 of --n "
    "is every whole size between: each is held to itself, or to the constant of --budget. So may "
    "--gamma, --delta, --scale, --sigma or --prior be given, one of them."
}
"""What the help of commands says that take an interval of ε."""


def interval_measure(
    names: tuple[str, ...],
    given: Mapping[str, Any],
    command: str,
    wanted: Callable[[Interval, str], Measure[Any, Any]] | None = None,
    **instead: Any,
) -> int | None:
    """Measure over an interval of a parameter; None where the options ask for none.

    Args:
        names: the mechanisms.
        given: what the options say.
        command: what files that are not named are named after.
        wanted: makes the measure of the interval and its parameter: by default an audit.
        instead: what is taken for some options, whatever they say.
    """
    parameters = given_parameters(given)
    if not intervals_among(parameters):
        return None
    from dpaudit.intervals.asked import end_of, interval_among
    from dpaudit.intervals.measure import OverInterval

    found = interval_among(parameters)
    assert found is not None, "one is an interval"
    name, interval = found
    text = parameters[name]
    for other, flag in _NOT_OVER_INTERVALS.items():
        if given.get(other) and not (wanted is not None and other == "at_eps"):
            option = OPTION_NAMES.get(name, name)
            raise ParameterError(
                option, f"{option} = {text}: an interval does not go together with {flag}"
            )
    constant = given["budget"] is not None
    measured = OverInterval(interval, name, constant) if wanted is None else wanted(interval, name)
    parameters[name] = end_of(name, text, interval, given["k"])
    settings = {f"p_{key}": value for key, value in parameters.items()}
    return measure(
        names,
        # The mechanism itself is read with one end; nothing is said about it.
        {**given, **settings, "settings": (), "at_eps": given.get("at_eps"), **instead},
        command,
        lambda tasks, data: [replace(task, measure=measured) for task in tasks],
    )


_NOT_OVER_INTERVALS = {
    "at": "--at",
    "at_eps": "--at-eps",
    "adjacency": "--adjacency",
    "data": "--data",
    "notion": "--notion",
    "export": "--export",
    "conformance": "--conformance",
    "resume": "--resume",
}
"""What is about one ε, or one dataset."""


def curves_over(names: tuple[str, ...], given: Mapping[str, Any]) -> int | None:
    """Give the privacy curve for every value of a parameter in an interval."""
    from dpaudit.intervals.curves import CurvesOverInterval, read_ratios

    constant = given["budget"] is not None

    def wanted(interval: Interval, name: str) -> Measure[Any, Any]:
        others = constant or bool(given["at_eps"])
        ratios = read_ratios(given["at_ratio"], name, others=others)
        return CurvesOverInterval(interval, name, ratios, constant)

    # Without a budget none is of account here; 1 keeps the plan from asking for one.
    budget = given["budget"] if constant else "1"
    code = interval_measure(names, given, "curve", wanted, budget=budget)
    if code is None and given["at_ratio"] is not None:
        raise ParameterError("at-ratio", "--at-ratio needs an interval, as --eps 1/10..2")
    return code
