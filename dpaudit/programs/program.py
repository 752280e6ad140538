"""Programs as mechanisms: a function that draws at random, audited by the law of its paths."""

from __future__ import annotations

import inspect
import random as python_random
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError, ParameterError
from dpaudit.machine import uncollected
from dpaudit.mechanisms.apart import DerivedApart
from dpaudit.mechanisms.arguments import read_arguments
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.mechanisms.user import FiniteMechanism, Neighbours, claimed, relation_of, space_of
from dpaudit.mechanisms.user_laws import OwnLaws, read_table
from dpaudit.numbers.real import real
from dpaudit.programs.exploring.explore import along
from dpaudit.programs.exploring.words import Words
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.derived import Body, Explorer
from dpaudit.programs.output_laws.other_process import accept, derived_at
from dpaudit.programs.output_laws.printed_draws import Counted, Place, Printed
from dpaudit.programs.real.counted import fewest, unseen_mass
from dpaudit.programs.system_source import Drawn

if TYPE_CHECKING:
    from dpaudit.laws.law import ListedOutputs
    from dpaudit.mechanisms.base import Budget
    from dpaudit.mechanisms.user_laws import Table

__all__ = ["MOST_PATHS", "Program", "program"]

MOST_PATHS = 100_000
"""Default of the largest number of paths of a program at one dataset."""


class ProgramLaws(OwnLaws):
    """The laws of a program at one precision."""

    @uncollected()
    def law(self, dataset: Any) -> Any:
        """Return the law at ``dataset``."""
        try:
            assert isinstance(self._law, Explorer)
            found = self._law.open_law(dataset)
            self._check_runs(dataset)
        except LawError as error:
            raise LawError(f"{self.title} at {dataset!r}: {error}") from None
        return super().law(dataset) if found is None else found

    def _check_runs(self, dataset: Any) -> None:
        """Refuse a program that raises at every dataset; one that does at some tells them apart."""
        assert isinstance(self._law, Explorer)
        raised = self._law.exploration(dataset).raises()
        if raised and all(self._law.exploration(one).raises() for one in self._chunk(dataset)):
            raise LawError(raised)

    def table(self, dataset: Any) -> Table:
        """Return the law as a table: it was derived here, of paths that were followed twice."""
        return read_table(self.called(dataset))


@dataclass(frozen=True)
class Program(FiniteMechanism, DerivedApart):
    """A program; see :func:`program`."""

    function: Body = field(default=lambda: None, repr=False, compare=False)
    """The function that was decorated."""
    made: Callable[..., Program] | None = field(default=None, repr=False, compare=False)
    not_as_run: str = field(default="", repr=False, compare=False)
    """Reason why the law of a plain function is not that of its floats; empty if not asked for."""

    @property
    def explorer(self) -> Explorer:
        """Explorer that derives its law."""
        assert isinstance(self.law, Explorer)
        return self.law

    @property
    def with_parameters(self) -> Callable[..., Program]:
        """Return the same program with other parameters, given by name."""
        assert self.made is not None
        return self.made

    def laws(self) -> OwnLaws:
        return ProgramLaws(self.title, self.explorer, chunk=self.relation.chunk, seen=self.seen)

    def path_to(self, dataset: Any, output: Hashable) -> tuple[str, ...]:
        if self.explorer.run_as_is:
            return ()
        joined = self.explorer.joined(dataset)
        trail = (
            _trail_to(self.explorer.exploration(dataset).trails, output)
            if joined is None
            else joined.trail_to(output)
        )
        given = dict(self.explorer.parameters)
        return (
            ()
            if trail is None
            else _path_in_words(
                lambda random: self.function(dataset, random, **given),
                trail,
                self.explorer.most_paths,
            )
        )

    def derivation(self, n: int, *, whole: bool = True) -> dict[str, Any]:
        first = next(iter(self.relation.listing(n)))
        found: dict[str, Any] = {"semantics": self.semantics, "paths": self.paths(first)}
        if self.explorer.run_as_is:
            for dataset in self.relation.listing(n) if whole else ():
                self.paths(dataset)
            notes = self.explorer.notes.values()
            found["interposed"] = tuple(sorted({n for one in notes for n in one.interposed()}))
            found["monotone"] = tuple(sorted({n for one in notes for n in one.monotone()}))
        elif self.explorer.plain is not None:
            used = self.explorer.plain.used
            found["interposed"] = tuple(sorted(one for one in used if not one.endswith(".seed")))
            found["not_as_run"] = self.not_as_run or None
        real = fewest(one.real for one in self.explorer.explored.values())
        return {
            **found,
            "rest": self.explorer.largest_rest(),
            "real_runs": real.runs,
            "unseen_mass": "0" if real.exhaustive else unseen_mass(real.runs),
        }

    def underived(self, n: int) -> list[Any]:
        if self.explorer.run_as_is:
            return []
        listed = list(self.relation.listing(n))
        left = [one for one in listed if one not in self.explorer.explored]
        if self.explorer.by_entries(left, len(listed)):  # which takes less time than to send them
            return []
        return left

    def listed_outputs(self, n: int) -> ListedOutputs:
        if n not in self.counted:
            self.explorer.prepare(self.relation.listing(n))
        return super().listed_outputs(n)

    def derive(self, datasets: Sequence[Any]) -> list[Any]:
        self.explorer.prepare(datasets)
        return [derived_at(self.explorer, dataset) for dataset in datasets]

    def accept(self, datasets: Sequence[Any], found: Sequence[Any]) -> None:
        accept(self.title, self.explorer, datasets, found)

    def laws_at_hand(self) -> Collection[Any]:
        return self.explorer.explored

    @property
    def semantics(self) -> str:
        """Semantics of its draws: real numbers (``ideal``), or the code's floats (``as run``)."""
        return "as run" if self.explorer.run_as_is else "ideal"

    def paths(self, dataset: Any) -> int:
        """Return how many paths it has at ``dataset``."""
        return self.explorer.exploration(dataset).paths

    def run(self, dataset: Any) -> Any:
        """Run it once at ``dataset``, on the system's cryptographic source.

        Raises:
            ParameterError: for a continuous draw: no number of finitely many digits has its law.
        """
        if self.explorer.run_as_is:
            given = (python_random,) if self.explorer.given_module else ()
            return self.function(dataset, *given, **dict(self.explorer.parameters))
        if self.explorer.plain is not None:
            return self.explorer.plain.call(dataset)
        return self.function(dataset, Drawn(), **dict(self.explorer.parameters))


