"""Tree of the errors that dpaudit raises::

    DpauditError                 anything dpaudit itself reports
    ├── UsageError               bad input: one line, exit code 2
    │   ├── NumberSyntaxError    text that is not a closed-form number
    │   ├── DomainError          a number outside the range a parameter allows
    │   ├── ParameterError       a parameter that does not exist, or not with that value
    │   │   └── AmbiguousRelationError  neighbours by a name that has two readings on the data
    │   ├── UnknownMechanismError
    │   ├── LoadError            a mechanism of a user's that cannot be loaded
    │   ├── ConfigError          a configuration file that is not one
    │   ├── SizeError            a data size or a list of sizes that makes no sense
    │   ├── TooLargeError        what needs more memory than there is, or than it is allowed
    │   ├── DataError            a data file that cannot be read as a column of categories
    │   ├── OutputError          a file that cannot be written
    │   ├── ResumeError          a report that cannot be continued
    │   ├── ClusterError         a Dask cluster that cannot be used
    │   └── MissingExtraError    an optional library that is not installed
    ├── LawError                 output laws, or neighbours, that are not what they must be
    ├── TimeCapError             a time cap that was reached before anything was finished
    └── PrecisionError           a quantity that no allowed precision separates from a bound

Each carries the offending object as an attribute, and a message that says what was given and what
is allowed.  A finding (a budget that is exceeded) is never an exception: it is a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

__all__ = [
    "AmbiguousRelationError",
    "ClusterError",
    "ConfigError",
    "DataError",
    "DomainError",
    "DpauditError",
    "LawError",
    "LoadError",
    "MissingExtraError",
    "NumberSyntaxError",
    "OutputError",
    "ParameterError",
    "PrecisionError",
    "Remedy",
    "ResumeError",
    "SizeError",
    "TimeCapError",
    "TimeCapReached",
    "TooLargeError",
    "UnknownMechanismError",
    "UsageError",
    "counted",
    "nearest",
    "one_line",
    "without_addresses",
]


_MANY = 30


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a clause that names what ``name`` may have meant, or what is known at all.

    >>> nearest("EHSD", ["EHDS", "MH"])
    'did you mean EHDS?'
    >>> nearest("??", ["EHDS", "MH"])
    'known: EHDS, MH'
    """
    from difflib import get_close_matches  # here: only a mistake needs it

    by_lower = {known_name.lower(): known_name for known_name in known}
    close = get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(by_lower[match] for match in close)}?"
    names = list(by_lower.values())
    if not names:
        return "there are none"
    if len(names) > _MANY:
        return f"known are {len(names)}, such as {', '.join(names[:5])}"
    return f"known: {', '.join(names)}"


def counted(number: int, noun: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "pair"), counted(0, "step"), counted(10_000, "draw")
    ('1 pair', '0 steps', '10000 draws')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def without_addresses(text: str) -> str:
    """Return a text without the addresses of objects, which differ from run to run.

    >>> without_addresses("<map object at 0x7f1c>")
    '<map object>'
    """
    return _ADDRESS.sub("", text)


def one_line(error: BaseException) -> str:
    """Return what was raised, on one line that is not too long."""
    try:
        text = " ".join(str(error).split())[:200]
    except Exception:  # an exception of a user's may be anything
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Remedy(NamedTuple):
    """A change of a command line after which it can be run."""

    words: tuple[tuple[str, str], ...]
    """Options with their values, as ``("--inputs", "0..3")``; or a word of the line, and the word
    that takes its place."""
    meaning: str
    """Sentence on the command that this makes, for a reader who chooses among several."""


ErrorT = TypeVar("ErrorT", bound="DpauditError")


class DpauditError(Exception):
    """Anything dpaudit itself reports; it travels between processes with what it remembers."""

    remedies: tuple[Remedy, ...] = ()
    """Changes of the command line that may be meant, the likeliest first."""
    brief: str = ""
    """The message where the remedies are shown below it; empty for the whole message."""

    def remedied(self: ErrorT, *remedies: Remedy, brief: str = "") -> ErrorT:
        """Return the error itself with ``remedies``, and with a ``brief`` message above them."""
        self.remedies, self.brief = remedies, brief
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Be made again from what was remembered, whatever the constructor takes."""
        return _made_again, (type(self), self.args, vars(self))


def _made_again(
    kind: type[DpauditError], args: tuple[object, ...], remembered: dict[str, object]
) -> DpauditError:
    error = kind.__new__(kind, *args)
    vars(error).update(remembered)
    return error


class UsageError(DpauditError):
    """Bad input; the message is one line that says what was given and what is allowed."""


class NumberSyntaxError(UsageError):
    """Text that is not a closed-form number of the small language in ``exact.parse``."""

    def __init__(self, text: str, reason: str, name: str = "") -> None:
        """Remember the offending ``text``, and the ``name`` of what it was given for."""
        self.text = text
        self.reason = reason
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        whose = f"{name} = " if name else ""
        super().__init__(
            f"{whose}{shown!r} is not a number: {reason}; allowed are integers, decimals and "
            "fractions (0.8, 4/5, 5e-4), pi, ln, exp, sqrt, + - * / ^ and parentheses"
        )


class DomainError(UsageError):
    """A number outside the range that a parameter allows."""

    def __init__(self, name: str, given: object, allowed: str) -> None:
        """Remember the parameter's ``name`` and the value ``given``."""
        self.name = name
        self.given = given
        super().__init__(f"{name} = {given}: {allowed}")


