"""Mechanisms of users: what is given for a report, and the table that a law of theirs returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.definition import Listed
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import fraction, value
from dpaudit.recheck.relations import OLD_OF_SEQUENCES, RELATIONS, may_be_histograms

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.results import Source

__all__ = ["OwnMechanism", "TabulatedMechanism", "given_for"]


@dataclass(frozen=True)
class OwnMechanism:
    """A mechanism of a user's that a report may be about."""

    reference: str
    """How it was given: ``path.py:name``, ``module:name`` or an entry point."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""
    define: Callable[[str, Mapping[str, Any]], Definition]
    """Makes it from the name and the parameters that a report shows."""


def given_for(name: str, loaded: Source, own: Sequence[OwnMechanism]) -> OwnMechanism:
    """Return what was given for a mechanism: of the same name in the same file.

    A file that is another one says nothing about the report, for it or against it.
    """
    attribute = loaded.reference.rpartition(":")[2]
    named = [one for one in own if one.reference.rpartition(":")[2] == attribute]
    if not named:
        raise UnknownDefinitionError(f"{name} is not defined here a second time")
    for one in named:
        if one.sha256 and one.sha256 == loaded.sha256:
            return one
    there = f"SHA-256 {loaded.sha256[:12]}…" if loaded.sha256 else "no SHA-256"
    here = f"has {named[0].sha256[:12]}…" if named[0].sha256 else "has none"
    raise UnknownDefinitionError(
        f"{name} was audited from a file with {there}; {named[0].reference} {here}: another file"
    )


class TabulatedMechanism(Listed):
    """A mechanism by its function; datasets and outputs are known by the text a report shows."""

    def __init__(
        self,
        law: Callable[[Any], Mapping[Hashable, Any]],
        datasets: Callable[[int], Iterable[Any]],
        neighbours: tuple[str, Callable[[Any, Any], bool]],
        stated: tuple[str, str] | None,
        *,
        normalised: bool,
        defaulted: bool = False,
    ) -> None:
        """Take what the user wrote, and nothing that was computed from it.

        ``neighbours`` are the relation by its name, and a predicate for one that is the user's own;
        ``defaulted`` is whether the user named none.
        """
        self._law = law
        self._datasets = datasets
        self._named, self._own = neighbours
        self._defaulted = defaulted
        self._stated = stated
        self._normalised = normalised
        self._unclear = ""
        self._pairs: dict[tuple[str, int], list[tuple[Any, Any]]] = {}

    def stated(self) -> tuple[mpf, mpf] | None:
        return None if self._stated is None else (value(self._stated[0]), value(self._stated[1]))

    def law(self, dataset: Any) -> dict[str, mpf]:
        """Return the probabilities at ``dataset``, by the text of the output."""
        found: dict[str, mpf] = {}
        for output, weight in self._returned(dataset).items():
            found[shown(output)] = _read(weight)
            if not found[shown(output)] >= 0:
                raise UnknownDefinitionError(f"the law at {dataset!r} has a negative weight")
        total = mp.fsum(found.values())
        if self._normalised:
            if abs(total - 1) > mpf(10) ** (10 - mp.dps):
                raise UnknownDefinitionError(f"the law at {dataset!r} adds up to {total}")
            return found
        return {output: weight / total for output, weight in found.items()}

    def _returned(self, dataset: Any) -> Mapping[Hashable, Any]:
        """Return the law as the function gives it; whatever it raises, nothing is confirmed."""
        try:
            law = self._law(dataset)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UnknownDefinitionError(f"its law raised {type(error).__name__}") from None
        if not isinstance(law, Mapping):
            raise UnknownDefinitionError(f"its law at {dataset!r} is no table")
        return law

    def output_count(self, n: int) -> int | None:
        return len(
            [weight for weight in self.law(next(iter(self._datasets(n)))).values() if weight]
        )

    def dataset(self, shown_as: Any, n: int) -> Any:
        for dataset in self._datasets(n):
            if shown(dataset) == shown(shown_as):
                return dataset
        raise ValueError(f"{shown_as} is no dataset at n = {n}")

    def output(self, shown_as: Any) -> str:
        return shown(shown_as)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        return len(list(self._datasets(n))), len(self.pairs(n, relation, at))

    def adjacent(self, x: Any, y: Any, n: int, relation: str) -> bool:
        return self._near(relation, n)(x, y)

    def relation(self, given: str, *, defaulted: bool) -> str:
        name = OLD_OF_SEQUENCES.get(given, given)
        fits = name in RELATIONS if self._defaulted and not defaulted else name == self._named
        if not fits or defaulted > self._defaulted:
            whose = "by default" if self._defaulted else "as its author says"
            raise NotAReportError(
                f"adjacency = {given}: the mechanism's neighbours are {self._named}, {whose}"
            )
        self._unclear = given if defaulted or name != given else ""
        return name

    def _near(self, relation: str, n: int) -> Callable[[Any, Any], bool]:
        """Return the predicate; ``NotAReportError`` where the name has two readings at ``n``."""
        if self._unclear and may_be_histograms(self._datasets(n)):
            raise NotAReportError(
                f"adjacency = {self._unclear} is not certain: the datasets at n = {n} are tuples "
                "of whole numbers, sequences (one-entry, sequence-add-remove) or histograms "
                "(histogram-substitution, histogram-add-remove)"
            )
        return RELATIONS.get(relation, self._own)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Any, Any]]:
        if at is not None:
            raise UnknownDefinitionError("pairs around one dataset of an own mechanism")
        if (relation, n) not in self._pairs:
            space, near = list(self._datasets(n)), self._near(relation, n)
            self._pairs[relation, n] = [
                (x, y) for place, x in enumerate(space) for y in space[place + 1 :] if near(x, y)
            ]
        return self._pairs[relation, n]


def shown(value_: Any) -> str:
    """Return one text for a value and for what a report makes of it: a tuple is a list there."""
    if isinstance(value_, (tuple, list)):
        return f"[{','.join(map(shown, value_))}]"
    if isinstance(value_, (bool, int)) or value_ is None:
        return repr(value_)
    return f"'{value_}'"


def _read(weight: Any) -> mpf:
    if isinstance(weight, bool):
        raise UnknownDefinitionError(f"{weight} is no probability")
    if isinstance(weight, float):
        weight = repr(weight)
    if isinstance(weight, (int, Fraction, Decimal)):
        return fraction(Fraction(weight))
    if hasattr(weight, "mid"):
        return _middle(weight)
    return value(str(weight))


def _middle(ball: Any) -> mpf:
    """Return the middle of a ball of a user's, which is all that can be compared here."""
    mantissa, exponent = ball.mid().man_exp()
    return mp.ldexp(mpf(int(mantissa)), int(exponent))
