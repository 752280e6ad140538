"""Documents of before a training: plans of audits by canaries, and manifests of canaries."""

from __future__ import annotations

from typing import Annotated

import msgspec

from dpaudit.results.values import Count, Digits, Document, Enclosure, Real, Result

__all__ = [
    "CanaryNeed",
    "CanaryNeeds",
    "CanaryPlan",
    "InclusionManifest",
    "PlannedBounds",
    "PlannedSize",
]


class PlannedSize(Result, frozen=True, kw_only=True):
    """The bound on ε for one number of guesses."""

    guesses: Count
    """Number r of guesses, fixed beforehand."""
    right: Count
    """Number of right guesses: the share of r, rounded down."""
    epsilon: Enclosure
    """An interval around the largest ε below which every ε is refuted; 0 where none is."""


class PlannedBounds(Result, frozen=True, kw_only=True):
    """Bounds on ε for one share of right guesses, at one δ and level."""

    share: Real
    """The share of guesses that are right, in (0, 1]."""
    delta: Real
    """δ in [0, 1)."""
    level: Real
    """The probability with which a true ε may be refuted, at most."""
    sizes: tuple[PlannedSize, ...]
    """A bound for each number of guesses that was tried, increasing."""
    best: Count | None
    """The number of guesses with the largest bound of these; None where nothing is refuted."""


class CanaryPlan(Document, frozen=True, kw_only=True):
    """The bounds on ε that right guesses about so many canaries would give."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    canaries: Count
    """Number of canaries, each included with probability 1/2, independently."""
    digits: Digits
    """Ends of intervals have so many digits after the point, and are neighbours."""
    bounds: tuple[PlannedBounds, ...]
    """Bounds for each share, δ and level."""
    sha256: str = ""
    """The SHA-256 of all else in the document."""


class CanaryNeed(Result, frozen=True, kw_only=True):
    """The fewest canaries with which a share of right guesses refutes an ε."""

    share: Real
    """The share of guesses that are right, in (0, 1]."""
    delta: Real
    """δ in [0, 1)."""
    level: Real
    """The probability with which a true ε may be refuted, at most."""
    canaries: Count | None
    """The number of canaries, all guessed; no fewer are enough. None where none was found."""
    right: Count | None
    """Number of right guesses: the share of all canaries, rounded down."""
    above: Count | None
    """Without a number of canaries: so many and fewer are not enough; None if no number is."""


class CanaryNeeds(Document, frozen=True, kw_only=True):
    """The fewest canaries with which right guesses refute every ε below one."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    epsilon: Real
    """The ε that is refuted, and every smaller one."""
    needs: tuple[CanaryNeed, ...]
    """The number for each share, δ and level."""
    sha256: str = ""
    """The SHA-256 of all else in the document."""


class InclusionManifest(Document, frozen=True, kw_only=True):
    """Manifest of the canaries that are in: written before the training, read by the audit."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    canaries: Count
    """Number of canaries."""
    seed: str
    """The seed that the coins come from, by SHA-256."""
    member: Annotated[str, msgspec.Meta(pattern="^[01]*$")]
    """A digit for each canary, in order: 1 for one that is in, 0 for one that is out."""
    sha256: str = ""
    """The SHA-256 of all else in the document."""
