"""``dpaudit.prove``: claims decided by their evidence."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.claims.claim import Decision

__all__ = ["Decisions", "prove"]


class Decisions(dict[str, "Decision"]):
    """Each decision by the id of its claim."""

    def __repr__(self) -> str:
        """Return how many claims have which verdict, in one line."""
        from dpaudit.report.claims import tally

        return f"<Decisions: {tally([*self.values()])}>"

    def _repr_html_(self) -> str:
        """Return the claims with their verdicts and grades, for a notebook."""
        rows = [
            f"<tr><td>{escape(name)}</td><td>{escape(one.headline)}</td>"
            f"<td>{escape(one.grade.value)}</td><td>{escape(one.claim.source)}</td></tr>"
            for name, one in self.items()
        ]
        head = "<tr><th>claim</th><th>verdict</th><th>grade</th><th>source</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def prove(*claims: str, files: Iterable[str | Path] = ()) -> Decisions:
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
    return Decisions({item.claim.id: decide(item.claim) for item in chosen})
