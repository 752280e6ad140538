"""A path in words: what was decided about which draw, as a witness names it."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING, Any

from dpaudit.programs.guarding.refusal import frame_of_program

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

__all__ = ["Words"]

_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)")


class Words:
    """Description in words of one run's draws and decisions."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.told: list[str] = []
        self._names: dict[tuple[str, int], str] = {}
        self._drawn: dict[str, int] = {}

    def drew(self, what: str, number: int, kind: str) -> None:
        """Name a draw: by its kind and place among these, and the name it goes into."""
        self._drawn[kind] = count = self._drawn.get(kind, 0) + 1
        frame = frame_of_program()
        line = "" if frame is None else linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        name = _ASSIGNED.match(line)
        self._names[what, number] = f"{kind} {count}" + (f" ({name.group(1)})" if name else "")

    def below(self, terms: Iterable[tuple[int, Fraction]], bound: Fraction, *, below: bool) -> None:
        """Tell whether a sum of draws lies below a number."""
        parts = " ".join(
            f"{'-' if a < 0 else '+'} {'' if abs(a) == 1 else f'{abs(a)}*'}{self._names['real', n]}"
            for n, a in sorted(terms, key=lambda term: -term[1])
        )
        self.told.append(f"{parts.removeprefix('+ ')} {'<' if below else '>='} {bound}")

    def fixed(self, number: int, value: int) -> None:
        """Tell which number a countable draw was found to be."""
        self.told.append(f"{self._names['whole', number]} = {value}")

    def whole(self, number: int, asked: Any, *, inside: bool) -> None:
        """Tell what was decided about a countable draw."""
        name = self._names["whole", number]
        sign, bound, factor, constant = asked
        sides = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!="}
        times = "" if factor == 1 else "-" if factor == -1 else f"{factor}*"
        plus = f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant else ""
        self.told.append(f"{times}{name}{plus} {sign if inside else sides[sign]} {bound}")

    def finite(self, asked: Any, taken: int) -> None:
        """Tell which way a finite draw took."""
        kind = asked[0] if isinstance(asked, tuple) else str(asked)
        self._drawn[kind] = count = self._drawn.get(kind, 0) + 1
        value: Any = taken == 0 if kind == "bernoulli" else taken
        if kind == "sampler":
            value = asked[1][taken].value
        self.told.append(f"{kind} {count} {'takes item' if kind == 'choice' else 'is'} {value}")
