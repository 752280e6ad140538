"""Mechanisms of users: what is given for a report, and the table that a law of theirs returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import combinations
from numbers import Integral, Number
from typing import Any

from mpmath import mp, mpf

from dpaudit.errors import LawError
from dpaudit.recheck.definition import Definition, Listed
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import WORDS_OF_SEQUENCES, may_be_histograms, relation_called
from dpaudit.recheck.numbers import fraction, value
from dpaudit.results import Source
from dpaudit.results.documents import value_text

__all__ = ["OwnMechanism", "TabulatedMechanism", "own_of"]


@dataclass(frozen=True)
class OwnMechanism:
    """A mechanism of a user's that a report may be about."""

    reference: str
    """Reference it was given by: ``path.py:name``, ``module:name`` or an entry point."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""
    define: Callable[[str, Mapping[str, Any]], Definition]
    """Makes it from the name and the parameters that a report shows."""
    shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    """Function from some parameters to all parameters, as a report shows them."""


def own_of(name: str, loaded: Source, own: Sequence[OwnMechanism]) -> OwnMechanism:
    """Return the user's mechanism of the same name in the same file.

    Another file says nothing about the report, for it or against it.
    """
    attribute = loaded.reference.rpartition(":")[2]
    named = [mechanism for mechanism in own if mechanism.reference.rpartition(":")[2] == attribute]
    if not named:
        raise UnknownDefinitionError(
            f"verify needs the code of {name}: give its file with --own path.py:{attribute}"
        )
    for mechanism in named:
        if mechanism.sha256 and mechanism.sha256 == loaded.sha256:
            return mechanism
    there = f"SHA-256 {loaded.sha256[:12]}…" if loaded.sha256 else "no SHA-256"
    here = f"has {named[0].sha256[:12]}…" if named[0].sha256 else "has none"
    raise UnknownDefinitionError(
        f"{name} was audited from a file with {there}; {named[0].reference} {here}: another file"
    )


Table = dict["Hashable", mpf]
"""Outputs as the function returns them: equal ones are one output, whatever reports show."""

_LARGEST_INTEGER = 2**63
"""Reports show whole numbers from here on as text."""


class TabulatedMechanism(Listed):
    """A mechanism by its function; a report knows its datasets and outputs by their text alone."""

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
        self._texts: dict[Hashable, str] = {}
        self._pairs: dict[tuple[str, int, str | None], list[tuple[Any, Any]]] = {}

    def stated(self) -> tuple[mpf, mpf] | None:
        return None if self._stated is None else (value(self._stated[0]), value(self._stated[1]))

    def law(self, dataset: Any) -> Table:
        """Return the probabilities at ``dataset``."""
        table: Table = {}
        for output, weight in self._returned(dataset).items():
            text = _of_type(output)
            # True and 1 are one key of a dictionary, and two outputs in a report.
            if self._texts.setdefault(output, text) != text:
                raise UnknownDefinitionError(
                    f"its outputs {self._texts[output]} and {text} are equal in Python"
                )
            table[output] = _not_noise(weight)
            if not table[output] >= 0:
                raise UnknownDefinitionError(f"the law at {dataset!r} has a negative weight")
        total = mp.fsum(table.values())
        if self._normalised:
            if abs(total - 1) > mpf(10) ** (10 - mp.dps):
                raise UnknownDefinitionError(f"the law at {dataset!r} adds up to {total}")
            return table
        return {output: weight / total for output, weight in table.items()}

    def _returned(self, dataset: Any) -> Mapping[Hashable, Any]:
        """Return the law as the function gives it; whatever it raises, nothing is confirmed."""
        try:
            law = self._law(dataset)
            law = dict(law) if isinstance(law, Mapping) else law
        except KeyboardInterrupt:
            raise
        except LawError as error:
            raise UnknownDefinitionError(f"it has no table: {error}") from None
        # A user's code may raise anything, an exit among it: only an interruption is ours.
        except BaseException as error:
            raise UnknownDefinitionError(f"its law raised {type(error).__name__}") from None
        if not isinstance(law, Mapping):
            raise UnknownDefinitionError(f"its law at {dataset!r} is not a table")
        return law

    def probability(self, dataset: Any, output: str) -> mpf:
        return self.probabilities(dataset, dataset, output)[0]

    def probabilities(self, x: Any, y: Any, output: str) -> tuple[mpf, mpf]:
        """Return P_x and P_y of the output with this text; of several, where the loss is largest.

        All of them are outputs, and a witness is one where no other has a larger loss.
        """
        p, q = self.law(x), self.law(y)
        alike = [r for r in (*p, *q) if _report_text(r) == output]
        masses = [(p.get(r, mpf(0)), q.get(r, mpf(0))) for r in alike]
        nothing = mpf(0), mpf(0)
        return max(
            masses, key=lambda pair: pair[0] / pair[1] if pair[1] else mp.inf, default=nothing
        )

    def output_count(self, n: int) -> int | None:
        return len(
            [weight for weight in self.law(next(iter(self._datasets(n)))).values() if weight]
        )

    def dataset(self, reported: Any, n: int) -> Any:
        alike = [x for x in self._datasets(n) if _report_text(x) == _report_text(reported)]
        if not alike:
            raise ValueError(f"{reported} is not a dataset at n = {n}")
        if len(alike) > 1:
            raise UnknownDefinitionError(f"{len(alike)} datasets are shown as {reported}")
        return alike[0]

    def output(self, reported: Any) -> str:
        return _report_text(reported)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        return len(list(self._datasets(n))), len(self.pairs(n, relation, at))

    def extent(self, n: int, relation: str, at: str | None) -> tuple[int, int, int]:
        """Return them with as many pairs as if every dataset had the neighbours of the first."""
        datasets, near = list(self._datasets(n)), self._near(relation, n)
        around = sum(near(datasets[0], other) for other in datasets[1:])
        return len(datasets), len(datasets) * around // 2, self.output_count(n) or 0

    def adjacent(self, x: Any, y: Any, n: int, relation: str) -> bool:
        return self._near(relation, n)(x, y)

    def relation(self, reported: str, *, defaulted: bool) -> str:
        name = WORDS_OF_SEQUENCES.get(reported, reported)
        fits = (
            relation_called(name) is not None
            if self._defaulted and not defaulted
            else name == self._named
        )
        if not fits or defaulted > self._defaulted:
            whose = "by default" if self._defaulted else "as its author says"
            raise NotAReportError(
                f"adjacency = {reported}: the mechanism's neighbours are {self._named}, {whose}"
            )
        self._unclear = reported if defaulted or name != reported else ""
        return name

    def default_relation(self) -> tuple[str, bool]:
        return self._named, self._defaulted

    def _near(self, relation: str, n: int) -> Callable[[Any, Any], bool]:
        """Return the predicate; ``NotAReportError`` where the name has two readings at ``n``."""
        if self._unclear and may_be_histograms(self._datasets(n)):
            raise NotAReportError(
                f"adjacency = {self._unclear} is not certain: the datasets at n = {n} are tuples "
                "of whole numbers, sequences (one-entry, sequence-add-remove) or histograms "
                "(histogram-substitution, histogram-add-remove)"
            )
        return relation_called(relation) or self._own

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Any, Any]]:
        if (relation, n, at) not in self._pairs:
            space, near = list(self._datasets(n)), self._near(relation, n)
            both = combinations(range(len(space)), 2) if at is None else _around(space, at)
            self._pairs[relation, n, at] = [
                (space[i], space[j]) for i, j in both if near(space[i], space[j])
            ]
        return self._pairs[relation, n, at]


def _report_text(datum: Any) -> str:
    """Return the same text for a value and for its form in a report.

    In a report a tuple is a list, a member of an enumeration its value, and a large number a text;
    text that is not Unicode is escaped, and the members of sets are sorted.
    """
    if isinstance(datum, Enum):
        return _report_text(datum.value)
    if isinstance(datum, (tuple, list)):
        return f"[{','.join(map(_report_text, datum))}]"
    if datum is None or isinstance(datum, bool):
        return repr(datum)
    if type(datum) is int and abs(datum) < _LARGEST_INTEGER:
        return repr(datum)
    return f"'{value_text(datum)}'".encode(errors="backslashreplace").decode()


def _of_type(output: Any) -> str:
    """Return a text in which True and 1 differ, and NumPy's numbers are those that they are."""
    if isinstance(output, tuple):
        return f"[{','.join(map(_of_type, output))}]"
    if isinstance(output, Integral) and not isinstance(output, bool):
        return repr(int(output))
    return repr(float(output)) if isinstance(output, float) else _report_text(output)


