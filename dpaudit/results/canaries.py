"""Tests of a budget by guesses about canaries: statistical answers, which say their level."""

from __future__ import annotations

from dpaudit.results.values import Budget, Count, Digits, Document, Enclosure, Real, Result
from dpaudit.worded import Worded

__all__ = [
    "CanaryBound",
    "CanaryCoins",
    "CanaryReport",
    "CanaryVerdict",
    "DualCertificate",
    "Price",
    "ProfileBound",
    "ProfileTest",
    "SizeTried",
    "TwoWorlds",
]


class CanaryVerdict(Worded):
    """Verdict on the budget of a training.  It is never ``within``: guesses prove no privacy."""

    EXCEEDS = "exceeds"
    """The guesses refute the budget at the level."""
    NOT_REFUTED = "not refuted"
    """The guesses do not contradict the budget."""
    UNDECIDED = "undecided"
    """The probability of the guesses and the level cannot be told apart."""


class SizeTried(Result, frozen=True, kw_only=True):
    """One of the numbers of guesses that were tried together."""

    guesses: Count
    """Number r of guesses: the surest r."""
    right: Count
    """Number of them that were right."""


class CanaryBound(Result, frozen=True, kw_only=True):
    """The largest ε below which every ε is refuted, for one δ at one level."""

    delta: Real
    """δ in [0, 1)."""
    level: Real
    """The probability with which a true ε may be refuted, at most."""
    epsilon: Enclosure
    """An interval around the largest ε of one example below which every ε is refuted; 0 where none
    is."""
    group_epsilon: Enclosure | None = None
    """The same for ε of a group, with δ of the group; None where a coin decided for one example."""
    sizes: tuple[SizeTried, ...] = ()
    """Numbers of guesses that were tried together; none where one was fixed beforehand."""


class CanaryCoins(Result, frozen=True, kw_only=True):
    """Canaries that were in the training with one probability, and the guesses about them."""

    probability: Real
    """The probability, in (0, 1)."""
    canaries: Count
    """Number of canaries with this probability."""
    guessed_in: Count
    """Number of them that were guessed to be in."""
    guessed_out: Count
    """Number of them that were guessed to be out."""


class TwoWorlds(Result, frozen=True, kw_only=True):
    """Confusion counts of guesses about trainings with and without one canary."""

    members: Count
    """Number of trainings with the canary."""
    true_positives: Count
    """Number of trainings with the canary that were guessed to have it."""
    others: Count
    """Number of trainings without the canary."""
    false_positives: Count
    """Number of trainings without the canary that were guessed to have it."""


class Price(Result, frozen=True, kw_only=True):
    """A price of one budget (ln E, δ) of a privacy profile."""

    odds: Real
    """E = e^ε, at least 1."""
    price: Real
    """c ≥ 0, which m·δ is multiplied by."""


class DualCertificate(Result, frozen=True, kw_only=True):
    """A dual solution: P[as many right guesses] ≤ b + m·Σ c·δ(ln E) for every privacy profile δ."""

    base: Real
    """b in [0, 1]."""
    prices: tuple[Price, ...]
    """Prices c, with E increasing."""


class ProfileBound(Result, frozen=True, kw_only=True):
    """The largest μ below which every μ is refuted, at one level."""

    level: Real
    """The probability with which a true μ may be refuted, at most."""
    mu: Enclosure
    """An interval around the largest μ that the certificate refutes; 0 where none is."""
    certificate: DualCertificate | None
    """The certificate; None where nothing is refuted."""


class ProfileTest(Result, frozen=True, kw_only=True):
    """Test of a claimed privacy profile, that of μ-GDP, as a whole."""

    mu: Real
    """The claimed μ."""
    p_value: Enclosure
    """An interval around the bound on the probability of so many right guesses under μ-GDP."""
    certificate: DualCertificate | None
    """The certificate of that bound; None where it is 1."""
    bounds: tuple[ProfileBound, ...]
    """The largest μ that is refuted, for each level."""


class CanaryReport(Document, frozen=True, kw_only=True):
    """Test of a budget by the guesses about the canaries of a training, with lower bounds of ε."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    scores_sha256: str = ""
    """The SHA-256 of the file of scores, where there is one."""
    matching: str = ""
    """Seed of a random matching: canaries are then pairs, and neighbours replace an example."""
    one_sided: bool = False
    """True if every guess was that a canary was in."""
    group: Count = 1
    """Number of examples that one coin decided for."""
    coins: tuple[CanaryCoins, ...] = ()
    """Canaries by their probability to be in; none where all were in with probability 1/2."""
    inclusion_sha256: str = ""
    """The SHA-256 of the manifest that said which canaries were in, where there is one."""
    canaries: Count
    """Number of canaries, each included independently, with probability 1/2 or as in ``coins``."""
    guesses: Count
    """Number of canaries guessed to be in or out, fixed before the scores were seen; where every
    number of guesses was tried, all of them, or half of them if every guess was "in"."""
    right: Count
    """Number of correct guesses."""
    worlds: TwoWorlds | None = None
    """Counts by world, for trainings with and without one canary; None if all canaries were in one
    run.  With counts, ``canaries`` and ``guesses`` are the number of trainings."""
    digits: Digits
    """Ends of intervals have so many digits after the point; those of one run are neighbours."""
    bounds: tuple[CanaryBound, ...]
    """A bound for each δ and level."""
    budget: Budget | None = None
    """The budget (ε, δ) that the verdict is about."""
    profile: ProfileTest | None = None
    """Test of the claimed privacy profile that the verdict is about; None without one."""
    verdict: CanaryVerdict | None = None
    """Verdict on the budget, or on the profile; None without either."""
    sha256: str = ""
    """The SHA-256 of all else in the document."""
