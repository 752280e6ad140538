"""Notices: what is read as it was surely meant, and said once, on one line."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OldNameWarning", "notice", "notices_on_stderr"]


class OldNameWarning(FutureWarning):
    """An old name whose meaning is certain was given, and read as the new one."""


def notice(text: str) -> None:
    """Say ``text``: as an :class:`OldNameWarning`, on the command line as one line on stderr."""
    warnings.warn(text, OldNameWarning, stacklevel=5)


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """Print notices as lines of their own, each once."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, OldNameWarning):
            otherwise(message, category, *where, **more)
        elif str(message) not in said:
            said.add(str(message))
            print(f"dpaudit: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        otherwise = warnings.showwarning
        warnings.simplefilter("always", OldNameWarning)
        warnings.showwarning = show
        yield
