"""Readings of a plain function: as it runs, or as the formula that it computes.

The strongest reading is tried first.  *As run*, the law is that of the floats and integers that the
code gives.  *Ideal*, the same code is run, its draws are exact distributions, and its floats are
the real numbers that they stand for: what is certified then is the formula, and a report says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.data import neighbouring
from dpaudit.errors import LawError, ParameterError, nearest
from dpaudit.mechanisms.thawed_relations import on_thawed
from dpaudit.mechanisms.user_laws import frozen, thawed
from dpaudit.notices import ManyPathsWarning
from dpaudit.programs.guarding.slots import addresses_refused
from dpaudit.programs.output_laws.beside import explore_beside
from dpaudit.programs.output_laws.between_calls import BetweenCalls
from dpaudit.programs.program import MOST_PATHS, Program, program
from dpaudit.subjects import AS_RUN, DRAWN, IDEAL, RUNGS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.user import Neighbours
    from dpaudit.programs.output_laws.between_calls import Place

__all__ = ["NoReadingError", "highest_rung", "on_rung", "plain_program", "read_rung"]

_DRAW_FROM_IT = "; dpaudit sample can test it by sampling, with the same inputs"


class NoReadingError(LawError):
    """Neither reading of a plain function has a law."""

    @property
    def why(self) -> str:
        """The reasons, without what to do."""
        return str(self).removesuffix(_DRAW_FROM_IT)


_PATHS_TRIED = 5_000
"""Largest number of paths of a function's floats that are followed before its formula is tried."""


def read_rung(name: str) -> str:
    """Return the name of a reading; ``ParameterError`` for an unknown name.

    >>> read_rung("as run")
    'as-run'
    """
    name = name.replace(" ", "-")
    if name == DRAWN:
        raise ParameterError(
            "only",
            "only = drawn gives no exact output distribution; use it with dpaudit check, or "
            "use dpaudit sample",
        )
    if name not in RUNGS:
        raise ParameterError("only", f"only = {name}: {nearest(name, RUNGS)}")
    return name


def on_rung(
    function: Callable[[Any], Any],
    rung: str,
    *,
    datasets: Iterable[Any],
    neighbours: Neighbours | None,
    name: str,
    paths: int = MOST_PATHS,
    real_runs: int | None = None,
) -> Program:
    """Return a plain function as a program that is read in one way.

    Args:
        function: a function of a dataset alone.
        rung: ``"as-run"`` or ``"ideal"``.
        datasets: what it is called with.
        neighbours: as in :func:`dpaudit.program`.
        name: what reports call it.
        paths: how many paths it may have at one dataset.
        real_runs: how many real runs confirm its law at each dataset.
    """
    decorate = program(
        datasets=datasets,
        neighbours=neighbours,
        name=name,
        paths=paths,
        real_runs=real_runs,
        as_run=rung == AS_RUN,
    )
    if rung == AS_RUN:
        return decorate(function)
    from dpaudit.programs.plain.function import PlainFunction

    return decorate(PlainFunction(function))


def highest_rung(
    build: Callable[[Mapping[str, object]], Mechanism[Any]], rungs: Sequence[str] = RUNGS
) -> Mechanism[Any]:
    """Return a plain function in the strongest reading in which its laws can be derived.

    Args:
        build: makes the program of ``only``, the name of a reading.
        rungs: the readings that are tried, in this order.

    Raises:
        NoReadingError: where no reading has a law, with the reason of each.
    """
    refusals: dict[str, str] = {}
    calls: BetweenCalls | None = None
    datasets: list[Any] = []

    def following(place: Place) -> AbstractContextManager[Any]:
        made = build({"only": place.reading})
        assert isinstance(made, Program)
        return made.explorer.following(place.dataset)

    try:
        for rung in rungs:
            made = build({"only": rung})
            assert isinstance(made, Program)
            made.relation.datasets(1)  # of what kind they must be is no matter of a reading
            datasets = list(made.relation.listing(1))
            calls = calls or BetweenCalls(made.explorer.called, following)
            made.explorer.shares[:] = [calls]
            try:
                if rung == rungs[-1]:
                    _derive(made, made.explorer.most_paths)
                else:
                    _try(made)
            except LawError as error:
                refusals[rung] = str(error)
                continue
            finally:
                made.explorer.shares.clear()
            if AS_RUN in refusals:
                object.__setattr__(made, "not_as_run", refusals[AS_RUN])
            return made
        if calls is not None:
            if calls.refusal:
                raise LawError(calls.refusal)
            calls.check_draws(datasets)
    finally:
        if calls is not None:
            calls.close()
    raise NoReadingError(_both(refusals)) if len(refusals) > 1 else LawError(*refusals.values())


