"""What may change in an outcome without being a change: the last digits, the version, the seconds.

Verdicts, witnesses, exact values and all words stay.  An interval meets the recorded one and is at
most twice as wide; a witness is the recorded one or has a loss that meets the recorded loss.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.golden.corpus import Outcome
from tests.pages import without_runs

__all__ = ["differences", "differences_of_accounts"]

_FREE = {
    "version",
    "fingerprint",
    "sha256",
    "report_sha256",
    "file_sha256",
    "sources",
    "arithmetic",
    "seconds",
    "scale_bits",
    "upper_hull",
    "real_runs",
    "unseen_mass",
}
"""Fields that say who computed, not what."""
_ESTIMATES = {"dominating", "optimistic", "pessimistic", "below", "ratio"}
"""Fields of an account that another library estimates in floats, or that follow from them."""
_NUMBER = re.compile(
    r"(?<![\w/])-?\d+(?:\.\d+)?(?:e-?\d+)?(?:\((\d+)\.\.(\d+)\))?(?:e-?\d+)?(?![\w/]|\.\d)"
)
_SECONDS = re.compile(r"\b\d+(?:\.\d+)? s\b")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+(?:\.\w+)*\b")

_FLOAT_ERROR = Decimal("1e-9")
"""How far the floats of other libraries may be off on another processor."""

_ACCOUNT_WIDTH = Decimal("1e-13")

Span = tuple[Decimal, Decimal]


def differences(old: Outcome, new: Outcome) -> list[str]:
    """Return what is not as it was, a line each."""
    found = []
    if old.exit != new.exit:
        found.append(f"exit code {old.exit} became {new.exit}")
    if old.files != new.files:
        found.append(f"files {old.files} became {new.files}")
    found += _text("stderr", old.stderr, new.stderr)
    if old.command.startswith("account") and isinstance(old.stdout, str):
        found += _text("stdout", old.stdout, new.stdout, _FLOAT_ERROR)
    else:
        account = old.command.startswith("account")
        found += _value("account" if account else "stdout", old.stdout, new.stdout)
    return found


def differences_of_accounts(old: str, new: str) -> list[str]:
    """Return what is not as it was in an account that is shown: floats choose its windows."""
    return list(_text("account", old, new, _FLOAT_ERROR))


def _value(where: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _object(where, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} entries became {len(new)}"
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from _value(f"{where}[{index}]", one, other)
    elif isinstance(old, str) and isinstance(new, str):
        yield from _text(where, old, new)
    elif old != new:
        yield f"{where}: {old!r} became {new!r}"


def _object(where: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    free = _FREE | _ESTIMATES if {"discretisation", "pessimistic"} & set(old) else _FREE
    if where.endswith(".location") and "/" in old["file"]:
        free = free | {"line"}  # of a file of the package, which any edit above it moves
    if set(old) - _FREE != set(new) - _FREE:
        yield f"{where}: the fields {sorted(set(old) ^ set(new))} came or went"
        return
    if {"lower", "upper"} <= set(old) and isinstance(old["lower"], str):
        yield from _interval(where, old, new)
        if old.get("exact") is not None:
            yield from _value(f"{where}.exact", old["exact"], new["exact"])
        rest = set(old) - {"lower", "upper", "exact", "x", "y"}
    elif {"upper", "lower"} <= set(old):
        rest = set(old) - {"lower", "upper"}  # the hulls of a curve; its values are compared
    elif {"x", "y", "output", "loss"} <= set(old):
        yield from _value(f"{where}.loss", old["loss"], new["loss"])
        rest = set(old) - {"x", "y", "output", "loss"}
        same = all(old[name] == new[name] for name in ("x", "y", "output"))
        if not same and old["loss"] != new["loss"]:
            yield f"{where}: another witness, with another loss"
    else:
        rest = set(old)
    for name in sorted(rest - free):
        if name.endswith("_upper") and isinstance(old[name], str) and isinstance(new[name], str):
            # One end alone, whose windows floats have chosen.
            yield from _text(f"{where}.{name}", old[name], new[name], _FLOAT_ERROR)
        else:
            yield from _value(f"{where}.{name}", old[name], new[name])


def _interval(where: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    spans = [tuple(Decimal(one[end]) for end in ("lower", "upper")) for one in (old, new)]
    (low, high), (lower, upper) = spans
    if lower > high or low > upper:
        yield f"{where}: [{low}, {high}] became [{lower}, {upper}], which does not meet it"
    elif high.is_finite() and upper - lower > max(2 * (high - low), _width(where)):
        yield f"{where}: [{low}, {high}] became [{lower}, {upper}], more than twice as wide"


def _width(where: str) -> Decimal:
    """Return how wide an interval may be, whatever it was: floats choose an account's windows."""
    return _ACCOUNT_WIDTH if where.startswith("account") else Decimal(0)


def _text(where: str, old: str, new: str, error: Decimal = Decimal(0)) -> Iterator[str]:
    old, new = _bare(old), _bare(new)
    if old == new:
        return
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        yield f"{where}: {_first_difference(old, new)}"
        return
    for one, other in zip(_NUMBER.finditer(old), _NUMBER.finditer(new), strict=True):
        (low, high), (lower, upper) = _span(one, error), _span(other, error)
        apart = (lower, upper) != (low, high) and (lower >= high or low >= upper)
        # Floats choose an account's windows, which are as narrow as another processor has them.
        free = _ACCOUNT_WIDTH if error else Decimal(0)
        if apart or upper - lower > max(2 * (high - low), free):
            yield f"{where}: {one.group()} became {other.group()}"


def _bare(text: str) -> str:
    """Return a text without what may change: spaces, rules of tables, seconds, versions."""
    text = without_runs(text)
    text = _VERSION.sub("VERSION", _SECONDS.sub("SECONDS", text))
    return " ".join(re.sub("[─━-]{2,}", " ", text).split())


def _span(found: re.Match[str], error: Decimal) -> Span:
    """Return what a printed number may stand for: a whole number is itself, digits are rounded."""
    text = found.group()
    if found.group(1) is not None:
        start = text.index("(")
        head, tail = text[:start], text[text.index(")") + 1 :]
        low, high = (Decimal(f"{head}{digits}{tail}") for digits in found.groups())
        return low, high
    value = Decimal(text)
    if "." not in text:
        return value, value
    slack = Decimal((0, (1,), int(value.as_tuple().exponent)))
    slack = max(slack, abs(value) * error)
    return value - slack, value + slack


def _first_difference(old: str, new: str) -> str:
    place = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    start = max(0, place - 40)
    return f"…{old[start : place + 60]}… became …{new[start : place + 60]}…"
