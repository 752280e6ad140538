"""Documents for other checkers, and their answers: certificates, theorems."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from dpaudit.results.values import Count, Parameters, Result, Size

__all__ = ["Certificate", "KernelClaim", "KernelReport", "KernelTheorem"]

EpsilonForm = Literal["rational", "logarithm"]
# Not every release of msgspec writes the keys of a dictionary into the schema.
EPSILON_KEYS = msgspec.Meta(
    extra_json_schema={"propertyNames": {"enum": sorted(get_args(EpsilonForm))}}
)


class Certificate(Result, frozen=True, kw_only=True):
    """Laws with weights in whole numbers, and the multiple that stands for e^ε."""

    schema: Literal["dpaudit.certificate/1"]
    version: str
    """The version of dpaudit that wrote it."""
    described: Parameters = msgspec.field(name="mechanism")
    """The mechanism's name and its parameters."""
    adjacency: str
    """The neighbouring relation."""
    n: Size
    """The size."""
    epsilon: Annotated[dict[EpsilonForm, str], EPSILON_KEYS]
    """ε: a ``rational``, or the ``logarithm`` of one."""
    delta: str
    """δ, a rational."""
    rate: str = "0"
    """t = e^(−rate); 0 where all weights are constants."""
    multiple: str
    """c = multiple·t^(−power) is at most e^ε."""
    power: Count
    """The power of 1/t in c."""
    datasets: tuple[str, ...]
    """The datasets by name."""
    outputs: tuple[str, ...]
    """The outputs by name."""
    totals: tuple[tuple[str, ...], ...]
    """For every dataset the sum of its weights: coefficients of powers of t, lowest first."""
    weights: tuple[tuple[tuple[str, ...], ...], ...]
    """For every dataset the weight of every output, likewise."""
    pairs: tuple[tuple[Count, Count], ...]
    """Ordered pairs of neighbours, by their places among the datasets."""
    sha256: str = ""
    """The seal of the document."""


class KernelTheorem(Result, frozen=True, kw_only=True):
    """Answer of Coq about one theorem on a claim."""

    claim: str
    """The id of the claim."""
    relation: str
    """``proves``, ``proves on`` (its smaller domain) or ``disproves`` for a theorem whose type is
    made from the typed statement; else ``claim``, ``smaller domain``, ``abstract`` (hypotheses
    stand for what the claim defines), ``part of`` or ``refutes``."""
    theorem: str
    """The file and the name of the theorem."""
    accepted: bool
    """True if coqc and coqchk accept the theorem on no axioms but those of classical reals."""
    axioms: tuple[str, ...]
    """The axioms that it rests on, as Coq prints them."""
    open: tuple[str, ...]
    """Hypotheses that it leaves open; they count among the axioms."""
    seconds: float
    """Seconds taken to compile its file; 0 if it had been compiled before."""
    reason: str = ""
    """Reason for the rejection; empty if the theorem is accepted."""


class KernelClaim(Result, frozen=True, kw_only=True):
    """A claim whose verdict is a theorem that Coq accepts."""

    id: str
    """The claim."""
    verdict: str
    """Verdict on the claim, by the engine and by Coq."""
    grade: str
    """``kernel``."""
    axioms: tuple[str, ...]
    """Axioms of the theorems, open hypotheses included."""


class KernelReport(Result, frozen=True, kw_only=True):
    """Answers of Coq about the theorems on claims."""

    schema: Literal["dpaudit.kernel/1"]
    version: str
    """The version of dpaudit."""
    coq: str
    """The version of Coq."""
    theorems: tuple[KernelTheorem, ...]
    """Every theorem about a claim."""
    development: str = ""
    """A hash of all that was checked, and of the typed statements that it is about."""
    claims: tuple[KernelClaim, ...] = ()
    """The claims whose typed statement decides as the engine says, by accepted theorems."""
    sha256: str = ""
    """The seal of the document."""
