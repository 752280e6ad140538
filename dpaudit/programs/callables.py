"""Any callable as a program, named by the call: ``package.module:Class(epsilon=1, d=4).privatise``.

The call is read, not evaluated: names, attributes and calls, whose arguments are literals.  ``_``
stands for the dataset, in ``f(_, eps=2)`` or ``f(np.array(_))``; without one, what the expression
gives is called with it.  Naming a callable means trusting its code: it is imported and run.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.data import neighbouring
from dpaudit.data.records import read_file
from dpaudit.errors import LoadError, ParameterError, Remedy, counted, one_line
from dpaudit.mechanisms.own_functions import listed_remedy
from dpaudit.mechanisms.references import file_sha256, module_of
from dpaudit.mechanisms.user import FiniteMechanism
from dpaudit.mechanisms.user_laws import frozen, thawed
from dpaudit.programs.program import MOST_PATHS, Program
from dpaudit.programs.rungs import on_rung, read_rung
from dpaudit.subjects import AS_RUN, CALL, DRAWS

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Inputs", "NamedFunction", "called", "inputs_of", "named_function", "read_inputs"]

_DATASET = "_"
_MAKER = re.compile(r"([A-Za-z_]\w*)\(\)", re.ASCII)
"""A function of the module, called."""
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_MOST_INPUTS = 10_000


def called(reference: str, text: str, folder: Path) -> tuple[Callable[..., Program], str]:
    """Return what makes the program that a call names, and the SHA-256 of the module's file.

    Args:
        reference: what messages call it.
        text: ``package.module:call`` or ``path.py:call``.
        folder: what a path is relative to.

    Raises:
        LoadError: for what is no such call, or cannot be imported.
        ParameterError: for a program or another mechanism, which needs no inputs.
    """
    function, title, sha256, module = named_function(reference, text, folder)

    def make(
        inputs: str,
        neighbours: str | None = None,
        paths: int = MOST_PATHS,
        real_runs: int | None = None,
        only: str = AS_RUN,
    ) -> Program:
        told = inputs_of(inputs, neighbours, folder, module)
        made = on_rung(
            function,
            read_rung(only),
            datasets=told.datasets,
            neighbours=told.neighbours,
            name=title,
            paths=paths,
            real_runs=real_runs,
        )
        shown: tuple[tuple[str, Hashable], ...] = (
            ("inputs", told.text),
            ("neighbours", told.neighbours),
        )
        if paths != MOST_PATHS:
            shown += (("paths", paths),)
        if real_runs is not None:
            shown += (("real_runs", real_runs),)
        if only != AS_RUN:
            shown += (("only", only),)
        return replace(made, given=shown)

    make.__name__ = title
    return make, sha256


class NamedFunction(NamedTuple):
    """A function of a dataset that a call names."""

    function: Callable[[Any], Any]
    title: str
    """The call as it was written."""
    sha256: str
    """SHA-256 of the file of its module."""
    module: ModuleType


def named_function(reference: str, text: str, folder: Path) -> NamedFunction:
    """Return the function of a dataset that a call names.

    The arguments and errors are those of :func:`called`.
    """
    source, _, call = text.strip().partition(":")
    tree = _read(reference, call)
    module = module_of(reference, source, folder)
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    root = next(name for name in names if name != _DATASET)
    if not hasattr(module, root):
        raise LoadError(reference, f"{source} has no {root}")
    if isinstance(tree, ast.Name) and isinstance(getattr(module, root), FiniteMechanism):
        raise ParameterError(
            "inputs",
            f"{call.strip()} defines its own datasets; leave --inputs and --neighbours out",
        )
    title = " ".join(call.split())
    _check_bound(reference, tree, module)
    return NamedFunction(_function(module, tree), title, file_sha256(module), module)


def _check_bound(reference: str, tree: ast.expr, module: ModuleType) -> None:
    """Refuse the method of a class without an object: it would be called with a dataset as one."""
    if not (isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name)):
        return
    owner = getattr(module, tree.value.id)
    if isinstance(owner, type) and isinstance(vars(owner).get(tree.attr), FunctionType):
        name, call = tree.value.id, ast.unparse(tree)
        word = reference.removeprefix(CALL).removeprefix(DRAWS)
        raise LoadError(
            reference,
            f"{call} is a method; call it on an object of its class, {name}().{tree.attr}",
        ).remedied(
            Remedy(
                ((word, word.replace(call, f"{name}().{tree.attr}")),),
                f"the method of an object; {name} may need arguments",
            )
        )


def _function(module: ModuleType, tree: ast.expr) -> Callable[[Any], Any]:
    named = _has_dataset(tree)
    name = tree.id if isinstance(tree, ast.Name) and not named else None

    def function(dataset: Any) -> Any:
        own = thawed(dataset)  # which the function may change
        if name is not None:
            return getattr(module, name)(own)
        found = _value(module, tree, own)
        return found if named else found(own)

    return function


def _value(module: ModuleType, node: ast.expr, dataset: Any) -> Any:
    """Return what an expression that was read gives at a dataset."""
    match node:
        case ast.Name(id=name):
            return dataset if name == _DATASET else getattr(module, name)
        case ast.Attribute(value=value, attr=name):
            return getattr(_value(module, value, dataset), name)
        case ast.Call(func=func, args=args, keywords=keywords):
            given = [_argument(module, one, dataset) for one in args]
            named = {str(one.arg): _argument(module, one.value, dataset) for one in keywords}
            return _value(module, func, dataset)(*given, **named)
    raise AssertionError(ast.dump(node))


def _argument(module: ModuleType, node: ast.expr, dataset: Any) -> Any:
    return _value(module, node, dataset) if _has_dataset(node) else ast.literal_eval(node)


def _has_dataset(tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == _DATASET for node in ast.walk(tree))


def _read(reference: str, call: str) -> ast.expr:
    """Return a call, read; ``LoadError`` for anything else."""
    try:
        tree = ast.parse(call.strip(), mode="eval").body
        _check(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise LoadError(
            reference,
            "allowed are names, attributes and calls with literals: "
            "package.module:Class(epsilon=1, d=4).method, with _ for the dataset if it is not the "
            "only argument",
        ) from None
    return tree


def _check(node: ast.expr) -> None:
    """Raise ``ValueError`` for what is no name, attribute or call with literals."""
    match node:
        case ast.Name(id=name) if name != _DATASET:
            return
        case ast.Attribute(value=value, attr=name) if not name.startswith("__"):
            _check(value)
        case ast.Call(func=func, args=args, keywords=keywords):
            _check(func)
            for one in [*args, *(keyword.value for keyword in keywords)]:
                if isinstance(one, ast.Name) and one.id == _DATASET:
                    continue
                if _has_dataset(one):  # np.array(_), for a function that is called with an array
                    _check(one)
                else:
                    ast.literal_eval(one)
            if any(keyword.arg is None for keyword in keywords):
                raise ValueError(node)
        case _:
            raise ValueError(node)


def _literal(text: str) -> Any:
    """Return what a text lists: values of Python or of JSON, or words between commas."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    try:
        found = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        return [part.strip() for part in text.split(",")]
    # A list lists the datasets here as it does in Python's notation.
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


