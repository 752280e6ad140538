"""Options of a recheck, and the parts of a report that are not rechecked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.recheck.user_mechanisms import OwnMechanism

__all__ = ["CODE", "DATA", "DERIVED", "LOADED", "MESSAGES", "UPPER_ENDS", "RecheckOptions"]

LOADED = "where a mechanism was loaded from: only the SHA-256 of its file is compared"
CODE = "which code made it: the fingerprint is not compared"
DATA = "that the file of the data has these counts"
MESSAGES = "messages in words"
DERIVED = (
    "how many paths a program has, the path to a witness, and which functions were replaced: "
    "verify does not derive the output distribution of code a second time"
)
UPPER_ENDS = (
    "that no pair exceeds the upper ends of realised ε and δ (--all-pairs computes them again)"
)


@dataclass(frozen=True)
class RecheckOptions:
    """Options of a recheck."""

    own: Sequence[OwnMechanism] = ()
    """Mechanisms of users; those the report is about are made with its parameters."""
    all_pairs: bool = False
    """True to recompute the maxima over all pairs, not at the witnesses alone."""
    folder: Path = Path()
    """Folder that the paths of a report are relative to: that of a gate's configuration."""
    progress: Callable[[str], None] = lambda what: None
    """Called with a text before each step."""
