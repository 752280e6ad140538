"""Options that ``check`` and ``curve`` share, made from the parameters of the mechanisms."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dpaudit.api import make_plan
from dpaudit.audit.plan import ENGINES, Pairs
from dpaudit.audit.sizes import read_sizes
from dpaudit.cli.run import OUTPUT, Task
from dpaudit.errors import ParameterError, SizeError
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import mechanism_class, mechanism_classes
from dpaudit.report.render import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "audit_options",
    "audit_options_without",
    "parameter_options",
    "read_mechanisms",
    "read_tasks",
]

_OPTION_NAMES = {"epsilon": "eps"}
_LISTS = ("epsilon", "delta", "gamma")


def _parameters() -> dict[str, tuple[Parameter, list[str]]]:
    """Return every parameter of any mechanism, with the names of the mechanisms that have it."""
    found: dict[str, tuple[Parameter, list[str]]] = {}
    for cls in mechanism_classes().values():
        for parameter in cls.parameters:
            found.setdefault(parameter.name, (parameter, []))[1].append(cls.name)
    return found


def parameter_options(
    several_of: tuple[str, ...] = _LISTS,
) -> list[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """Return an option for every parameter of any mechanism but k; ``several_of`` take a list."""
    return [
        click.option(
            f"--{_OPTION_NAMES.get(name, name)}",
            f"p_{name}",
            metavar=_metavar(name, owners),
            help=_help(owners, several=name in several_of),
        )
        for name, owners in _described().items()
        if name != "k"
    ]


def _described() -> dict[str, dict[str, Parameter]]:
    """Return every parameter of any mechanism, as each mechanism that has it describes it."""
    found: dict[str, dict[str, Parameter]] = {}
    for cls in mechanism_classes().values():
        for parameter in cls.parameters:
            found.setdefault(parameter.name, {})[cls.name] = parameter
    return found


def _help(owners: Mapping[str, Parameter], *, several: bool) -> str:
    """Return what the option of a parameter means, for each of the mechanisms that have it."""
    described: dict[tuple[str, str], list[str]] = {}
    for owner, parameter in owners.items():
        described.setdefault((parameter.meaning, parameter.default), []).append(owner)
    also = "; several, joined by commas, are audited each" if several else ""
    texts = []
    for (meaning, default), names in described.items():
        whose = "" if len(names) == len(mechanism_classes()) else f" [{', '.join(names)}]"
        texts.append(f"{meaning[0].upper()}{meaning[1:]}{also}{whose}; default {default}.")
    return " ".join(texts)


def _metavar(name: str, owners: Mapping[str, Parameter]) -> str:
    """Return what the option of a parameter takes."""
    choices = dict.fromkeys(
        choice
        for parameter in owners.values()
        if isinstance(parameter, ChoiceParameter)
        for choice, _ in parameter.choices
    )
    return f"[{'|'.join(choices)}]" if choices else {"prior": "A,B,..."}.get(name, "NUMBER")


def audit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options of an audit to a command."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.argument("mechanisms", nargs=-1, required=True, metavar="MECHANISM..."),
        click.option(
            "--n", "sizes", metavar="SIZES", help="Sizes: 10..180, 10..180..10, 10,20,40."
        ),
        click.option(
            "--k",
            type=int,
            help="Categories; without --prior, a flat prior over them. The number of values "
            f"[{', '.join(_parameters()['k'][1])}].",
        ),
        *parameter_options(),
        click.option(
            "--budget",
            metavar="EPS[,DELTA]",
            help="What the verdict is about; default: what the mechanism states.",
        ),
        click.option("--at", metavar="COUNTS|uniform", help="Only pairs that contain this data."),
        click.option("--at-eps", metavar="LIST", help="Further ε at which δ(ε) is wanted."),
        click.option(
            "--adjacency",
            metavar="[substitution|add-remove]",
            help="Which datasets are neighbours; default substitution.",
        ),
        click.option(
            "--digits",
            type=int,
            default=12,
            show_default=True,
            help="Intervals are at most 10^-DIGITS wide.",
        ),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default=ENGINES[0],
            show_default=True,
            help="screen: floats with proved bounds, then balls for what they leave; ball: balls "
            "throughout. The findings are the same.",
        ),
        click.option(
            "--jobs",
            metavar="N",
            help="Processes that share the sizes, and a long size; default: as many as pay off.",
        ),
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Use the workers of the Dask scheduler there, as tcp://HOST:8786.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMS),
            default="text",
            show_default=True,
            help="The form of the report.",
        ),
        click.option("--output", metavar="FILE", help="Write the report to FILE, not to stdout."),
        click.option(
            "--resume",
            metavar="[FILE]",
            is_flag=False,
            flag_value=OUTPUT,
            help="Keep the sizes that the JSON report FILE of an interrupted run has finished; "
            f"default: {OUTPUT}, if it exists.",
        ),
        click.option(
            "--plot",
            "plots",
            metavar="FILE",
            multiple=True,
            help="Write the plot to FILE (.png, .svg, .pdf); may be repeated. Default, for the "
            "text form: a PNG in dpaudit-results.",
        ),
        click.option("--no-plot", is_flag=True, help="Write no plot."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def audit_options_without(
    *left_out: str, texts: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return :func:`audit_options` without some, by parameter name, and some with other texts."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        before = list(getattr(function, "__click_params__", []))
        decorated = audit_options(function)
        parameters: list[click.Parameter] = decorated.__click_params__  # type: ignore[attr-defined]
        added = [p for p in parameters[len(before) :] if p.name not in left_out]
        for parameter in added:
            if isinstance(parameter, click.Option) and parameter.name in (texts or {}):
                parameter.help = (texts or {})[parameter.name]
        parameters[len(before) :] = added
        return decorated

    return decorate


def read_tasks(names: tuple[str, ...], given: Mapping[str, Any]) -> list[Task]:
    """Return one task for each mechanism and each combination of listed parameters."""
    return [_task(mechanism, given) for mechanism in read_mechanisms(names, given)]


def read_mechanisms(names: tuple[str, ...], given: Mapping[str, Any]) -> list[Mechanism[Any]]:
    """Return each mechanism with each combination of listed parameters, once."""
    chosen = {
        key.removeprefix("p_"): value
        for key, value in given.items()
        if key.startswith("p_") and value is not None
    }
    classes = [mechanism_class(name) for name in names]
    for name in chosen:
        owners = _parameters()[name][1]
        if not any(cls.name in owners for cls in classes):
            flag = _OPTION_NAMES.get(name, name)
            hint = " (to audit against another budget, use --budget)" if name == "delta" else ""
            raise ParameterError(
                name,
                f"--{flag}: {' and '.join(cls.name for cls in classes)} "
                f"{'has' if len(classes) == 1 else 'have'} no such parameter; "
                f"{', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it{hint}",
            )
    mechanisms = [
        mechanism for cls in classes for mechanism in _combinations(cls, chosen, given["k"])
    ]
    return list(dict.fromkeys(mechanisms))


def _combinations(
    cls: type[Mechanism[Any]], chosen: Mapping[str, str], k: int | None
) -> list[Mechanism[Any]]:
    own = {parameter.name for parameter in cls.parameters}
    fixed: dict[str, object] = {
        name: value for name, value in chosen.items() if name in own and name not in _LISTS
    }
    if k is not None:
        fixed["k"] = k
    lists = [
        [(name, value) for value in chosen[name].split(",")]
        for name in _LISTS
        if name in chosen and name in own
    ]
    return [cls.build({**fixed, **dict(combination)}) for combination in product(*lists)]


def _task(mechanism: Mechanism[Any], given: Mapping[str, Any]) -> Task:
    at = given["at"]
    plan = make_plan(
        mechanism,
        budget=given["budget"],
        at_eps=given["at_eps"].split(",") if given["at_eps"] else (),
        adjacency=given["adjacency"],
        at=at,
        digits=given["digits"],
        engine=given["engine"],
    )
    if given["sizes"] is None:
        if isinstance(plan.at, tuple):
            sizes = read_sizes(mechanism.size(plan.at))
        elif mechanism.default_size is not None:
            sizes = (mechanism.default_size,)
        else:
            raise SizeError("--n is needed: sizes as 10..180, 10..180..10 or 10,20,40")
    else:
        sizes = read_sizes(given["sizes"])
    for n in sizes:
        Pairs(mechanism, n, plan)  # a dataset that is none is found before anything is written
    return Task(mechanism, sizes, plan)
