"""Functions of questions that a sweep answers: the steps of each, and one made of a row alone."""

from __future__ import annotations

from inspect import Parameter, Signature, cleandoc
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.api.finished import Sizes, swept
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit.plan import DEFAULT_DIGITS, ENGINES, sizes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dpaudit.api.plans import Held
    from dpaudit.audit.measure import Measure
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.question import Question

__all__ = ["answer", "function_of"]

ReportT = TypeVar("ReportT")

_SHARED: dict[str, tuple[object, str]] = {
    "budget": (
        None,
        "ε in nats, or (ε, δ); by default the budget that the mechanism states, if any.",
    ),
    "at_eps": ((), "also report δ(ε) at these ε."),
    "adjacency": (None, "the neighbouring relation, as for :func:`dpaudit.check`."),
    "at": (None, "only pairs that contain this dataset (counts), or ``uniform`` data."),
    "digits": (DEFAULT_DIGITS, "intervals are at most 10^−digits wide."),
    "engine": (ENGINES[0], "``screen`` or ``ball``, as for :func:`dpaudit.check`."),
}
"""Arguments of every sweep: the default, and what it means."""


def answer(
    measure: Measure[Any, ReportT],
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None,
    parameters: Mapping[str, object],
    *,
    held: Held,
    jobs: int,
    **settings: Any,
) -> ReportT:
    """Return the report of a measure of a mechanism, from the arguments of a public function.

    Args:
        measure: the measure that is computed at each size.
        name: a mechanism's name, a mechanism, or a function of a dataset alone.
        n: the sizes.
        parameters: the mechanism's own.
        held: whether there has to be a budget.
        jobs: number of processes that share the work.
        settings: settings of the plan; see :func:`dpaudit.api.plans.make_plan`.
    """
    subject = chosen(name, parameters, n=n, jobs=jobs, **settings)
    plan = make_plan(subject, held=held, **settings)
    return swept(measure, subject, sizes_of(subject, n), plan, jobs)


def function_of(question: Question) -> Callable[..., Sizes[Any, Any]]:
    """Return the function ``dpaudit.NAME`` of a question with a sweep."""
    sweep = question.sweep
    assert sweep is not None
    shared = {name: kind for name, kind in _SHARED.items() if name not in sweep.without}
    own = {option.name: option for option in sweep.options}

    def function(name: Any, n: Any = None, *, jobs: int = 1, **arguments: Any) -> Sizes[Any, Any]:
        texts = {key: str(arguments.pop(key, option.default)) for key, option in own.items()}
        settings = {key: arguments.pop(key, default) for key, (default, _) in shared.items()}
        measure = resolve_name(sweep.measure)(**texts)
        return Sizes(answer(measure, name, n, arguments, held=sweep.held, jobs=jobs, **settings))

    function.__name__ = function.__qualname__ = question.function_name
    keywords = {
        **{key: option.default for key, option in own.items()},
        **{key: default for key, (default, _) in shared.items()},
        "jobs": 1,
    }
    # Editors and help() show these arguments, not the **keywords that the function is made with.
    function.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("name", Parameter.POSITIONAL_OR_KEYWORD),
            Parameter("n", Parameter.POSITIONAL_OR_KEYWORD, default=None),
            *(
                Parameter(key, Parameter.KEYWORD_ONLY, default=option)
                for key, option in keywords.items()
            ),
            Parameter("parameters", Parameter.VAR_KEYWORD),
        ]
    )
    lines = [
        ("name", "a mechanism's name, or a mechanism (then no ``parameters``)."),
        ("n", "a size, sizes, or text like ``10..180..10``."),
        *((key, option.help) for key, option in own.items()),
        *((key, about) for key, (_, about) in shared.items()),
        ("jobs", "number of processes that share the work; the result does not depend on it."),
        ("parameters", "the mechanism's parameters; numbers as int, Fraction, float or text."),
    ]
    arguments = "\n".join(f"    {key}: {about}" for key, about in lines)
    function.__doc__ = f"{cleandoc(sweep.help)}\n\nArgs:\n{arguments}\n"
    return function