class Inputs(NamedTuple):
    """The datasets that a function is called with."""

    datasets: list[Hashable]
    text: str
    """The datasets as they are written after ``--inputs``; of a file of data, what it holds."""
    neighbours: str
    """Name of the relation between them."""


def inputs_of(
    text: str, neighbours: str | None, folder: Path, module: ModuleType | None = None
) -> Inputs:
    """Return the inputs that a text lists, or that the file holds which it names.

    Args:
        text: as for :func:`read_inputs`, or as for :func:`dpaudit.data.records.read_file`, or
            ``cases()`` for what a function of the ``module`` returns.
        neighbours: the name of a relation; None for the one that is meant.
        folder: what the path of a file is relative to.
        module: the module of the function that is called with the inputs.

    Raises:
        DataError: for a file that cannot be read.
        LoadError: where the function that lists the inputs raises.
        ParameterError: for what is no list of different inputs, or where a relation is needed.
    """
    listed = _MAKER.fullmatch(text.strip())
    if module is not None and listed is not None:
        datasets = _made_by(module, listed[1])
        return Inputs(datasets, text.strip(), neighbouring.related(datasets, neighbours))
    file = read_file(text, folder)
    if file is not None:
        text, neighbours = file.text, neighbours or file.relation
    datasets = read_inputs(text)
    return Inputs(datasets, text, neighbouring.related(datasets, neighbours))


def _made_by(module: ModuleType, name: str) -> list[Hashable]:
    """Return the inputs that a function of a module lists."""
    if not callable(getattr(module, name, None)):
        raise ParameterError(
            "inputs", f"inputs = {name}(): {module.__name__} has no function {name} that lists them"
        )
    try:
        listed = list(map(frozen, islice(getattr(module, name)(), _MOST_INPUTS + 1)))
        different = set(listed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an exit of theirs is no end of the audit
        raise LoadError(
            f"{name}()", f"it did not list inputs, because it raised {one_line(error)}"
        ) from None
    if not 0 < len(listed) <= _MOST_INPUTS or len(different) < len(listed):
        raise ParameterError(
            "inputs", f"inputs = {name}(): must list different inputs, 1 to {_MOST_INPUTS}"
        )
    return listed


def read_inputs(text: str) -> list[Hashable]:
    """Return the datasets that a text lists: ``0..3``, ``a,b``, or values of Python or JSON.

    Those with lists, mappings and sets are :func:`~dpaudit.mechanisms.user_laws.frozen`.

    >>> read_inputs("0..3"), read_inputs("yes,no"), read_inputs("(0, 1), (1, 1)")
    ([0, 1, 2, 3], ['yes', 'no'], [(0, 1), (1, 1)])
    >>> read_inputs('{"a": true}, {"a": false}')
    [{'a': True}, {'a': False}]
    """
    found: Any
    text = text.strip()
    if whole := _RANGE.fullmatch(text):
        low, high = map(int, whole.groups())
        if not 0 <= high - low < _MOST_INPUTS:
            raise ParameterError(
                "inputs",
                f"inputs = {text}: must be FIRST..LAST, increasing, at most {_MOST_INPUTS} numbers",
            )
        return list(range(low, high + 1))
    found = _literal(text)
    listed = list(found) if isinstance(found, (list, tuple, set, frozenset)) else [found]
    listed = list(map(frozen, listed))
    if len(set(listed)) < len(listed) or not listed or "" in listed:
        raise _not_different(text, listed)
    return listed


def _not_different(text: str, listed: list[Any]) -> ParameterError:
    error = ParameterError("inputs", f"inputs = {text}: must be different, and at least one")
    remedies = [] if "" in listed else listed_remedy(listed)
    brief = f"inputs = {text} are read as {counted(len(listed), 'input')}, which must be different"
    return error.remedied(*remedies, brief=brief if remedies else "")
