"""A mechanism by reference: enough to find it again in any process, and to know it for the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

from dpaudit.errors import ParameterError
from dpaudit.numbers.real import Real
from dpaudit.results import Source

__all__ = ["ParameterText", "Spec"]

ParameterText = str | bool | tuple["ParameterText", ...]
"""A parameter as it travels: text that is read exactly, yes or no, or several of those."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A reference to a mechanism, with the parameters it is made with and the hash of its file.

    This is all that goes to workers, to the process of a gate's entry and into reports: whoever
    receives it loads the mechanism, and refuses one whose file has another SHA-256
    (:func:`dpaudit.mechanisms.loading.load`).
    """

    reference: str
    """A built-in name, an entry point, ``package.module:name`` or ``path.py:name``."""
    parameters: tuple[tuple[str, ParameterText], ...] = ()
    """Its parameters, as they were given."""
    sha256: str = ""
    """The SHA-256 of the file that defines it; empty where there is none, or it is not known."""
    folder: str = ""
    """Folder for relative paths and for the search of modules; empty for a built-in mechanism."""
    untold: tuple[str, ...] = ()
    """Parameters whose values no text tells, which :attr:`parameters` leaves out."""

    @classmethod
    def of(
        cls, reference: str, given: Mapping[str, object], *, sha256: str = "", folder: str = ""
    ) -> Spec:
        """Return the reference to what ``reference`` makes of the parameters ``given``."""
        texts: dict[str, ParameterText] = {}
        for name, value in given.items():
            try:
                texts[name] = _text(value)
            except ParameterError:
                continue
        untold = tuple(name for name in given if name not in texts)
        return cls(reference, tuple(texts.items()), sha256, folder, untold)

    @property
    def source(self) -> Source | None:
        """Reference and file, for reports; None for a mechanism of the package."""
        return Source(self.reference, self.sha256) if self.folder else None

    def changed(self, **parameters: object) -> Spec:
        """Return the reference to the same with some parameters changed."""
        again = Spec.of(self.reference, {**dict(self.parameters), **parameters})
        return replace(self, parameters=again.parameters, untold=(*self.untold, *again.untold))


def _text(value: object) -> ParameterText:
    """Return a parameter as text that is read as what ``value`` is; ``ParameterError`` if none."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(map(_text, value))
    if isinstance(value, float) and math.isfinite(value):
        return float(value).__repr__()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, (Fraction, Decimal, Real)):
        return str(value)
    raise ParameterError("parameter", f"a {type(value).__name__} has no text")
