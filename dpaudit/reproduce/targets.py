"""Everything that can be reproduced, by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError, nearest
from dpaudit.reproduce.captions import reproduce_captions
from dpaudit.reproduce.concrete_epsilon import reproduce_concrete_epsilon
from dpaudit.reproduce.crossover import reproduce_crossover
from dpaudit.reproduce.four_mechanisms import FIGURE_3, FIGURE_4, FIGURE_5, reproduce_four
from dpaudit.reproduce.laws_compared import LAW_FIGURES, reproduce_laws
from dpaudit.reproduce.local_sensitivity import reproduce_local_sensitivity
from dpaudit.reproduce.printed_tables import BETA, CENTRE, EDGE
from dpaudit.reproduce.tables import reproduce_table
from dpaudit.reproduce.tradeoff import (
    reproduce_dimensions,
    reproduce_prior,
    reproduce_prior_variance,
    reproduce_variance,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dpaudit.reproduce.findings import Item

__all__ = ["TARGETS", "Target", "chosen_targets"]


@dataclass(frozen=True)
class Target:
    """Something in the notes that can be computed again."""

    id: str
    title: str
    place: str
    """Where the notes have it."""
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
            for figure in (FIGURE_3, FIGURE_4, FIGURE_5)
        ),
        Target("fig-6", "data size, k = 2 and 3", "N §4.3.1, Fig. 6", reproduce_crossover),
        Target("fig-7", "dimensions", "N §4.3.2, Fig. 7", reproduce_dimensions),
        Target("fig-8", "data variance", "N §4.3.3, Fig. 8", reproduce_variance),
        Target("fig-9", "prior", "N §4.3.4, Fig. 9", reproduce_prior),
        Target("fig-10", "prior and variance", "N §4.3.5, Fig. 10", reproduce_prior_variance),
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
    ]


TARGETS: dict[str, Target] = {target.id: target for target in (*_tables(), *_figures())}
"""All targets by id, in the order of the notes."""


def chosen_targets(names: Iterable[str]) -> list[Target]:
    """Return the targets called ``names``, each once, in the notes' order; all for no names.

    Raises ``ParameterError`` for a name that is none.
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