def program(
    *,
    datasets: Any,
    neighbours: Neighbours | None = None,
    budget: Any = None,
    name: str | None = None,
    paths: int = MOST_PATHS,
    real_runs: int | None = None,
    as_run: bool = False,
) -> Callable[[Body], Program]:
    """Turn a function that draws random noise into a mechanism to audit.

    The function is (dataset, random, **parameters) → output, or with ``as_run`` (dataset,
    **parameters) → output.

    Args:
        datasets: all datasets, or a function that returns those of size n; hashable values.
        neighbours: as for :func:`dpaudit.finite_mechanism`.
        budget: the stated budget ε, or (ε, δ); a text may name parameters, as in ``"2*eps"``; None
            if there is none.
        name: its name in reports; by default the function's name.
        paths: largest number of paths at one dataset; dpaudit refuses a program with more, unless
            the others have hardly any probability. ``--paths`` overrides it.
        real_runs: number of random runs of the real code that check the derived output distribution
            at each dataset; ``--real-runs`` overrides it. None: as many as a share of the time
            allows (:mod:`dpaudit.programs.real.effort`).
        as_run: True if the function draws from Python's or NumPy's own modules; dpaudit then
            follows the floats and integers that they return.

    Returns:
        A decorator. Its result is a mechanism, whose method ``run`` draws real randomness.

    Raises:
        ParameterError: for bad input, and for parameters without a default.

    >>> @program(datasets=range(3), neighbours=lambda x, y: abs(x - y) == 1, budget="eps")
    ... def count(true, random, eps="1/2"):
    ...     return true + random.discrete_laplace(2)
    >>> count.name
    'count'
    """
    _at_least_one("paths", paths)
    if real_runs is not None:
        _at_least_one("real_runs", real_runs)
    space, sized = space_of(datasets)
    relation = relation_of(neighbours, space, sized=sized)

    def decorate(function: Body) -> Program:
        title = str(name or getattr(function, "__name__", "program"))
        signature = inspect.signature(function)
        own = list(signature.parameters.values())[1 if as_run else 2 :]
        for parameter in own:
            if parameter.name == "as_run":
                raise ParameterError(
                    "as_run", f"{title}: as_run cannot be the name of a parameter; rename it"
                )
            if parameter.default is inspect.Parameter.empty or parameter.kind in (
                inspect.Parameter.VAR_KEYWORD,
                inspect.Parameter.VAR_POSITIONAL,
            ):
                raise ParameterError(
                    parameter.name, f"{title}: the parameter {parameter.name} needs a default"
                )
        defaults = {parameter.name: parameter.default for parameter in own}

        def made(**given: object) -> Program:
            read = read_arguments(title, made, given)
            settings = {"paths": paths, "real_runs": real_runs}
            values = {"as_run": as_run, **settings, **defaults, **read}
            run_as_is = values.pop("as_run")
            given_settings = {
                name: before if name in defaults else _setting(name, values.pop(name))
                for name, before in settings.items()
            }
            if as_run and not run_as_is:
                raise ParameterError(
                    "as_run",
                    f"{title} draws from its own generators, so dpaudit cannot read it with ideal "
                    "noise",
                )
            if run_as_is:
                values = {key: _as_run(value, defaults[key]) for key, value in values.items()}
            parameters = tuple((key, _hashable(value)) for key, value in values.items())
            if run_as_is and not as_run:
                parameters += (("as_run", True),)
            parameters += tuple(
                (name, value) for name, value in given_settings.items() if value != settings[name]
            )
            return Program(
                title,
                Explorer(
                    function,
                    tuple(values.items()),
                    given_settings["paths"] or MOST_PATHS,
                    run_as_is=run_as_is,
                    given_module=not as_run,
                    real_runs=given_settings["real_runs"],
                ),
                _budget(title, budget, values),
                relation,
                sized=sized,
                given=parameters,
                function=function,
                made=made,
            )

        made.__name__ = title
        made.__module__ = function.__module__
        made.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[
                *own,
                _AS_RUN.replace(default=as_run),
                *([] if "paths" in defaults else [_PATHS.replace(default=paths)]),
                *([] if "real_runs" in defaults else [_REAL_RUNS.replace(default=real_runs)]),
            ],
            return_annotation=inspect.Signature.empty,
        )
        return made()

    return decorate


