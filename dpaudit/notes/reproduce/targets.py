"""Everything that can be reproduced, by name, and how: in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import partial

from dpaudit.audit.workers import executor_for
from dpaudit.errors import ParameterError, PrecisionError, nearest
from dpaudit.notes.reproduce import tradeoff
from dpaudit.notes.reproduce.captions import reproduce_captions
from dpaudit.notes.reproduce.concrete_epsilon import reproduce_concrete_epsilon
from dpaudit.notes.reproduce.crossover import reproduce_crossover
from dpaudit.notes.reproduce.findings import Item, PrintedOutcome
from dpaudit.notes.reproduce.four_mechanisms import FIGURES, reproduce_four
from dpaudit.notes.reproduce.laws_compared import LAW_FIGURES, reproduce_laws
from dpaudit.notes.reproduce.local_sensitivity import reproduce_local_sensitivity
from dpaudit.notes.reproduce.printed import BETA, CENTRE, EDGE
from dpaudit.notes.reproduce.repairs import REPAIRS, reproduce_repairs
from dpaudit.notes.reproduce.tables import reproduce_table
from dpaudit.results import Failed

__all__ = ["TARGETS", "Target", "chosen_targets", "decided", "most_held", "reproduce"]


@dataclass(frozen=True)
class Target:
    """Something in the notes that can be computed again."""

    id: str
    title: str
    place: str
    """Place in the notes."""
    reproduce: Callable[[], Item]


def _tables() -> list[Target]:
    return [
        Target(
            table.id,
            f"the table for {table.posterior}, both columns",
            table.place,
            partial(reproduce_table, table),
        )
        for table in (BETA, CENTRE, EDGE)
    ]


def _figures() -> list[Target]:
    return [
        Target(
            "captions",
            "β and the sensitivities printed in the captions",
            "N Fig. 4, 5",
            reproduce_captions,
        ),
        Target(
            "fig-2",
            "the reduction of the local sensitivity, by candidate",
            "N Fig. 2",
            reproduce_local_sensitivity,
        ),
        *(
            Target(figure.id, figure.title, figure.place, partial(reproduce_four, figure))
            for figure in FIGURES
        ),
        Target("fig-6", "data size, k = 2 and 3", "N §4.3.1, Fig. 6", reproduce_crossover),
        Target("fig-7", "dimensions", "N §4.3.2, Fig. 7", tradeoff.reproduce_dimensions),
        Target("fig-8", "data variance", "N §4.3.3, Fig. 8", tradeoff.reproduce_variance),
        Target("fig-9", "prior", "N §4.3.4, Fig. 9", tradeoff.reproduce_prior),
        Target(
            "fig-10", "prior and variance", "N §4.3.5, Fig. 10", tradeoff.reproduce_prior_variance
        ),
        Target(
            "fig-11", "realised ε, n = 90 to 180", "N §4.4, Fig. 11", reproduce_concrete_epsilon
        ),
        *(
            Target(
                figure.id,
                f"error and law at ({','.join(map(str, figure.dataset))})",
                "L §4.3.2",
                partial(reproduce_laws, figure),
            )
            for figure in LAW_FIGURES
        ),
        Target(
            REPAIRS,
            "guarantees that fail, and the smallest change with which they hold",
            "N §2.2, §3.3, Fig. 4, 5; A Alg. 4, 5",
            reproduce_repairs,
        ),
    ]


TARGETS: dict[str, Target] = {target.id: target for target in (*_tables(), *_figures())}
"""All targets by id, in the order of the notes."""


def chosen_targets(names: Iterable[str]) -> list[Target]:
    """Return the targets called ``names``, each once, in the notes' order; all for no names.

    Raises ``ParameterError`` for an unknown name.
    """
    names = list(names)
    for name in names:
        if name not in TARGETS:
            raise ParameterError(
                "target",
                f"no target is called {name!r}; {nearest(name, TARGETS)}; "
                "dpaudit reproduce --list names all",
            )
    return [target for target in TARGETS.values() if not names or target.id in names]


_LONG_FIRST = {
    "fig-20-20-20-20": 700,
    "fig-1-1-1-77": 820,
    "fig-6": 120,
    "fig-5": 350,
    "fig-4": 350,
    REPAIRS: 300,
    "table-1-1-1-50": 130,
}
"""Megabytes of the targets that take longest, in the order in which they are started."""
_MEGABYTES = 160
"""Megabytes of any other target."""


def most_held(targets: Iterable[Target], jobs: int) -> int:
    """Return the largest number of bytes that ``jobs`` targets take at the same time."""
    megabytes = sorted((_LONG_FIRST.get(target.id, _MEGABYTES) for target in targets), reverse=True)
    return sum(megabytes[:jobs]) << 20


def decided(item: Item | Failed) -> bool:
    """Tell whether every number and statement of a target was decided."""
    return isinstance(item, Item) and item.verdict != PrintedOutcome.UNDECIDED.value


def reproduce(targets: Sequence[Target], jobs: int = 1) -> Generator[Item | Failed, None, None]:
    """Iterate over the items of the targets, in the order in which they are finished.

    A target that cannot be enclosed gives a :class:`~dpaudit.results.Failed`.
    """
    places = {name: place for place, name in enumerate(_LONG_FIRST)}
    # The longest start first: one of them started last would leave the other workers idle.
    order = sorted(targets, key=lambda target: places.get(target.id, len(places)))
    with executor_for(min(jobs, max(len(order), 1))) as executor:
        if executor is None:
            for target in targets:
                yield _computed(target.id)
            return
        futures = {executor.submit(_computed, target.id): target for target in order}
        for future in as_completed(futures):
            yield future.result()


def _computed(name: str) -> Item | Failed:
    target = TARGETS[name]
    try:
        return target.reproduce()
    except PrecisionError as error:
        return Failed(target.id, target.title, target.place, str(error))
