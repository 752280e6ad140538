"""``to_dp_accounting``: an audited mechanism as dp-accounting's privacy-loss distribution.

It is made from a pair of laws or from a dominating pair.  The library (``dp_accounting.pld``) holds
the distribution of the privacy loss on a grid of multiples of its *discretisation*, in floats; a
pessimistic one has losses rounded up.  It is imported only when one of these functions is called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.api import make_plan
from dpaudit.api.plans import chosen
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.plan import read_sizes
from dpaudit.errors import DomainError, MissingExtraError, ParameterError, SizeError, nearest
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Ball, Sign, ball, precision, sign, upper_fraction
from dpaudit.numbers.real import Number
from dpaudit.questions.account.dominating import DominatingPair, dominating_pair
from dpaudit.results.comparing import float_up

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dpaudit.laws.law import Divergence
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import PrivacyCurve


__all__ = [
    "DEFAULT_DISCRETISATION",
    "SOURCES",
    "Distribution",
    "Export",
    "accounting_plan",
    "check_installed",
    "dominating_distribution",
    "library",
    "one_size",
    "pair_distribution",
    "read_discretisation",
    "to_dp_accounting",
]


DEFAULT_DISCRETISATION = "1e-4"
"""dp-accounting's own default."""

_COARSEST, _FINEST = 1, Fraction(1, 10**9)


def check_installed() -> None:
    """Raise ``MissingExtraError`` where there is no dp-accounting; importing it takes a second."""
    if find_spec("dp_accounting") is None:
        raise MissingExtraError("dp-accounting", "accounting")


def library() -> Any:
    """Return the module of dp-accounting; ``MissingExtraError`` where it is not installed."""
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingExtraError("dp-accounting", "accounting") from None
    return privacy_loss_distribution


def read_discretisation(given: Number) -> float:
    """Return the step of the grid as a float; ``DomainError`` unless it lies in [1e-9, 1].

    >>> read_discretisation("1e-4")
    0.0001
    """
    number = read_number(given, "discretisation")
    fraction = number.as_fraction()
    if fraction is None or not _FINEST <= fraction <= _COARSEST:
        raise DomainError("discretisation", number, "must be a rational number from 1e-9 to 1")
    return float(fraction)


def one_size(n: int) -> int:
    """Return the size of an account; ``SizeError`` for several."""
    sizes = read_sizes(n)
    if len(sizes) != 1:
        raise SizeError(f"n = {n}: an account is for one size; give one number")
    return sizes[0]


def pair_distribution(
    divergence: Divergence, discretisation: float, *, pessimistic: bool = True
) -> Any:
    """Return dp-accounting's distribution of one pair of laws, in both directions.

    It gets the logarithm of every mass as the nearest float and does all rounding itself.  Mass
    that the laws do not list, or bound only (a tail), counts as an output that the other side lacks
    if ``pessimistic``, and is left out otherwise.
    """
    p: dict[Hashable, float] = {}
    q: dict[Hashable, float] = {}
    left = [Ball(1), Ball(1)]
    for key, atom in enumerate(divergence.atoms(forward=True)):
        if Sign.UNDECIDED in (sign(atom.p), sign(atom.q)):
            continue
        if sign(atom.p) is not Sign.ZERO:
            p[key] = float(atom.p.log())
        if sign(atom.q) is not Sign.ZERO:
            q[key] = float(atom.q.log())
        left = [left[0] - atom.p, left[1] - atom.q]
    for key, atom in enumerate(divergence.atoms(forward=False)):
        if sign(atom.q) is Sign.ZERO and sign(atom.p) is Sign.POSITIVE:
            q["only", key] = float(atom.p.log())
            left[1] -= atom.p
    for side, rest, name in ((p, left[0], "tail of P"), (q, left[1], "tail of Q")):
        bound = upper_fraction(rest)
        if pessimistic and bound > 0 and sign(rest) is not Sign.ZERO:
            side[name] = float(ball(bound).log())
    masses = [(p.get(key, -math.inf), q.get(key, -math.inf)) for key in p.keys() | q.keys()]
    return library().from_two_probability_mass_functions(
        log_probability_mass_function_lower=q,
        log_probability_mass_function_upper=p,
        pessimistic_estimate=pessimistic,
        value_discretization_interval=discretisation,
        # Where P and Q are each other's mirror image one direction is both, at half the work.
        symmetric=sorted(masses) == sorted((b, a) for a, b in masses),
    )


