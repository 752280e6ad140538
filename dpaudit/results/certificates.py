"""A certificate: finite laws and a budget in whole numbers, for a checker of a hundred lines."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.values import Count, Parameters, Result, Size

__all__ = ["Certificate"]


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
    epsilon: dict[Literal["rational", "logarithm"], str]
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