def _both(refusals: Mapping[str, str]) -> str:
    as_run, ideal = (refusals[rung] for rung in (AS_RUN, IDEAL))
    why = ideal if as_run == ideal else f"{ideal} (as run: {as_run})"
    return f"{why}{_DRAW_FROM_IT}"


def _try(made: Program) -> None:
    """Derive the law of every dataset if it has few paths, while another reading is left.

    Raises:
        LawError: where there is no law, and as soon as more paths are to be expected.
    """
    with warnings.catch_warnings():
        # That it takes long is no reason to leave a reading: that would depend on the machine.
        warnings.filterwarnings("error", ".*, but the limit is ", ManyPathsWarning)
        try:
            _derive(made, _PATHS_TRIED)
        except ManyPathsWarning as many:
            raise LawError(str(many).partition("; dpaudit runs")[0]) from None


def _derive(made: Program, most: int) -> None:
    """Derive the law of every dataset, on at most so many paths; ``LawError`` where one has none.

    What was explored is kept, so that an audit does not do it again.
    """
    explorer = made.explorer
    allowed = explorer.most_paths
    object.__setattr__(explorer, "most_paths", min(most, allowed))
    try:
        datasets, plain = list(made.relation.listing(1)), explorer.plain
        given = dict(explorer.parameters).values()
        # What stands in at every dataset is put in place once.
        with addresses_refused() if plain is None else plain.explored(*datasets, *given):
            explorer.prepare(datasets)
            if explorer.run_as_is:
                explore_beside(explorer, made.title, datasets)
            for dataset in datasets:
                explorer.exploration(dataset)
    finally:
        object.__setattr__(explorer, "most_paths", allowed)
    first, second = next(iter(made.relation.pairs(1)))
    laws = made.laws()
    laws.law(first).divergence_from(laws.law(second))


def plain_program(
    function: Callable[[Any], Any],
    *,
    inputs: Iterable[Any],
    neighbours: Neighbours | None = None,
    only: str | None = None,
    paths: int = MOST_PATHS,
    real_runs: int | None = None,
) -> Mechanism[Any]:
    """Return a plain function as a mechanism, in the reading ``only`` or in the strongest there is.

    Args:
        function: a function of a dataset alone, which calls random functions by itself.
        inputs: the datasets that it is called with.
        neighbours: which two are neighbours, as in :func:`dpaudit.program`.
        only: ``"as-run"``, ``"ideal"``, or None for the first of these that can be derived.
        paths: how many paths it may have at one dataset.
        real_runs: how many real runs confirm its law at each dataset.

    Raises:
        LawError: where it has no law in any reading.
        ParameterError: for what is not allowed.
    """
    datasets = list(map(frozen, inputs))
    neighbours = on_thawed(neighbours)
    if neighbours is None or isinstance(neighbours, str):
        neighbours = neighbouring.related(datasets, neighbours)
    name = str(getattr(function, "__name__", type(function).__name__))

    def call(dataset: Any) -> Any:
        return function(thawed(dataset))

    call.__name__, call.__module__ = name, getattr(function, "__module__", call.__module__)

    def build(more: Mapping[str, object]) -> Program:
        rung = read_rung(str(more["only"]))
        made = on_rung(
            call,
            rung,
            datasets=datasets,
            neighbours=neighbours,
            name=name,
            paths=paths,
            real_runs=real_runs,
        )
        return replace(made, given=(("only", rung),) if rung == IDEAL else ())

    if only is not None and len(datasets) < 2:  # there is nothing to compare
        return build({"only": only})
    return highest_rung(build, RUNGS if only is None else (read_rung(only),))
