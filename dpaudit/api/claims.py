"""``dpaudit.prove``: claims decided by their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.claims.claim import Decision

__all__ = ["prove"]


def prove(*claims: str, files: Iterable[str | Path] = ()) -> dict[str, Decision]:
    """Decide claims by their evidence, those of installed packages and of files.

    Args:
        claims: ids or globs; without any, all claims are decided, which takes minutes.
        files: Python files that offer ``CLAIMS``.

    Returns:
        Each decision by the id of its claim: ``.verdict``, ``.grade``, ``.domain`` and ``.reason``.

    Raises:
        ClaimError: for a claim that there is not, or a file that offers none.

    >>> {id: decision.headline for id, decision in prove("I-right").items()}
    {'I-right': 'proved'}
    """
    from dpaudit.claims.deciding import decide
    from dpaudit.claims.discover import ClaimError, discover, select

    chosen = select(discover([Path(file) for file in files]), claims)
    for item in chosen:
        if item.failure:
            raise ClaimError(f"{item.module}: {item.failure}")
    return {item.claim.id: decide(item.claim) for item in chosen}
