"""Effort of real runs: their number, and the time they may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.machine import Deadline
from dpaudit.programs.exploring.outputs import Raised
from dpaudit.programs.real.counted import DEFAULT_RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["AS_RUN", "IDEAL", "OTHER_DRAWS", "Effort", "brief", "disagreement"]

AS_RUN, IDEAL = 1 << 14, 1 << 13
"""About how many runs with random draws all datasets have together, where nobody says: so that they
take less than half of the time of a small audit as run, its start included.

An ideal law was held to known numbers path by path already
(:mod:`dpaudit.programs.exploring.known`)."""
OTHER_DRAWS = (
    "a run with plain numbers draws differently: the program behaves differently with plain "
    "numbers than with symbolic draws, so dpaudit cannot derive its output distribution"
)
"""Message about a run that reads its randomness otherwise than was derived."""
_FEWEST = 64
"""However many datasets there are, and however long they take, each has so many."""
_BESIDE = 1_024
"""So many are enough beside every outcome."""
_SHARE, _SECONDS = 0.25, 0.4
"""Those of a dataset end after so much of the time that exploring took, or after its part of so
many seconds where that is more, and the chosen ones after half of it."""


@dataclass(frozen=True)
class Effort:
    """Effort of real runs at one dataset."""

    runs: int | None = None
    """Number of runs with random draws; None for :attr:`wanted`, as far as the time allows."""
    seconds: float = 0.0
    """Processor time of the exploration, in seconds."""
    datasets: int = 1
    """Number of datasets that share :attr:`total`."""
    total: int = IDEAL

    @property
    def wanted(self) -> int:
        """Number of runs with random draws: the same wherever the audit is repeated.

        >>> [Effort(datasets=count, total=AS_RUN).wanted for count in (1, 2, 3, 1000)]
        [16384, 8192, 4096, 64]
        """
        if self.runs is not None:
            return self.runs
        share = self.total // self.datasets
        if share >= DEFAULT_RUNS:
            return DEFAULT_RUNS
        return max(_FEWEST, 1 << share.bit_length() - 1) if share else _FEWEST

    @property
    def allowed(self) -> float:
        """Processor time that the runs may take, in seconds."""
        return max(_SECONDS / self.datasets, _SHARE * self.seconds)

    def times(self, *, exhaustive: bool = False) -> Iterator[int]:
        """Yield 1, 2, …, one number for each run with random draws.

        Where every outcome that was derived is run as well, these only show draws of other kinds.
        """
        end = Deadline(self.allowed)
        wanted = min(self.wanted, _BESIDE) if exhaustive and self.runs is None else self.wanted
        for number in range(1, wanted + 1):
            yield number
            late = self.runs is None and number % _FEWEST == 0 and end.passed()
            if late:
                return


def brief(output: Any) -> str:
    """Return an output as a message shows it."""
    shown = str(output) if isinstance(output, Raised) else repr(output)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def disagreement(draws: str, output: Any, derived: Any) -> str:
    """Say which draws of a real run gave what, and what was derived."""
    return (
        f"a real run with the draws ({draws}) gives {brief(output)}, and {brief(derived)} was "
        "derived: the program behaves differently with plain numbers than with symbolic draws, "
        "so dpaudit cannot derive its output distribution"
    )
