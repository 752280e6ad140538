"""Reading what commands are given: mechanisms, their parameters, sizes and plans."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from dpaudit.api.plans import make_plan
from dpaudit.audit.plan import Pairs, read_sizes
from dpaudit.cli.parameter_options import OPTION_NAMES, SEVERAL, described_parameters
from dpaudit.cli.run import Task
from dpaudit.errors import ParameterError, SizeError, nearest
from dpaudit.mechanisms.loading import Loaded, find_mechanism

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["conformance_sizes", "given_parameters", "read_mechanisms", "read_tasks"]


def read_tasks(names: tuple[str, ...], given: Mapping[str, Any]) -> list[Task]:
    """Return one task for each mechanism and each combination of listed parameters."""
    return [_task(mechanism, given) for mechanism in read_mechanisms(names, given)]


def read_mechanisms(names: tuple[str, ...], given: Mapping[str, Any]) -> list[Mechanism[Any]]:
    """Return the mechanisms named, with each combination of listed parameters, each once."""
    chosen = given_parameters(given)
    loaded = [find_mechanism(name) for name in names]
    for name in chosen:
        if not any(_has(one, name) for one in loaded):
            raise ParameterError(name, _unknown(loaded, name))
    found: dict[Hashable, Mechanism[Any]] = {}
    for one in loaded:
        for mechanism in _combinations(one, chosen, given["k"]):
            found.setdefault(mechanism.spec or mechanism, mechanism)
    return list(found.values())


def given_parameters(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters that options of their own and ``--set NAME=VALUE`` give, as text."""
    found = {
        key.removeprefix("p_"): value
        for key, value in given.items()
        if key.startswith("p_") and value is not None
    }
    for name, value in map(_setting, given["settings"]):
        if name in found:
            raise ParameterError(name, f"{name} is given twice")
        found[name] = value
    return found


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
    known_names = described_parameters()
    flag = f"--{OPTION_NAMES.get(name, name)}" if name in known_names else f"--set {name}"
    hint = " (a budget is given as --budget)" if name in ("epsilon", "delta") else ""
    text = f"{flag}: {titles} {'has' if len(loaded) == 1 else 'have'} no such parameter"
    if name in known_names and all(one.built_in for one in loaded):
        owners = list(known_names[name])
        return f"{text}; {', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it{hint}"
    known = sorted({known for one in loaded for known in one.parameter_names() or ()})
    return f"{text}; {nearest(name, known) if known else 'none at all'}{hint}"


def _combinations(loaded: Loaded, chosen: Mapping[str, str], k: int | None) -> list[Mechanism[Any]]:
    fixed: dict[str, object] = {
        name: value for name, value in chosen.items() if _has(loaded, name) and name not in SEVERAL
    }
    if k is not None:
        fixed["k"] = k
    lists = [
        [(name, value) for value in chosen[name].split(",")]
        for name in SEVERAL
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
