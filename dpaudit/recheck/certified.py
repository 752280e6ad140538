"""The recheck of certified accounts: δ of so many runs at each row's pair, by other arithmetic.

Runs of few joint losses are composed by brute force, and Gaussian runs have their closed form.  All
others are looked at in two ways: by a contour integral over the moments of one run's loss, to some
digits, and between two certain ends by Fourier transforms of lattices, which are wider.  An ε is
checked by δ at both ends of its interval.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.accounts import Composition, together
from dpaudit.recheck.agreement import end, well_formed
from dpaudit.recheck.continuous import ContinuousNoise, Gaussian
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.inversion import delta_of_runs
from dpaudit.recheck.losses import below_of, continuous, listed
from dpaudit.recheck.numbers import fraction, value
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.spectrum import Spectrum
from dpaudit.recheck.subject import LOADED, Recheck
from dpaudit.results import Verdict
from dpaudit.results.accounts import EpsilonRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results.accounts import CertifiedAccount, DeltaRow

__all__ = ["check_certified"]

TAKEN = "that no other pair exceeds the upper ends, and the bounds for adaptive runs"
HOW = "how it was computed: by which method, how narrow it was asked for, whether it ended early"
_DIGITS = 25
_CERTAIN_DIGITS = 40
_MANY = 100
_SLACK = mpf(10) ** -7
"""How far the second arithmetic may be off, in proportion."""
PLAN = "that the parameter beside the one that was sought for a budget does not keep it"
_CELLS = 8
_REACH = 12


def check_certified(account: CertifiedAccount, found: Findings, how: How) -> None:
    """Recheck a certified account and note in ``found`` what agrees and what does not."""
    recheck = Recheck(account, found, how, upper_ends=TAKEN)
    recheck.head()
    found.take(HOW)
    if account.solved is not None:
        found.take(PLAN)
    ((_, where),) = recheck.sizes_at([account])
    if account.compose < 1:
        raise NotAReportError(f"compose = {account.compose}: must be at least 1")
    if not account.rows:
        raise NotAReportError("an account has no rows")
    _check_verdict(recheck, account, where)
    for row in account.rows:
        interval = row.epsilon if isinstance(row, EpsilonRow) else row.delta
        message = f"{interval} is no interval"
        recheck.expect(well_formed(interval, None), "intervals", where, message)
        bound, lower = row.adaptive_upper, interval.lower
        message = "the bound for adaptive runs is below what runs on the same data reach"
        recheck.expect(bound is None or bound >= lower, "order of bounds", where, message)
    if recheck.coverage(account.n, None, account.pairs, where):
        for row in account.rows:
            recheck.attempt(where, _check_row, recheck, account, row, where)


def _check_verdict(recheck: Recheck, account: CertifiedAccount, where: str) -> None:
    if account.budget is None:
        recheck.expect(account.verdict is None, "verdicts", where, "there is no budget")
        return
    with mp.workdps(recheck.dps):
        row = next(
            (
                row
                for row in account.rows
                if not isinstance(row, EpsilonRow)
                and value(row.epsilon) == value(account.budget.epsilon)
            ),
            None,
        )
        if row is None:
            raise NotAReportError("the budget has no row")
        low, high = end(row.delta.lower), end(row.delta.upper)
        wanted = value(account.budget.delta)
        if high is not None and fraction(high) <= wanted:
            expected = Verdict.WITHIN
        elif low is not None and fraction(low) > wanted:
            expected = Verdict.EXCEEDS
        else:
            expected = Verdict.UNDECIDED
    message = f"the interval and the budget make it {expected.value}"
    recheck.expect(account.verdict is expected, "verdicts", where, message)


def _check_row(
    recheck: Recheck, account: CertifiedAccount, row: EpsilonRow | DeltaRow, where: str
) -> None:
    found = _delta(recheck, account, row, where)
    if found is None:
        return
    delta, spectrum = found
    unknown = None
    if spectrum is not None:
        try:
            _check_between(recheck, row, spectrum, where)
        except UnknownDefinitionError as error:
            unknown = error
    try:
        _check_value(recheck, row, delta, where)
    except UnknownDefinitionError as error:
        if spectrum is None or unknown is not None:
            raise unknown or error from None


def _check_between(
    recheck: Recheck, row: EpsilonRow | DeltaRow, spectrum: Spectrum, where: str
) -> None:
    """Check a row against what δ certainly lies between; ends are enough to contradict it."""
    with mp.workdps(_CERTAIN_DIGITS):
        if isinstance(row, EpsilonRow):
            wanted, holds = value(row.delta), True
            for bound, above in ((row.epsilon.lower, False), (row.epsilon.upper, True)):
                place = end(bound)
                if place is not None and (place > 0 or above):
                    least, most = spectrum.delta(fraction(place))
                    holds = holds and bool(least <= wanted if above else most >= wanted)
            message = f"δ at an end of {row.epsilon} is certainly not on the side of {row.delta}"
        else:
            least, most = spectrum.delta(value(row.epsilon))
            low, high = end(row.delta.lower), end(row.delta.upper)
            assert low is not None
            assert high is not None
            holds = bool(fraction(low) <= most and least <= fraction(high))
            message = (
                f"δ({row.epsilon}) is from {mp.nstr(least, 9)} to {mp.nstr(most, 9)}, "
                f"not in {row.delta}"
            )
        recheck.expect(holds, "δ by Fourier transforms", where, message)


def _check_value(
    recheck: Recheck,
    row: EpsilonRow | DeltaRow,
    delta: Callable[[mpf], mpf],
    where: str,
) -> None:
    with mp.workdps(_DIGITS):
        if not isinstance(row, EpsilonRow):
            at = delta(value(row.epsilon))
            low, high = end(row.delta.lower), end(row.delta.upper)
            assert low is not None
            assert high is not None
            holds = fraction(low) * (1 - _SLACK) <= at <= fraction(high) * (1 + _SLACK)
            holds = holds or abs(at) < mpf(10) ** -20 > fraction(low)
            message = f"δ({row.epsilon}) is {mp.nstr(at, 12)} there, not in {row.delta}"
            recheck.expect(bool(holds), "δ", where, message)
            return
        wanted = value(row.delta)
        for bound, above in ((row.epsilon.lower, False), (row.epsilon.upper, True)):
            place = end(bound)
            if place is None or (place == 0 and not above):
                continue
            at = delta(fraction(place))
            holds = at <= wanted * (1 + _SLACK) if above else at >= wanted * (1 - _SLACK)
            message = f"δ({bound}) is {mp.nstr(at, 12)} there, for δ = {row.delta}"
            recheck.expect(bool(holds), "ε at δ", where, message)


class _Part(NamedTuple):
    """Runs of one mechanism, as it is defined a second time."""

    definition: Definition
    runs: int
    rate: ClosedForm | None


def _parts(recheck: Recheck, account: CertifiedAccount, where: str) -> list[_Part]:
    """Return the runs of all mechanisms, which are all on samples or all on the data."""
    found = [_Part(recheck.defined, account.compose, account.sample_rate)]
    for one in account.then:
        if one.compose < 1:
            raise NotAReportError(f"compose = {one.compose}: must be at least 1")
        if one.loaded is not None:
            recheck.found.take(LOADED)
        definition = definition_of(one.described, recheck.how.own, one.loaded)
        relation = definition.relation(account.adjacency, defaulted=account.adjacency_defaulted)
        same = relation == recheck.relation
        message = f"{one.described.get('name')} has other neighbours than {recheck.name}"
        recheck.expect(same, "relations", where, message)
        found.append(_Part(definition, one.compose, one.sample_rate))
    if len({one.rate is None for one in found}) > 1:
        raise NotAReportError("some runs are on samples, and some are not")
    return found


def _delta(
    recheck: Recheck, account: CertifiedAccount, row: EpsilonRow | DeltaRow, where: str
) -> tuple[Callable[[mpf], mpf], Spectrum | None] | None:
    """Return δ(ε) of the runs at the pair of a row, by whichever way there is, and certain ends."""
    parts = _parts(recheck, account, where)
    if row.direction is not None:
        remove, moments, losses = row.direction == "remove", [], []
        for one in parts:
            if one.rate is None or not isinstance(one.definition, ContinuousNoise):
                raise NotAReportError("a row has a direction, and nothing is sampled")
            rate = value(one.rate)
            if not 0 < rate < 1:
                raise NotAReportError(f"sample_rate = {one.rate}: must be within (0, 1)")
            with mp.workdps(_CERTAIN_DIGITS):
                below = below_of(one.definition, 1, value(one.rate))
                losses.append(continuous(below, one.runs, turned=not remove))
            moments.append((one.definition, one.runs, rate))

        def sampled() -> _Listed:
            if account.compose < _MANY:
                raise UnknownDefinitionError("the integral of few sampled runs does not end")
            return [(_sampled(one, q, remove=remove), runs) for one, runs, q in moments], []

        return _by_moments(sampled), Spectrum(losses)
    if parts[0].rate is not None:
        raise NotAReportError("runs are on samples, and a row has no direction")
    pair = recheck.pair((row.x, row.y), account.n, where)
    if pair is None:
        return None
    pairs = [pair]
    for one in parts[1:]:
        x, y = (one.definition.dataset(shown, account.n) for shown in (row.x, row.y))
        near = one.definition.adjacent(x, y, account.n, recheck.relation)
        message = f"{row.x} and {row.y} are no such pair of every mechanism"
        recheck.expect(near, "neighbours", where, message)
        pairs.append((x, y))
    if len(parts) == 1 and account.compose == 1:
        return (lambda epsilon: parts[0].definition.delta(*pair, epsilon)), None
    if len(parts) == 1 and isinstance(parts[0].definition, Gaussian):
        gaussian, shift = parts[0].definition, abs(pair[0][0] - pair[1][0])
        return (lambda epsilon: gaussian.delta_of_runs(shift, account.compose, epsilon)), None
    if any(isinstance(one.definition, ContinuousNoise) for one in parts):
        return _by_moments(lambda: _moments(parts, pairs)), _spectrum(parts, pairs)
    masses = [one.definition.masses(x, y) for one, (x, y) in zip(parts, pairs, strict=True)]
    try:
        each = zip(masses, parts, strict=True)
        made = [Composition(listed, one.runs, mp.dps - 30) for listed, one in each]
        return together(made).delta, None
    except UnknownDefinitionError:
        return _by_moments(lambda: _moments(parts, pairs)), _spectrum(parts, pairs)


def _spectrum(parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]) -> Spectrum:
    losses = []
    with mp.workdps(_CERTAIN_DIGITS):
        for one, (x, y) in zip(parts, pairs, strict=True):
            if isinstance(one.definition, ContinuousNoise):
                below = below_of(one.definition, abs(x[0] - y[0]), None)
                last = one.definition.largest_loss(x, y)
                finite = None if mp.isinf(last) else last
                losses.append(continuous(below, one.runs, end=finite))
            else:
                losses.append(listed(one.definition.masses(x, y), one.runs))
    return Spectrum(losses)


def _moments(
    parts: Sequence[_Part], pairs: Sequence[tuple[Any, Any]]
) -> tuple[list[tuple[Callable[[Any], Any], int]], list[mpf]]:
    """Return the moments of one run of each part at its pair, and distances of its losses."""
    moments: list[tuple[Callable[[Any], Any], int]] = []
    distances: list[mpf] = []
    for one, (x, y) in zip(parts, pairs, strict=True):
        if isinstance(one.definition, ContinuousNoise):
            if not isinstance(one.definition, Gaussian):
                distances.append(2 * one.definition.largest_loss(x, y))
            moments.append((one.definition.moment, one.runs))
            continue
        masses = one.definition.masses(x, y)
        if any(q == 0 < p for p, q in masses):
            raise UnknownDefinitionError("infinite losses of many runs have no second arithmetic")
        both = [(p, mp.log(p / q)) for p, q in masses if p > 0]
        moments.append((_of_listed(both), one.runs))
        losses = sorted(loss for _, loss in both)
        distances += [b - a for a, b in pairwise(losses) if b - a > mpf(10) ** -9]
    if any(isinstance(one.definition, Gaussian) for one in parts):
        return moments, []  # no line of moments comes back
    return moments, distances


def _of_listed(both: list[tuple[mpf, mpf]]) -> Callable[[Any], Any]:
    return lambda z: mp.fsum(p * mp.exp(z * loss) for p, loss in both)


_Listed = tuple[list[tuple["Callable[[Any], Any]", int]], list[mpf]]


def _by_moments(made: Callable[[], _Listed]) -> Callable[[mpf], mpf]:
    """Return δ(ε) by an integral over moments, which says when asked where there is none."""

    def delta(epsilon: mpf) -> mpf:
        return _inverted(*made())(epsilon)

    return delta


def _inverted(
    moments: list[tuple[Callable[[Any], Any], int]], distances: Sequence[mpf]
) -> Callable[[mpf], mpf]:
    if len(moments) == 1:
        ((moment, runs),) = moments
        return lambda epsilon: delta_of_runs(moment, runs, epsilon, distances=distances)

    def whole(z: Any) -> Any:
        return mp.fprod(one(z) ** runs for one, runs in moments)

    return lambda epsilon: delta_of_runs(whole, 1, epsilon, distances=distances)


def _sampled(definition: ContinuousNoise, rate: mpf, *, remove: bool) -> Callable[[Any], Any]:
    """Return E e^(zL) of one subsampled run, by the trapezoidal rule over the output."""
    if not isinstance(definition, Gaussian):
        raise UnknownDefinitionError("sampled runs are computed again for Gaussian noise alone")
    sigma = definition.number("sigma")

    @lru_cache
    def table(reach: int) -> list[tuple[mpf, mpf]]:
        first = -int(mp.ceil(_REACH * sigma)) * _CELLS
        step, found = sigma / _CELLS, []
        last = int(mp.ceil((reach + 2) / step)) + _REACH * _CELLS
        for place in range(int(first / sigma), last + 1):
            x = place * step
            weight = mp.npdf(x, 0, sigma) * step
            found.append((weight, mp.log1p(rate * mp.expm1((2 * x - 1) / (2 * sigma**2)))))
        return found

    def moment(z: Any) -> Any:
        power = z + 1 if remove else -z
        reach = max(0, int(mp.ceil(mp.re(power)))) if remove else 0
        if reach > 4000:
            return mp.inf
        return mp.fsum(w * mp.exp(power * loss) for w, loss in table(reach))

    return moment