def _around(space: Sequence[Any], at: str) -> list[tuple[int, int]]:
    """Return the places of all pairs that hold a dataset called ``at``; ``ValueError`` for none."""
    only = [i for i, dataset in enumerate(space) if at in (_called(dataset), repr(dataset))]
    if not only:
        raise ValueError(f"no dataset has this name; there are {len(space)}")
    return sorted({(min(i, j), max(i, j)) for i in only for j in range(len(space)) if i != j})


def _called(dataset: Any) -> str:
    """Return what a dataset is called on the command line: 0,1 for a tuple."""
    return ",".join(map(str, dataset)) if isinstance(dataset, tuple) else str(dataset)


def _not_noise(weight: Any) -> mpf:
    """Return a weight; 0 where what is left of it is smaller at any higher precision."""
    read = _read(weight)
    if read == 0 or abs(read) > _noise() or not isinstance(weight, (str, Number)):
        return read
    with mp.workdps(3 * mp.dps):
        better = _read(weight)
        return better if abs(better) > _noise() else mpf(0)


def _noise() -> mpf:
    """Return what may be left of a difference that is 0."""
    return mpf(10) ** (15 - mp.dps)


def _read(weight: Any) -> mpf:
    if isinstance(weight, (int, float, Integral)):
        if isinstance(weight, bool):
            raise UnknownDefinitionError(f"{weight} is no probability")
        # NumPy's numbers read as the ones they are
        weight = float.__repr__(weight) if isinstance(weight, float) else int(weight)
    if isinstance(weight, str):
        return value(weight)
    if isinstance(weight, (int, Fraction, Decimal)):
        return fraction(Fraction(weight))
    if hasattr(weight, "mid"):
        return _middle(weight)
    return value(str(weight))


def _middle(ball: Any) -> mpf:
    """Return the middle of a ball of a user's, which is all that can be compared here."""
    mantissa, exponent = ball.mid().man_exp()
    return mp.ldexp(mpf(int(mantissa)), int(exponent))
