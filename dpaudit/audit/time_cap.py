"""Whether this process has a time cap, and whether its time is up."""

from __future__ import annotations

__all__ = ["current_cap", "is_contained", "set_time_cap", "set_time_up", "time_is_up"]

_cap: list[float] = []
_over: list[bool] = []


def set_time_cap(seconds: float) -> None:
    """Note that this process is a contained one, which has so many ``seconds``."""
    _cap[:] = [seconds]


def set_time_up() -> None:
    """Note that the time of this process is up."""
    _over[:] = [True]


def is_contained() -> bool:
    """Tell whether this process is one that :mod:`dpaudit.audit.contained` started."""
    return bool(_cap)


def current_cap() -> float | None:
    """Return the time cap of this process in seconds; None if it has none."""
    return _cap[0] if _cap else None


def time_is_up() -> bool:
    """Tell whether the time cap of this process has been reached."""
    return bool(_over)
