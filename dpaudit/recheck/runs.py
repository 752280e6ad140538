"""δ of the runs of a certified account at the pair of a row, in the ways that there are.

Runs of few joint losses are composed by brute force.  Gaussian runs, Laplace runs and one sampled
run have closed forms.  All others have a contour integral over the moments of one run's loss, right
to some digits, and two certain ends by Fourier transforms of lattices, which are wider.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.accounts import Composition, together
from dpaudit.recheck.continuous import ContinuousNoise, Gaussian, Laplace
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.inversion import delta_of_runs
from dpaudit.recheck.laplace_runs import MOST_WORK, LaplaceRuns
from dpaudit.recheck.losses import (
    Losses,
    atoms_of,
    ball,
    below_of,
    continuous,
    listed,
    number_of,
    replaced_below,
    with_bits,
)
from dpaudit.recheck.numbers import value
from dpaudit.recheck.options import LOADED
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.spectrum import Spectrum

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.subject import Recheck
    from dpaudit.results import CertifiedAccount, DeltaRow, EpsilonRow


__all__ = ["CERTAIN_DIGITS", "Runs", "runs_of"]

CERTAIN_DIGITS = 40
"""Digits that certain ends are computed with."""
_FEWEST = 16
"""Moments of fewer sampled runs fall off too slowly for their integral to end."""
_BEYOND = 20
"""Bits beyond those of the working precision."""
_CELLS = 8
_REACH = 12


class Runs(NamedTuple):
    """Methods that give δ of the runs of a row."""

    delta: Callable[[mpf], mpf] | None = None
    """δ at ε to the working precision, where there is such a way."""
    integral: Callable[[mpf, int], tuple[mpf, mpf]] | None = None
    """δ at ε by a contour integral to so many digits, else; with how far it may be off."""
    spectrum: Spectrum | None = None
    """Gives two ends that δ certainly lies between."""


class _Part(NamedTuple):
    """Runs of one mechanism, as it is defined a second time."""

    definition: Definition
    runs: int
    rate: ClosedForm | None


def _parts(recheck: Recheck, account: CertifiedAccount, where: str) -> list[_Part]:
    """Return the runs of all mechanisms, which are all on samples or all on the data."""
    parts = [_Part(recheck.defined, account.compose, account.sample_rate)]
    for further in account.then:
        if further.compose < 1:
            raise NotAReportError(f"compose = {further.compose}: must be at least 1")
        if further.loaded is not None:
            recheck.findings.take(LOADED)
        definition = definition_of(further.described, recheck.options.own, further.loaded)
        relation = definition.relation(account.adjacency, defaulted=account.adjacency_defaulted)
        same = relation == recheck.relation
        message = f"{further.described.get('name')} has other neighbours than {recheck.name}"
        recheck.expect(same, "relations", where, message)
        parts.append(_Part(definition, further.compose, further.sample_rate))
    if len({further.rate is None for further in parts}) > 1:
        raise NotAReportError("some runs are on samples, and some are not")
    return parts


def runs_of(
    recheck: Recheck, account: CertifiedAccount, row: EpsilonRow | DeltaRow, where: str
) -> Runs | None:
    """Return δ(ε) of the runs at the pair of a row, by whichever way there is, and certain ends."""
    parts = _parts(recheck, account, where)
    if row.direction is not None:
        remove, moments, losses = row.direction == "remove", [], []
        if row.direction == "substitution":
            ends = Spectrum([_replaced(part) for part in parts])
            return Runs(None, _by_moments(_no_moments), ends)
        if len(parts) == 1 and account.compose == 1:
            return Runs(_sampled_once(parts[0], remove=remove))
        for part in parts:
            definition, form = _sampled_noise(part)
            with mp.workdps(CERTAIN_DIGITS):
                noise = definition, 1, value(form)
                below, atoms = below_of(*noise), atoms_of(*noise)
                losses.append(continuous(below, part.runs, turned=not remove, atoms=atoms))
            moments.append((definition, part.runs, value(form)))

        def sampled() -> _Listed:
            if account.compose < _FEWEST:
                raise UnknownDefinitionError(
                    f"verify cannot recompute δ of fewer than {_FEWEST} sampled runs: its integral "
                    "converges too slowly"
                )
            return [
                (_sampled(mechanism, q, remove=remove), runs) for mechanism, runs, q in moments
            ], []

        return Runs(None, _by_moments(sampled), Spectrum(losses))
    if parts[0].rate is not None:
        raise NotAReportError("the runs use samples, but a row has no direction")
    pair = recheck.pair((row.x, row.y), account.n, where)
    if pair is None:
        return None
    pairs = [pair]
    for part in parts[1:]:
        x, y = (part.definition.dataset(reported, account.n) for reported in (row.x, row.y))
        near = part.definition.adjacent(x, y, account.n, recheck.relation)
        message = f"{row.x} and {row.y} are not neighbours in every mechanism"
        recheck.expect(near, "neighbours", where, message)
        pairs.append((x, y))
    if len(parts) == 1 and account.compose == 1:
        return Runs(lambda epsilon: parts[0].definition.delta(*pair, epsilon))
    if len(parts) == 1 and isinstance(parts[0].definition, Gaussian):
        gaussian, shift = parts[0].definition, abs(pair[0][0] - pair[1][0])
        return Runs(lambda e: gaussian.delta_of_runs(shift, account.compose, e))
    if any(isinstance(part.definition, ContinuousNoise) for part in parts):
        with suppress(UnknownDefinitionError):
            return Runs(_beside_laplace(parts, pairs))
        return Runs(None, _by_moments(lambda: _moments(parts, pairs)), _spectrum(parts, pairs))

    joint = _joint(parts, pairs)
    try:
        joint(mp.dps)
        return Runs(lambda epsilon: joint(mp.dps).delta(epsilon))
    except UnknownDefinitionError:
        return Runs(None, _by_moments(lambda: _moments(parts, pairs)), _spectrum(parts, pairs))


def _sampled_noise(part: _Part) -> tuple[ContinuousNoise, ClosedForm]:
    """Return the noise of a sampled run, and its rate; ``NotAReportError`` for any other run."""
    if part.rate is None or not isinstance(part.definition, ContinuousNoise):
        raise NotAReportError("a row has a direction, but nothing is sampled")
    if not 0 < value(part.rate) <= 1:
        raise NotAReportError(f"sample_rate = {part.rate}: must be within (0, 1]")
    return part.definition, part.rate


def _no_moments() -> _Listed:
    raise UnknownDefinitionError(
        "verify has no second way to compute δ if a record is replaced in Poisson samples"
    )


def _replaced(part: _Part) -> Losses:
    """Return the losses of a record that is replaced in Poisson samples of normal noise."""
    definition, form = _sampled_noise(part)
    if not isinstance(definition, Gaussian):
        raise NotAReportError("only Gaussian runs may have a record that is replaced")
    with mp.workdps(CERTAIN_DIGITS):
        return continuous(replaced_below(definition, value(form)), part.runs)


def _sampled_once(part: _Part, *, remove: bool) -> Callable[[mpf], mpf]:
    """Return δ(ε) of one sampled run, from the masses of both laws beyond the loss ε."""
    noise, rate = _sampled_noise(part)

    def delta(epsilon: mpf) -> mpf:
        with with_bits(mp.prec + _BEYOND):
            below = below_of(noise, 1, value(rate))
            p, q = below(ball(epsilon if remove else -epsilon))
            factor = ball(epsilon).exp()
            return number_of(1 - p - factor * (1 - q) if remove else q - factor * p)

    return delta


def _joint(
    parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]
) -> Callable[[int], Composition]:
    """Return a function from a number of decimals to the joint law of runs with listed outputs."""

    @lru_cache(maxsize=4)
    def joint(dps: int) -> Composition:
        each = [(part, *pair) for part, pair in zip(parts, pairs, strict=True)]
        return together(
            [Composition(part.definition.masses(x, y), part.runs, dps - 30) for part, x, y in each]
        )

    return joint


def _beside_laplace(
    parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]
) -> Callable[[mpf], mpf]:
    """Return δ(ε) of runs of Laplace noise, and of others whose outputs are listed.

    Raises:
        UnknownDefinitionError: where there is other noise, or there are too many runs.
    """
    each = list(zip(parts, pairs, strict=True))
    noisy = [(part, pair) for part, pair in each if isinstance(part.definition, ContinuousNoise)]
    if not all(isinstance(part.definition, Laplace) for part, _ in noisy):
        raise UnknownDefinitionError("other noise than Laplace's has no closed form here")
    runs = LaplaceRuns([part.runs for part, _ in noisy])
    others = [
        (part, pair) for part, pair in each if not isinstance(part.definition, ContinuousNoise)
    ]
    joint = _joint([part for part, _ in others], [pair for _, pair in others])
    if others and len(joint(mp.dps).masses) * runs.work > MOST_WORK:
        raise UnknownDefinitionError(
            "verify cannot recompute δ of these Laplace runs with the other runs: they have too "
            "many combinations of privacy losses"
        )

    def delta(epsilon: mpf) -> mpf:
        shifts = [part.definition.largest_loss(*pair) for part, pair in noisy]
        if not others:
            return runs.delta(shifts, epsilon)
        beside = joint(mp.dps)
        terms = [p * runs.delta(shifts, epsilon - mp.log(p / q)) for p, q in beside.masses]
        return mp.fsum([*terms, beside.lacking])

    return delta


def _spectrum(parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]) -> Spectrum:
    losses = []
    with mp.workdps(CERTAIN_DIGITS):
        for part, (x, y) in zip(parts, pairs, strict=True):
            if isinstance(part.definition, ContinuousNoise):
                apart = part.definition, abs(x[0] - y[0]), None
                losses.append(continuous(below_of(*apart), part.runs, atoms=atoms_of(*apart)))
            else:
                losses.append(listed(part.definition.masses(x, y), part.runs))
    return Spectrum(losses)


def _moments(
    parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]
) -> tuple[list[tuple[Callable[[Any], Any], int]], list[mpf]]:
    """Return the moments of one run of each part at its pair, and distances of its losses."""
    moments: list[tuple[Callable[[Any], Any], int]] = []
    distances: list[mpf] = []
    for part, (x, y) in zip(parts, pairs, strict=True):
        if isinstance(part.definition, ContinuousNoise):
            if not isinstance(part.definition, Gaussian):
                distances.append(2 * part.definition.largest_loss(x, y))
            moments.append((part.definition.moment, part.runs))
            continue
        masses = part.definition.masses(x, y)
        if any(q == 0 < p for p, q in masses):
            raise UnknownDefinitionError(
                "verify has no second way to compose infinite losses of many runs"
            )
        both = [(p, mp.log(p / q)) for p, q in masses if p > 0]
        moments.append((_of_listed(both), part.runs))
        losses = sorted(loss for _, loss in both)
        distances += [b - a for a, b in pairwise(losses) if b - a > mpf(10) ** -9]
    if any(isinstance(part.definition, Gaussian) for part in parts):
        return moments, []  # no line of moments comes back
    return moments, distances


def _of_listed(both: list[tuple[mpf, mpf]]) -> Callable[[Any], Any]:
    return lambda z: mp.fsum(p * mp.exp(z * loss) for p, loss in both)


_Listed = tuple[list[tuple["Callable[[Any], Any]", int]], list[mpf]]


def _by_moments(law: Callable[[], _Listed]) -> Callable[[mpf, int], tuple[mpf, mpf]]:
    """Return δ(ε) as an integral over moments, which are computed, or refused, at the call."""

    def delta(epsilon: mpf, digits: int) -> tuple[mpf, mpf]:
        moments, distances = law()
        (moment, runs), *others = moments
        if others:
            runs, moment = 1, lambda z: mp.fprod(each(z) ** times for each, times in moments)
        return delta_of_runs(moment, runs, epsilon, digits, distances=distances)

    return delta


def _sampled(definition: ContinuousNoise, rate: mpf, *, remove: bool) -> Callable[[Any], Any]:
    """Return E e^(zL) of one subsampled run, by the trapezoidal rule over the output."""
    if not isinstance(definition, Gaussian):
        raise UnknownDefinitionError("sampled runs are computed again for Gaussian noise alone")
    from flint import acb

    sigma = definition.number("sigma")

    @lru_cache
    def table(reach: int) -> list[tuple[Any, Any]]:
        first = -int(mp.ceil(_REACH * sigma)) * _CELLS
        step, masses = sigma / _CELLS, []
        last = int(mp.ceil((reach + 2) / step)) + _REACH * _CELLS
        for place in range(int(first / sigma), last + 1):
            x = place * step
            weight = mp.npdf(x, 0, sigma) * step
            loss = mp.log1p(rate * mp.expm1((2 * x - 1) / (2 * sigma**2)))
            masses.append((ball(weight).mid(), ball(loss).mid()))
        return masses

    def moment(z: Any) -> Any:
        power = z + 1 if remove else -z
        reach = max(0, int(mp.ceil(mp.re(power)))) if remove else 0
        if reach > 4000:
            return mp.inf
        with with_bits(mp.prec + _BEYOND):  # numbers as balls, which are faster
            real, imaginary = (ball(part).mid() for part in (mp.re(power), mp.im(power)))
            exponent = real if mp.im(power) == 0 else acb(real, imaginary)
            total = sum((exponent * loss).exp() * weight for weight, loss in table(reach))
            if exponent is real:
                return number_of(total)
            return mp.mpc(number_of(total.real), number_of(total.imag))

    return moment
