"""The readings of the notes' mechanisms, by name.

The notes compare four mechanisms: the exponential one with smooth (SS), local (LS) and global (GS)
sensitivity, and Laplace noise.  What they print agrees with different readings in different places.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.data.histograms import Counts
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.registry import mechanism_class

__all__ = [
    "BY_LOCAL",
    "BY_TABLES",
    "CLAMPED",
    "DEFINED",
    "NOT_CLAMPED",
    "Pair",
    "Reading",
    "Setting",
    "build",
    "four_laws",
    "laplace_law",
    "meanings",
    "ours_law",
    "pair_of_laws",
    "settings_drawn",
]

Pair = tuple[ErrorLaw, ErrorLaw]
"""The laws of the error of “our exponential mechanism” and of the Laplace mechanism."""


@dataclass(frozen=True)
class Reading:
    """One way to read “our exponential mechanism” and “the Laplace mechanism” together."""

    name: str
    meaning: str
    divisor: str
    rounding: str
    local: bool = False
    """True if the sensitivity is LS(x) where the notes say S_β(x)."""
    outside: str = "clamped"
    """Treatment of negative counts; see :data:`dpaudit.accuracy.outputs.OUTSIDE`."""


DEFINED = Reading(
    "as defined",
    "exp(−ε·H/(2·S_β)) (N Def. 2.1), noise ⌊Y⌋ (N §3.1)",
    "2",
    "floor",
)
BY_TABLES = Reading(
    "without the 2",
    "exp(−ε·H/S_β) (N §3.3), noise rounded toward zero",
    "1",
    "toward-zero",
)
BY_LOCAL = Reading(
    "as the tables compute",
    "exp(−ε·H/LS(x)), noise rounded toward zero",
    "1",
    "toward-zero",
    local=True,
)


CLAMPED = "noisy counts are clamped to [0, n]"
"""Treatment of negative counts in every box of Hellinger errors."""
NOT_CLAMPED = "noisy counts are taken as they are, not clamped"
"""Treatment of negative counts in boxes of ℓ1 errors, which need no posterior."""


@dataclass(frozen=True)
class Setting:
    """Setting in which mechanisms are run: the data, the prior and the budget."""

    dataset: Counts
    prior: tuple[int, ...] = ()
    """Empty for the flat prior."""
    epsilon: str = "4/5"
    delta: str = "1/2000"
    metric: str = "hellinger"

    def parameters(self) -> dict[str, object]:
        """Return the parameters that all mechanisms share."""
        return {"epsilon": self.epsilon, "prior": self.prior or (1,) * len(self.dataset)}


def build(name: str, **parameters: object) -> Mechanism[Any]:
    """Return the mechanism called ``name``."""
    return mechanism_class(name).build(parameters)


def ours_law(reading: Reading, at: Setting, digits: int = 9) -> ErrorLaw:
    """Return the law of the error of “our exponential mechanism” by a reading."""
    if reading.local:
        mechanism = build("EHDL", divisor=reading.divisor, **at.parameters())
    else:
        mechanism = build("MH", divisor=reading.divisor, delta=at.delta, **at.parameters())
    return error_law(mechanism, at.dataset, at.metric, digits=digits)


def laplace_law(reading: Reading, at: Setting, digits: int = 9) -> ErrorLaw:
    """Return the law of the error of the Laplace mechanism by a reading."""
    return _laplace(reading.rounding, reading.outside, at, digits)


def pair_of_laws(reading: Reading, at: Setting) -> Pair:
    """Return the laws of the error of both mechanisms by a reading."""
    return ours_law(reading, at), laplace_law(reading, at)


def settings_drawn(settings: Iterable[Setting]) -> list[str]:
    """Return the clauses of a caption that name ε and δ, and the prior where it is one."""
    listed = list(settings)
    clauses = []
    for symbol, values in (
        ("ε", {at.epsilon for at in listed}),
        ("δ", {at.delta for at in listed}),
    ):
        decimals = sorted(Fraction(value) for value in values)
        clauses.append(
            f"{symbol} = {', '.join(f'{float(decimal):.9f}'.rstrip('0') for decimal in decimals)}"
        )
    priors = {at.parameters()["prior"] for at in listed}
    if len(priors) == 1:
        clauses.append(f"prior {str(priors.pop()).replace(' ', '')}")
    return clauses


def meanings(*readings: Reading) -> list[str]:
    """Return a remark with the meaning of each reading."""
    return [f"{reading.name}: {reading.meaning}." for reading in readings]


@lru_cache(maxsize=4)
def _laplace(rounding: str, outside: str, at: Setting, digits: int) -> ErrorLaw:
    """Readings share their Laplace laws, which list many outputs."""
    mechanism = build("NotesLaplace", rounding=rounding, **at.parameters())
    reading = outside if at.metric == "hellinger" else None
    return error_law(mechanism, at.dataset, at.metric, outside=reading, digits=digits)


def four_laws(reading: Reading, at: Setting) -> dict[str, ErrorLaw]:
    """Return the laws of the error of the notes' four mechanisms, by their labels in N §4.2.

    Without the 2 the global mechanism is run with 2ε: its exponent then is ε·H/GS.
    """
    parameters = at.parameters()
    local = build("EHDL", divisor=reading.divisor, **parameters)
    doubled = (
        {**parameters, "epsilon": f"2*({at.epsilon})"} if reading.divisor == "1" else parameters
    )
    wide = build("EHD", gs="computed", **doubled)
    return {
        "ExpoMech of SS": ours_law(reading, at),
        "ExpoMech of LS": error_law(local, at.dataset, at.metric, digits=9),
        "ExpoMech of GS": error_law(wide, at.dataset, at.metric, digits=9),
        "LaplaceMech": laplace_law(reading, at),
    }
