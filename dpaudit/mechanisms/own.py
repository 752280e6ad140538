"""Where ``finite_mechanism`` was until it moved to :mod:`dpaudit.mechanisms.user`."""

from __future__ import annotations

from dpaudit.mechanisms.user import finite_mechanism

__all__ = ["finite_mechanism"]