class ParameterError(UsageError):
    """A parameter that a mechanism does not have, or does not have with that value."""

    def __init__(self, name: str, message: str) -> None:
        """Remember the parameter's ``name``."""
        self.name = name
        super().__init__(message)


class AmbiguousRelationError(ParameterError):
    """Neighbours by a name, or by none, that has two readings on the datasets given."""

    def __init__(self, message: str) -> None:
        """Name both readings in the ``message``."""
        super().__init__("neighbours", message)


_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?|[0-9]+/[0-9]+")


class UnknownMechanismError(UsageError):
    """A mechanism that is not registered."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        """Remember the ``name`` that was asked for."""
        self.name = name
        hint = nearest(name, known)
        if name.replace("-", "").replace("_", "").lower() in ("dpsgd", "sgd", "gaussiansgd"):
            hint = "a run of DP-SGD is accounted for by `dpaudit account dpsgd`"
        elif _NUMBER.fullmatch(name):
            hint = "ε and δ of a budget are one word: --budget 0.8,1e-5"
        super().__init__(f"no mechanism is called {name!r}; {hint}")


class LoadError(UsageError):
    """A mechanism that is named by its module or file and cannot be loaded."""

    def __init__(self, name: str, reason: str) -> None:
        """Remember the ``name`` that was asked for."""
        self.name = name
        super().__init__(f"{name}: {reason}")


class ConfigError(UsageError):
    """A configuration file with a key or a value that is not allowed."""

    def __init__(self, path: object, key: str, reason: str) -> None:
        """Remember the ``path`` and the ``key``, empty for the whole file."""
        self.path = path
        self.key = key
        super().__init__(f"{path}: {key}: {reason}" if key else f"{path}: {reason}")


class SizeError(UsageError):
    """A data size, a list of sizes, or a dataset that makes no sense."""


class TooLargeError(UsageError):
    """Work that is estimated to need more memory than there is, or than it is allowed."""

    def __init__(self, needed: int, available: int, message: str) -> None:
        """Remember how many bytes are ``needed`` and ``available``."""
        self.needed = needed
        self.available = available
        super().__init__(message)


class DataError(UsageError):
    """A data file that cannot be read as a column of categories."""

    def __init__(self, path: object, reason: str) -> None:
        """Remember the ``path``."""
        self.path = path
        self.reason = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in reason)
        shown = self.reason if len(self.reason) <= 600 else f"{self.reason[:597]}..."
        super().__init__(f"{path}: {shown}")


class OutputError(UsageError):
    """A file that cannot be written."""

    def __init__(self, path: object, reason: str) -> None:
        """Remember the ``path``."""
        self.path = path
        super().__init__(f"cannot write {path}: {reason}")


class ResumeError(UsageError):
    """A report that cannot be continued, or not by this command."""

    def __init__(self, path: object, reason: str) -> None:
        """Remember the ``path``."""
        self.path = path
        super().__init__(f"cannot resume from {path}: {reason}")


class ClusterError(UsageError):
    """A Dask cluster that cannot be used."""

    def __init__(self, address: str, reason: str) -> None:
        """Remember the ``address`` of the scheduler."""
        self.address = address
        self.reason = reason
        super().__init__(f"cannot use the Dask cluster at {address}: {reason}")


class MissingExtraError(UsageError):
    """Something that needs a library which is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        """Remember the ``library`` and the ``extra`` that brings it."""
        self.library = library
        super().__init__(f"{library} is not installed; pip install 'dpaudit[{extra}]' installs it")


class TimeCapError(DpauditError):
    """A time cap that was reached before anything was finished."""


class TimeCapReached(KeyboardInterrupt):
    """The time cap is reached: as an interrupt, which a user's code does not catch by mistake."""


class LawError(DpauditError):
    """A mechanism whose output laws or neighbouring relation are not what they must be."""


class PrecisionError(DpauditError):
    """A quantity that could not be enclosed as tightly as asked at the precision cap."""
