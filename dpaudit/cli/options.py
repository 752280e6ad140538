"""Options that commands share, made from the parameters of the mechanisms."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dpaudit.api import make_plan
from dpaudit.audit.plan import ENGINES, Pairs
from dpaudit.audit.sizes import read_sizes
from dpaudit.cli.contained import DEFAULT_CAP, contained
from dpaudit.cli.run import OUTPUT, Task
from dpaudit.errors import ParameterError, SizeError, nearest
from dpaudit.mechanisms.loading import Loaded, find_mechanism
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.report.render import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "audit_options",
    "audit_options_without",
    "conformance_sizes",
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
            "--set",
            "settings",
            metavar="NAME=VALUE",
            multiple=True,
            help="A parameter by name, also one of a mechanism of your own; may be repeated.",
        ),
        click.option(
            "--budget",
            metavar="EPS[,DELTA]",
            help="What the verdict is about; default: what the mechanism states.",
        ),
        click.option(
            "--at", metavar="COUNTS|uniform|DATA", help="Only pairs that contain this data."
        ),
        click.option("--at-eps", metavar="LIST", help="Further ε at which δ(ε) is wanted."),
        click.option(
            "--adjacency",
            metavar="[substitution|add-remove]",
            help="Which datasets are neighbours; default substitution, or the mechanism's own.",
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
            "--time-cap",
            metavar="SECONDS",
            help="Report what is finished after so long, and end; default: none for built-in "
            f"mechanisms, {DEFAULT_CAP} for others.",
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
    function = contained(function)
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
    """Return the mechanisms named, with each combination of listed parameters, each once."""
    chosen = {
        key.removeprefix("p_"): value
        for key, value in given.items()
        if key.startswith("p_") and value is not None
    }
    for name, value in map(_setting, given.get("settings", ())):
        if name in chosen:
            raise ParameterError(name, f"{name} is given twice")
        chosen[name] = value
    loaded = [find_mechanism(name) for name in names]
    for name in chosen:
        if not any(_has(one, name) for one in loaded):
            raise ParameterError(name, _unknown(loaded, name))
    found: dict[Hashable, Mechanism[Any]] = {}
    for one in loaded:
        for mechanism in _combinations(one, chosen, given["k"]):
            found.setdefault(mechanism if mechanism.origin is None else mechanism.origin, mechanism)
    return list(found.values())


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ParameterError("set", f"--set {text}: must be NAME=VALUE")
    return {"eps": "epsilon"}.get(name, name), value


def _has(loaded: Loaded, name: str) -> bool:
    names = loaded.parameter_names()
    return names is None or name in names


def _unknown(loaded: list[Loaded], name: str) -> str:
    """Return the message that none of the mechanisms has a parameter of that ``name``."""
    titles = " and ".join(one.title for one in loaded)
    flag = f"--{_OPTION_NAMES.get(name, name)}" if name in _parameters() else f"--set {name}"
    text = f"{flag}: {titles} {'has' if len(loaded) == 1 else 'have'} no such parameter"
    if name in _parameters() and all(one.base is None for one in loaded):
        owners = _parameters()[name][1]
        hint = " (to audit against another budget, use --budget)" if name == "delta" else ""
        return f"{text}; {', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it{hint}"
    known = sorted({known for one in loaded for known in one.parameter_names() or ()})
    return f"{text}; {nearest(name, known) if known else 'none at all'}"


def _combinations(loaded: Loaded, chosen: Mapping[str, str], k: int | None) -> list[Mechanism[Any]]:
    fixed: dict[str, object] = {
        name: value for name, value in chosen.items() if _has(loaded, name) and name not in _LISTS
    }
    if k is not None:
        fixed["k"] = k
    lists = [
        [(name, value) for value in chosen[name].split(",")]
        for name in _LISTS
        if name in chosen and _has(loaded, name)
    ]
    return [loaded.build({**fixed, **dict(combination)}) for combination in product(*lists)]


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
    sizes = _sizes(mechanism, plan, given["sizes"])
    for n in sizes:
        Pairs(mechanism, n, plan)  # a dataset that is none is found before anything is written
    return Task(mechanism, sizes, plan)


def conformance_sizes(mechanism: Mechanism[Any], given: str | None) -> tuple[int, ...]:
    """Return the sizes at which conformance is checked: 1, 2 and 3 if nothing else is said."""
    if given is not None:
        return read_sizes(given)
    return read_sizes("1..3" if mechanism.default_size is None else mechanism.default_size)


def _sizes(mechanism: Mechanism[Any], plan: Plan, given: str | None) -> tuple[int, ...]:
    if given is not None:
        return read_sizes(given)
    if mechanism.default_size is not None:
        return read_sizes(mechanism.default_size)
    if not isinstance(plan.at, tuple):
        raise SizeError("--n is needed: sizes as 10..180, 10..180..10 or 10,20,40")
    return read_sizes(mechanism.size(plan.at))
