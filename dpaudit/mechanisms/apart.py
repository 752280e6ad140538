"""Mechanisms whose laws take long to derive, and can be derived in other processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

__all__ = ["DerivedApart"]


class DerivedApart(ABC):
    """Laws that are derived one dataset at a time, wherever there is a processor for it."""

    @abstractmethod
    def underived(self, n: int) -> list[Any]:
        """Return the datasets of size ``n`` whose laws are not known yet."""

    @abstractmethod
    def derive(self, datasets: Sequence[Any]) -> list[Any]:
        """Return what is found of some datasets, to be sent to another process; None for nothing.

        Nothing is for what that process is to look at itself: it has no law, or cannot be sent.
        """

    @abstractmethod
    def accept(self, datasets: Sequence[Any], found: Sequence[Any]) -> None:
        """Take what another process has derived; one dataset of these is derived here as well.

        Raises:
            LawError: where the two differ.
        """