def _at_least_one(name: str, count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        why = ", because nothing is certified without real runs" if name == "real_runs" else ""
        raise ParameterError(name, f"{name} = {count!r}: must be a whole number, at least 1{why}")
    return count


def _setting(name: str, count: Any) -> int | None:
    return None if count is None else _at_least_one(name, count)


_PATHS = inspect.Parameter("paths", inspect.Parameter.KEYWORD_ONLY, annotation=int)
_REAL_RUNS = inspect.Parameter("real_runs", inspect.Parameter.KEYWORD_ONLY, annotation=int)
_AS_RUN = inspect.Parameter("as_run", inspect.Parameter.KEYWORD_ONLY, annotation=bool)


def _as_run(value: Any, default: Any) -> Any:
    """Return a parameter as code has it: a float where the default is one."""
    return float(value) if isinstance(default, float) and isinstance(value, Fraction) else value


def _hashable(value: Any) -> Hashable:
    if isinstance(value, (list, tuple)):
        return tuple(map(_hashable, value))
    hashable: Hashable = value
    return hashable


def _budget(title: str, budget: Any, values: Mapping[str, Any]) -> Budget | None:
    """Return the stated budget, with the parameters that it names put in."""
    if isinstance(budget, (tuple, list)):
        return claimed(tuple(_number(title, part, values) for part in budget))
    return None if budget is None else claimed(_number(title, budget, values))


def _number(title: str, part: Any, values: Mapping[str, Any]) -> Any:
    if not isinstance(part, str):
        return part

    def put_in(found: re.Match[str]) -> str:
        name = found.group()
        return f"({parameter_text(values[name])})" if name in values else name

    return real(re.sub(r"[A-Za-z_]\w*", put_in, part))


def _trail_to(
    trails: Mapping[Hashable, tuple[int, ...]], output: Hashable
) -> tuple[int, ...] | None:
    """Return the decisions of a path that gives an output, as a report shows it."""
    if output in trails:
        return trails[output]
    for one, trail in trails.items():
        if isinstance(one, (Printed, Counted)) and _alike(one.fixed, output):
            return trail
    return None


def _alike(form: Any, output: Any) -> bool:
    if isinstance(form, Place):
        return True
    if isinstance(form, tuple) and isinstance(output, tuple):
        return len(form) == len(output) and all(map(_alike, form, output))
    return bool(form == output)


def _path_in_words(body: Callable[..., Any], trail: tuple[int, ...], most: int) -> tuple[str, ...]:
    """Return what is decided on the path of a program that takes these decisions."""
    words = Words()
    try:
        along(body, trail, most, words)
    except Refused:  # it changes its ways: what was found out before stands, and nothing is told
        return ()
    return tuple(words.told)
