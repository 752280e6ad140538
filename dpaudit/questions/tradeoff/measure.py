"""The measure of trade-off functions, from the texts of its options."""

from __future__ import annotations

from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one

__all__ = ["asked"]


def asked(at_type_one: str) -> Tradeoffs:
    """Return the measure with these type I errors, as ``"1/10,1/2"``."""
    return Tradeoffs(read_type_one(at_type_one))
