"""Coq's syntax for numbers and lists, and the package's own Coq files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import TypeVar

from dpaudit.errors import ParameterError
from dpaudit.numbers.real import Real

__all__ = ["comment", "listed", "rational", "real", "self_contained", "whole"]

ItemT = TypeVar("ItemT")

_IMPORT = re.compile(r"^(?:From \w+ )?Require Import [^.]*\.$", re.MULTILINE)
_OWN = re.compile(r"^From dpaudit Require Import [^.]*\.\n", re.MULTILINE)
_PLAIN = re.compile(r"(?:exp|ln|sqrt|pi|[0-9]+|[-+*/() ])*", re.ASCII)


def rational(number: Fraction) -> str:
    """Return a rational of Coq's reals.

    >>> rational(Fraction(-4, 5))
    '(-4 / 5)'
    """
    return (
        f"({number.numerator} / {number.denominator})"
        if number.denominator > 1
        else (f"({number.numerator})" if number < 0 else str(number.numerator))
    )


def whole(number: int) -> str:
    """Return an integer that can stand as an argument."""
    return f"({number})" if number < 0 else str(number)


def real(number: Real) -> str:
    """Return a number in closed form, or raise ``ParameterError`` for one with powers."""
    text = str(number)
    if _PLAIN.fullmatch(text) is None:
        raise ParameterError("export", f"--export coq: {text} is not written for Coq")
    return f"({text.replace('pi', 'PI')})"


def listed(items: Iterable[ItemT], text: Callable[[ItemT], str], *, lines: bool = False) -> str:
    """Return a list; with ``lines`` each item has a line of its own."""
    between = ";\n  " if lines else "; "
    return f"[{between.join(map(text, items))}]"


def comment(text: str) -> str:
    """Return text that cannot end or open a comment."""
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")


def self_contained(names: Sequence[str], body: str) -> str:
    """Return one file that holds the package's Coq files ``names`` as modules, and the ``body``."""
    sources = {name: source(name) for name in names}
    imports = dict.fromkeys(
        found
        for text in (*sources.values(), body)
        for found in _IMPORT.findall(text)
        if not found.startswith("From dpaudit")
    )
    parts = ["\n".join(imports)]
    for name, text in sources.items():
        bare = _IMPORT.sub("", _OWN.sub("", text)).strip()
        parts.append(f"Module {name}.\n{bare}\nEnd {name}.\nImport {name}.")
    parts.append(_IMPORT.sub("", _OWN.sub("", body)).strip())
    return "\n\n".join(parts) + "\n"


def source(name: str) -> str:
    """Return one of the package's own Coq files."""
    return (files("dpaudit.kernel") / "coq" / f"{name}.v").read_text(encoding="utf-8")