def dominating_distribution(pair: DominatingPair, discretisation: float) -> Any:
    """Return dp-accounting's pessimistic distribution of a dominating pair, rounded outward here.

    Every loss is moved up to a grid point whose *float* is certainly not below it, and every mass
    up to the next float, so that what the library starts from dominates.
    """
    masses: dict[int, Fraction] = {}
    for loss, mass in pair.losses():
        place = _place(loss, discretisation)
        masses[place] = masses.get(place, Fraction(0)) + Fraction(mass, 1 << pair.bits)
    return library().PrivacyLossDistribution.create_from_rounded_probability(
        {place: float_up(mass) for place, mass in sorted(masses.items())},
        float_up(Fraction(pair.infinite, 1 << pair.bits)),
        discretisation,
        pessimistic_estimate=True,
    )


def _place(loss: Ball, discretisation: float) -> int:
    bound = upper_fraction(loss)
    place = math.ceil(bound / Fraction(discretisation))
    while Fraction(place * discretisation) < bound:
        place += 1
    return place


SOURCES = ("dominating", "worst-pairs")
"""Sources that a distribution can be made from."""

_DIGITS = 30

_FLOATS = (
    "Dp-accounting then computes (convolutions, δ at an ε) in floating point without an error "
    "bound. Its results have been below the exact value by about 1e-17 after one run, and by "
    "about 1e-14 after a thousand; a δ below 1e-15 can then consist mostly of this error."
)


@dataclass(frozen=True)
class Distribution:
    """One of dp-accounting's distributions, and the pair of datasets it is of."""

    x: Hashable | None
    """The dataset of the numerator; None for the dominating pair."""
    y: Hashable | None
    """The dataset of the denominator."""
    pld: Any
    """A ``dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution``."""


@dataclass(frozen=True)
class Export:
    """dp-accounting's distributions of an audited mechanism, with what they are good for."""

    distributions: tuple[Distribution, ...]
    """The dominating pair alone, or every pair that is the worst at some ε ≥ 0."""
    sound_for_composition: bool
    """True if the pair dominates, so that its compositions bound those of the mechanism."""
    discretisation: float
    """The step of the grid of losses."""
    note: str
    """Uses for which the distributions are sound, and uses for which they are not."""

    @property
    def pld(self) -> Any:
        """The only distribution; ``ValueError`` if there are several."""
        if len(self.distributions) != 1:
            raise ValueError(
                f"{len(self.distributions)} pairs are each the worst at some ε; read "
                ".distributions instead"
            )
        return self.distributions[0].pld

    def delta(self, epsilon: float) -> float:
        """Return the library's δ(ε) of one run: the largest over the distributions."""
        return max(float(each.pld.get_delta_for_epsilon(epsilon)) for each in self.distributions)


