"""Samplers as subjects: a function that draws, with its datasets, neighbours and stated budget."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dpaudit.errors import LawError, ParameterError, one_line
from dpaudit.mechanisms.arguments import read_arguments
from dpaudit.mechanisms.user import FiniteMechanism, Neighbours, claimed, relation_of, space_of
from dpaudit.sampling.outputs import Word

if TYPE_CHECKING:
    from numpy.random import Generator

    from dpaudit.sampling.calls import Style

__all__ = ["Sampler", "sampler"]

Drawing = Callable[..., Any]


def _listed(drawn: Any) -> Any:
    """Return what a call for one draw returned; a number alone stands for a list of it."""
    if isinstance(drawn, (np.generic, np.ndarray)) and drawn.ndim == 0:
        return drawn.reshape(1)
    return [drawn] if isinstance(drawn, Number) else drawn


def _no_law(dataset: Any) -> Any:
    raise LawError(
        "dpaudit cannot compute the output distribution of a sampler; audit it with dpaudit sample"
    )


@dataclass(frozen=True)
class Sampler(FiniteMechanism):
    """A sampler; see :func:`sampler`."""

    function: Drawing = field(default=lambda: None, repr=False, compare=False)
    """The function that was decorated."""
    made: Callable[..., Sampler] | None = field(default=None, repr=False, compare=False)
    many_at_once: bool = True
    """True if a call returns as many outputs as it is asked for."""

    begins_anew: ClassVar[bool] = False
    """True if each call starts afresh, in a process of its own."""

    @property
    def style(self) -> Style:
        """Style of its calls; see :mod:`dpaudit.sampling.calls`."""
        if not self.many_at_once:
            return "sequence"
        return "process" if self.begins_anew else "together"

    @property
    def with_parameters(self) -> Callable[..., Sampler]:
        """Return the same sampler with other parameters, given by name."""
        assert self.made is not None
        return self.made

    def draw(self, dataset: Any, size: int, rng: Generator) -> Any:
        """Return ``size`` outputs at ``dataset``: an array or a list.

        An exception is an output where outputs are drawn one by one; where they are drawn together
        it is an error.

        Raises:
            LawError: for a sampler that raises, or returns another number of outputs.
        """
        parameters = dict(self.given)
        if not self.many_at_once:
            return [self._draw_one(dataset, rng, parameters) for _ in range(size)]
        try:
            drawn = self.function(dataset, size, rng, **parameters)
            drawn = _listed(drawn) if size == 1 else drawn
            has_length = hasattr(drawn, "__len__") and getattr(drawn, "ndim", None) != 0
            count = len(drawn) if has_length else None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # an exit of theirs is no end of the audit
            raise LawError(f"{self.name} at {dataset}: it raised {one_line(error)}") from error
        where = f"{self.name} at {dataset}"
        if count is None:
            kind = type(drawn).__name__
            raise LawError(f"{where}: {kind}, but it must return a list of {size} outputs")
        if count != size:
            raise LawError(f"{where}: {count} outputs, but it must return {size}")
        return drawn

    def _draw_one(self, dataset: Any, rng: Generator, parameters: dict[str, Any]) -> Any:
        try:
            return self.function(dataset, rng, **parameters)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return Word(f"raises {type(error).__name__}")


def sampler(
    *,
    datasets: Any,
    neighbours: Neighbours | None = None,
    budget: Any = None,
    name: str | None = None,
) -> Callable[[Drawing], Sampler]:
    """Turn a function that draws outputs into a sampler that :func:`dpaudit.sample` can audit.

    The function is ``s(dataset, size, rng)`` and returns ``size`` outputs, or ``s(dataset, rng)``
    and returns one; ``rng`` is a :class:`numpy.random.Generator`.  Further arguments with a default
    are parameters.

    Args:
        datasets: all datasets, or a function that returns those of size n; hashable values.
        neighbours: as for :func:`dpaudit.finite_mechanism`.
        budget: the stated budget ε, or (ε, δ); None if there is none.
        name: its name in reports; by default the function's name.

    Returns:
        A decorator.

    Raises:
        ParameterError: for bad input, and for parameters without a default.

    >>> @sampler(datasets=[0, 1], neighbours="all", budget=1)
    ... def respond(answer, size, rng):
    ...     return rng.integers(4, size=size) < 3
    >>> respond.name
    'respond'
    """
    space, sized = space_of(datasets)
    relation = relation_of(neighbours, space, sized=sized)
    claim = claimed(budget)

    def decorate(function: Drawing) -> Sampler:
        title = str(name or getattr(function, "__name__", "sampler"))
        signature = inspect.signature(function)
        everything = list(signature.parameters.values())
        positional = [p for p in everything if p.default is inspect.Parameter.empty]
        if len(positional) not in (2, 3) or positional != everything[: len(positional)]:
            names = ", ".join(signature.parameters)
            raise ParameterError(
                "sampler", f"{title}({names}): must be (dataset, size, rng) or (dataset, rng)"
            )
        own = everything[len(positional) :]

        def make(**arguments: object) -> Sampler:
            values = {p.name: p.default for p in own} | read_arguments(title, make, arguments)
            return Sampler(
                title,
                _no_law,
                claim,
                relation,
                sized=sized,
                given=tuple(values.items()),
                function=function,
                made=make,
                many_at_once=len(positional) == 3,
            )

        make.__name__ = title
        make.__module__ = function.__module__
        make.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=own, return_annotation=inspect.Signature.empty
        )
        return make()

    return decorate


def generator(seed: int, *place: int) -> Generator:
    """Return the generator of one chunk of draws: nothing else draws from its stream."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed, spawn_key=place)))
