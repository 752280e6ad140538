"""A plain function as a sampler: it is called once for each draw, with one of its inputs.

Where neither reading of a function has a law (:mod:`dpaudit.programs.rungs`), what is left is to
draw from it.  Python's and NumPy's shared generators are seeded before each call for draws, so that
a run can be repeated, and have their state back after it; a generator of its own is left alone.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from dpaudit.data import neighbouring
from dpaudit.errors import LawError, Remedy, one_line
from dpaudit.mechanisms.own_functions import called_with, listed_remedy
from dpaudit.mechanisms.thawed_relations import on_thawed
from dpaudit.mechanisms.user_laws import frozen, thawed
from dpaudit.programs.as_run.explored import plain
from dpaudit.programs.callables import inputs_of, named_function
from dpaudit.programs.guarding.seeds import seeded_state
from dpaudit.programs.output_laws.between_calls import BetweenCalls
from dpaudit.sampling.batches import ATOMS
from dpaudit.sampling.outputs import leaves, text
from dpaudit.sampling.sampler import Sampler, sampler

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from numpy.random import Generator

    from dpaudit.mechanisms.user import Neighbours

__all__ = ["FunctionSampler", "drawn", "function_sampler"]


@dataclass(frozen=True)
class FunctionSampler(Sampler):
    """A plain function, which is called once for each draw."""

    between: list[BetweenCalls] = field(default_factory=list, compare=False, repr=False)
    """Looks at what calls leave for later ones."""

    def draw(self, dataset: Any, size: int, rng: Generator) -> Any:
        """Return ``size`` outputs at ``dataset``; an exception is an output.

        Raises:
            LawError: for a function whose calls depend on those before: they have no one law.
        """
        with _seeded(rng):
            drawn = [self._draw_one(dataset, rng, {}) for _ in range(size)]
        for calls in self.between:
            if calls.compare():
                calls.check_draws([dataset, *self.relation.listing(1)])
        return drawn


@contextmanager
def _seeded(rng: Generator) -> Iterator[None]:
    """Seed the shared generators from ``rng`` inside the block."""
    shared = sys.modules["numpy.random.mtrand"]._rand
    states = random.getstate(), shared.get_state(legacy=False)
    try:
        random.seed(int(rng.integers(2**63)))
        shared.set_state(seeded_state(shared, int(rng.integers(2**32))))
        yield
    finally:
        random.setstate(states[0])
        shared.set_state(states[1])


def function_sampler(
    function: Callable[[Any], Any],
    *,
    inputs: Iterable[Any],
    neighbours: Neighbours | None = None,
    name: str | None = None,
    module: ModuleType | None = None,
) -> FunctionSampler:
    """Return a plain function as a sampler.

    Args:
        function: a function of a dataset alone, which calls random functions by itself.
        inputs: the datasets that it is called with.
        neighbours: which two are neighbours, as in :func:`dpaudit.program`.
        name: its name in reports; by default the function's name.
        module: the module whose names a call is written with, where the function is named by one.

    Raises:
        ParameterError: for inputs of which it must be said which are neighbours.
        LawError: for a function that raises at every input.
    """
    datasets = list(map(frozen, inputs))
    title = name or str(getattr(function, "__name__", type(function).__name__))

    def call(dataset: Any) -> Any:
        return function(thawed(dataset))

    calls = BetweenCalls(call)
    _check_it_returns(title, function, datasets, module)

    def draw_one(dataset: Any, rng: Generator) -> Any:  # it has generators of its own
        output = function(thawed(dataset))
        return output if type(output) in ATOMS else frozen(plain(output))

    draw_one.__name__, draw_one.__module__ = (
        title,
        getattr(function, "__module__", draw_one.__module__),
    )
    neighbours = on_thawed(neighbours)
    if neighbours is None or isinstance(neighbours, str):
        neighbours = neighbouring.related(datasets, neighbours)
    base = sampler(datasets=datasets, neighbours=neighbours, name=title)(draw_one)
    return FunctionSampler(
        **{own.name: getattr(base, own.name) for own in fields(base) if own.init}, between=[calls]
    )


_TRIES = 3


def _check_it_returns(
    title: str, function: Callable[[Any], Any], datasets: list[Any], module: ModuleType | None
) -> None:
    """Refuse a function that is called wrongly: its errors would be alike, and tell nothing."""
    raised: BaseException | None = None
    # Several times each, since a function may raise by chance.
    for dataset in [*datasets] * _TRIES:
        try:
            output = function(thawed(dataset))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # an exit of theirs is no end of the audit
            raised = error
        else:
            _check_it_shows(title, output)
            return
    if raised is not None:
        raise _wrongly_called(title, raised, datasets, module)


def _wrongly_called(
    title: str, raised: BaseException, datasets: list[Any], module: ModuleType | None
) -> LawError:
    """Return the error of a function that raises at every input, with what may have been meant."""
    says = f"{title}: every run raises {one_line(raised)}"
    lacking = re.search(r"missing \d+ required positional arguments?: .*'(\w+)'$", str(raised))
    if isinstance(raised, TypeError) and lacking is not None and "(" not in title:
        return LawError(
            f"{says}; dpaudit calls it with the input alone; give the other arguments: {title}(_, "
            f"{lacking[1]}=VALUE)"
        )
    if isinstance(raised, TypeError) and all(isinstance(d, (int, float)) for d in datasets):
        values = datasets if len(datasets) > 1 else [*datasets, 0]
        return LawError(
            f"{says}; it was called with numbers, {datasets[0]!r} first: for a function of lists "
            "write --inputs '[1, 2], [1, 3]', of records '[{\"age\": 70}], []'"
        ).remedied(
            *listed_remedy(values),
            brief=f"{says}; it was called with {datasets[0]!r}, a number",
        )
    if isinstance(raised, (AttributeError, TypeError)) and "list" in str(raised):
        call = "" if module is None else called_with(module, title, raised, map(thawed, datasets))
        if call:
            meaning = "it needs an array, made from each input"
            if "DataFrame" in call:
                meaning = "it needs a frame, made from each input, which is a list of records"
            remedy = Remedy(((title, call),), meaning)
            return LawError(f"{says}; it is called with a list: write {call}").remedied(
                remedy, brief=f"{says}; it is called with a list"
            )
        if "'list'" in str(raised):
            call = re.sub(r"\b_\b", "np.array(_)", title if "(" in title else f"{title}(_)")
            return LawError(
                f"{says}; it is called with a list: for an array, with numpy imported as np in its "
                f"file, write {call}"
            )
    return LawError(says)


def _check_it_shows(title: str, output: Any) -> None:
    """Refuse an output whose text is an address: two draws of it cannot be told apart."""
    for leaf in leaves(frozen(plain(output))):
        if not isinstance(leaf, str) and text(leaf) != repr(leaf):  # it has an address
            kind = type(leaf).__name__
            raise LawError(
                f"{title}: it returns an object of type {kind}, whose values dpaudit cannot see; "
                "return numbers, texts, lists, mappings, arrays or dataclasses (instead of an "
                "iterator, a list)"
            )


def drawn(reference: str, text: str, folder: Path) -> tuple[Callable[..., Sampler], str]:
    """Return a factory of the sampler of a named function, and its file's SHA-256.

    Args:
        reference: what messages call it.
        text: ``package.module:call`` or ``path.py:call``, as for ``--call``.
        folder: what a path is relative to.

    Raises:
        LoadError: for what is no such call, or cannot be imported.
    """
    function, title, sha256, module = named_function(reference, text, folder)

    def make(inputs: str, neighbours: str | None = None) -> Sampler:
        call = inputs_of(inputs, neighbours, folder, module)
        built = function_sampler(
            function,
            inputs=call.datasets,
            neighbours=call.neighbours,
            name=title,
            module=module,
        )
        parameters = (("inputs", call.text), ("neighbours", call.neighbours))
        object.__setattr__(built, "given", parameters)
        object.__setattr__(built, "made", make)
        return built

    make.__name__ = title
    return make, sha256