def to_dp_accounting(
    name: str | Mechanism[Any],
    n: int,
    *,
    of: Literal["dominating", "worst-pairs"] = "dominating",
    pessimistic: bool = True,
    discretisation: Number = DEFAULT_DISCRETISATION,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    **parameters: object,
) -> Export:
    """Return the privacy-loss distribution of a mechanism at one size, for dp-accounting.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: the size.
        of: ``"dominating"`` for one dominating pair of distributions, made from the certified curve
            over all pairs and rounded outward; sound for composition. ``"worst-pairs"`` for one
            distribution for every pair of datasets that leaks most at some ε ≥ 0; not sound for
            composition.
        pessimistic: True to round losses up; the dominating pair is always pessimistic.
        discretisation: the step of the grid of losses, from 1e-9 to 1.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        parameters: the mechanism's parameters.

    Returns:
        The distribution, with whether it is sound for composition.

    Raises:
        MissingExtraError: without dp-accounting.
        UsageError: for other bad input; the message says what is allowed.

    >>> found = to_dp_accounting("LSHist", n=10)
    >>> found.sound_for_composition, round(found.delta(0.5), 4)
    (True, 0.1296)
    >>> to_dp_accounting("LSHist", n=10, of="worst-pairs").sound_for_composition
    False
    """
    if of not in SOURCES:
        raise ParameterError("of", f"of = {of!r}: {nearest(str(of), SOURCES)}")
    if of == "dominating" and not pessimistic:
        raise ParameterError(
            "pessimistic",
            "a dominating pair is always an upper estimate; leave out pessimistic=False",
        )
    step = read_discretisation(discretisation)
    subject = chosen(name, parameters, n=n, adjacency=adjacency, at=at)
    plan = accounting_plan(subject, digits=_DIGITS, adjacency=adjacency, at=at)
    curve = privacy_curve(subject, n, plan)
    whose = f"{subject.name} at n = {n}, {curve.pairs} pairs of neighbours"
    if plan.at is not None:
        whose += " (only those that contain the chosen data: it covers no others)"
    if of == "dominating":
        pld = dominating_distribution(dominating_pair(curve), step)
        return Export((Distribution(None, None, pld),), True, step, _dominating_note(whose))
    pairs = worst_pairs(curve)
    with precision(curve.scale_bits):
        book = subject.laws()
        found = tuple(
            Distribution(
                x,
                y,
                pair_distribution(
                    book.law(x).divergence_from(book.law(y)), step, pessimistic=pessimistic
                ),
            )
            for x, y in pairs
        )
    return Export(found, False, step, _pairs_note(whose, len(found), pessimistic=pessimistic))


def accounting_plan(
    subject: Mechanism[Any],
    *,
    at_eps: Sequence[Number] = (),
    digits: int = _DIGITS,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
) -> Any:
    """Return a plan without a verdict in view: a mechanism that states nothing will do."""
    return make_plan(
        subject,
        held="never" if subject.stated is None else "always",
        at_eps=at_eps,
        adjacency=adjacency,
        at=at,
        digits=digits,
    )


def worst_pairs(curve: PrivacyCurve) -> list[tuple[Hashable, Hashable]]:
    """Return the ordered pairs (x, y) of the curve's lower hull, each once.

    Between them they attain the certified lower end of δ(ε) at every ε.
    """
    return list(dict.fromkeys((v.x, v.y) for v in curve.lower if v.x is not None))


def _dominating_note(whose: str) -> str:
    return (
        f"A dominating pair of {whose}. Sound: its exact δ(ε) is at least the realised δ(ε) at "
        "every ε, and the δ(ε) of its products at least that of any adaptive composition of the "
        "mechanism at this size (Zhu, Dong and Wang 2022); losses and masses were rounded outward "
        f"before dp-accounting got them. Not certified: {_FLOATS[0].lower()}{_FLOATS[1:]}"
    )


def _pairs_note(whose: str, count: int, *, pessimistic: bool) -> str:
    rounding = (
        "Losses are rounded up, so each distribution is meant to estimate its own pair's δ(ε) "
        "from above. The largest over the pairs is then meant to estimate the mechanism's "
        "δ(ε) from above, for ONE run."
        if pessimistic
        else (
            "Losses are rounded down, so each distribution is meant to estimate its δ(ε) from "
            "below, for ONE run."
        )
    )
    return (
        f"The {count} pairs that are the worst at some ε, of {whose}. {rounding} Not sound for "
        "composition: a worst pair is not in general a dominating pair, another pair may be worse "
        f"after k runs, and adaptive runs may change pairs. Masses were rounded to floats. "
        f"{_FLOATS}"
    )
