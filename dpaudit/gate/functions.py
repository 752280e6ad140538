"""Entries that name a plain function: what it is called with, and which readings of it may pass.

An entry with ``inputs`` is rewritten as the call that the command line would make of it, so that
all that follows knows calls alone.  The process of the entry states which reading it took; the gate
rejects one that the entry does not accept.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit.errors import OutputError, UsageError
from dpaudit.gate.entries import entry_question
from dpaudit.mechanisms import registry
from dpaudit.mechanisms.loading import load
from dpaudit.subjects import AS_RUN, CALL, COMMAND, DRAWS, RUNGS

if TYPE_CHECKING:
    from dpaudit.gate.config import Entry
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.results import Reported, SampleReport

__all__ = ["as_call", "check_function", "load_entry", "reading_of", "rungs_of", "starter_of"]

_MANY = (
    "list at least two datasets for the function, such as [0, 1], or give a text as for --inputs"
)


def as_call(entry: Entry) -> Entry:
    """Return an entry of a function as one of a call; any other entry as it is.

    Raises ``UsageError`` for inputs that cannot be written as text.
    """
    if entry.inputs is None:
        return entry
    parameters: dict[str, Any] = {"inputs": _text_of(entry.inputs)}
    if entry.neighbours is not None:
        parameters["neighbours"] = entry.neighbours
    is_called = entry.mechanism.startswith((CALL, DRAWS, COMMAND))
    prefix = entry_question(entry).prefix
    reference = entry.mechanism if is_called else prefix + entry.mechanism
    call = replace(
        entry, mechanism=reference, label=entry.title, parameters={**entry.parameters, **parameters}
    )
    rungs = rungs_of(call)
    if rungs is not None and len(rungs) == 1:
        call.parameters["only"] = rungs[0]
    return call


def rungs_of(entry: Entry) -> tuple[str, ...] | None:
    """Return the readings of a call that may pass, the strongest first; None for no call."""
    if not entry.mechanism.startswith(CALL):
        return None
    accepted = [entry.only] if entry.only is not None else entry.accepts
    if accepted is None:
        return (str(entry.parameters.get("only", AS_RUN)),)
    named = [rung.replace(" ", "-") for rung in accepted]
    return tuple(rung for rung in RUNGS if rung in named)


def check_function(entry: Entry) -> None:
    """Raise ``UsageError`` for keys of a function that do not go together."""
    if entry.inputs is None:
        if entry.neighbours is not None:
            raise UsageError(
                "neighbours is for a plain function with inputs; for a mechanism, write "
                "adjacency = …"
            )
        if entry.only is not None or entry.accepts is not None:
            raise UsageError("only and accepts are for a plain function with inputs")
        return
    if entry_question(entry).reads_file:
        raise UsageError(
            f'it applies only to a function, but measure = "{entry.measure}" reads a file'
        )
    for key in ("inputs", "neighbours", "only"):
        if key in entry.parameters:
            raise UsageError(f"{key} is already a key of the entry; leave it out of parameters")
    if registry.is_built_in(entry.mechanism.removeprefix(CALL)):
        raise UsageError(
            "only a function, path.py:name, has inputs; leave inputs out for a built-in mechanism"
        )
    if entry_question(entry).counts_draws:
        if entry.only is not None or entry.accepts is not None:
            raise UsageError(
                'measure = "sample" only draws from the function; leave out only and accepts'
            )
        return
    if entry.only is not None and entry.accepts is not None:
        raise UsageError("only and accepts both name the accepted readings; give one of them")
    if not (entry.only or entry.accepts):
        raise UsageError(
            'name the accepted readings of the function: accepts = ["as run", "ideal"], or '
            'only = "as run" (its floats and all), or only = "ideal" (the formula that it '
            "computes)"
        )


def reading_of(report: Reported | SampleReport) -> str:
    """Return the reading of a function that a report says it is about."""
    read = str(report.parameters.get("only", AS_RUN))
    if hasattr(report, "semantics") and str(report.semantics).replace(" ", "-") != read:
        # Two places of a report name the reading; one of them may have been changed.
        raise ValueError(
            "it does not say unambiguously whether the function was audited as run or ideal"
        )
    return read


def load_entry(spec: Spec, entry: Entry) -> Mechanism[Any]:
    """Return the mechanism of an entry: of a function, in the strongest reading that it accepts."""
    rungs = rungs_of(entry)
    if rungs is None:
        return load(spec)
    from dpaudit.programs.rungs import highest_rung  # which no other mechanism needs

    return highest_rung(lambda more: load(spec.changed(**more)), rungs)


def _text_of(inputs: Any) -> str:
    """Return inputs as on the command line."""
    if isinstance(inputs, str):
        return inputs
    if not isinstance(inputs, list) or len(inputs) < 2:
        raise UsageError(_MANY)
    return ", ".join(map(_literal, inputs))


def _literal(value: Any) -> str:
    """Return a value of TOML as Python writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_literal(part)}' for key, part in value.items())}}}"
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, (bool, int, str)):
        return repr(value)
    raise UsageError(f"{value} is not a text, number, list or table")


# What a configuration starts with


_ENTRY = """\
[[mechanism]]
mechanism = "{file}:{name}"
inputs = []                 # {about}: [0, 1, 2], or a text: "0..3"
# neighbours = "adjacent"   # which of them differ in one person; needed for three and more
accepts = ["as run", "ideal"]   # "as run": its floats and all; "ideal": the formula it computes
budget = "1"                # ε, or ["1", "1e-5"] for (ε, δ)
"""


def starter_of(path: Path) -> str:
    """Return a configuration with an entry for each function in a file, which is not imported.

    Its inputs are left to be filled in: until then the gate refuses it.

    Raises:
        OutputError: for a file that cannot be read, or has no such function.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise OutputError(path, f"it is not a readable Python file: {error}") from None
    entries = [
        _ENTRY.format(file=path.as_posix(), name=name, about=f"the values of {argument}")
        for name, argument in _functions(tree)
    ]
    if not entries:
        raise OutputError(path, "it has no function whose only argument is a dataset")
    return "\n".join(entries)


def _functions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the public functions that can be called with one argument, and its name."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        positional = [*node.args.posonlyargs, *node.args.args]
        required = len(positional) - len(node.args.defaults)
        is_plain = not node.decorator_list and None not in node.args.kw_defaults
        if positional and required <= 1 and is_plain:
            yield node.name, positional[0].arg
