"""The independent oracle of composition: every sequence of outputs, one by one."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

__all__ = ["composed_delta", "hockey_stick"]


def hockey_stick(p: Mapping[Any, Any], q: Mapping[Any, Any], factor: Any) -> Any:
    """Σ (P(r) − factor·Q(r))₊ over all outputs r of P."""
    return sum(max(0, mass - factor * q.get(output, 0)) for output, mass in p.items())


def composed_delta(
    pairs: Sequence[tuple[Mapping[Any, Any], Mapping[Any, Any]]], factor: Any
) -> Any:
    """δ of independent runs, one pair of laws (P, Q) for each, at e^ε = `factor`."""
    total = 0
    for outputs in product(*(p.items() for p, _ in pairs)):
        p_mass = prod(mass for _, mass in outputs)
        q_mass = prod(q.get(output, 0) for (output, _), (_, q) in zip(outputs, pairs, strict=True))
        total += max(0, p_mass - factor * q_mass)
    return total
