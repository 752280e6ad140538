"""What is audited: environments with pinned versions, and the calls made in each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

__all__ = ["Case", "Environment", "Row", "without_places"]


def without_places(text: str) -> str:
    """Return what a library or an installer says, without paths and addresses."""
    plain = re.sub("0x[0-9a-f]+", "…", text)
    return " ".join("…" if "/" in word else word for word in plain.split())


@dataclass(frozen=True)
class Case:
    """One call of a library at every one of a few inputs."""

    call: str
    """An expression; ``x`` is the input.  It is what runs, and what the table shows."""
    stated: str
    """The ε that the library states, as dpaudit reads it; nothing for a call that states none."""
    inputs: tuple[Any, ...]
    setup: str = ""
    """What is run once before: imports, hash functions, objects without randomness."""
    how: str = "as run"
    """``as run``, which falls back to ``sampled`` where the code is not followed; ``sampled``;
    or ``read``: nothing is explored or drawn, and the note says what ``show`` shows."""
    neighbours: str = "all"
    """A relation's name, or an expression in ``a`` and ``b``."""
    note: str = ""
    """What the row assumes, in words."""
    draws: int = 40_000
    show: str = ""
    """Lines that show a violation without dpaudit, where drawing the event does not."""


@dataclass(frozen=True)
class Environment:
    """A version of a library, what is installed for it, and what is audited there."""

    library: str
    version: str
    cases: tuple[Case, ...]
    install: tuple[str, ...] = ()
    """Further pinned requirements."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that are set."""
    numpy: str = "2.4.6"
    """The version of NumPy; the random algorithms of this one are followed as they run."""
    bare: bool = False
    """Is the library installed without what it asks for, whose pins rule that NumPy out?"""
    once: tuple[str, ...] = ()
    """How what makes no draw is called: where the input has no part in it, it is called once."""
    package: str = ""
    """What is imported; its public names are those that rows and reasons are asked of."""
    without: Mapping[str, str] = field(default_factory=dict)
    """Why public names have no row, by patterns of their dotted places."""
    missing: str = ""
    """Why it cannot be had, where that is known before."""
    note: str = ""
    """What holds of all its rows."""

    @property
    def name(self) -> str:
        return f"{self.library}-{self.version}"


@dataclass(frozen=True)
class Row:
    """What was found."""

    library: str
    version: str
    call: str
    stated: str
    how: str = ""
    epsilon: str = ""
    delta: str = ""
    verdict: str = ""
    event: str = ""
    note: str = ""
    why: str = ""
    """Why nothing was found, or why it was only sampled."""
    script: str = ""
    printed: str = ""
    """What the script printed in that environment."""
    seconds: float = 0.0
    case: str = ""
    """All of the case: a row is kept as long as it is that of its case."""

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Row:
        known = {one.name for one in fields(cls)}
        return cls(**{key: value for key, value in found.items() if key in known})

    def written(self) -> dict[str, Any]:
        return asdict(self)
