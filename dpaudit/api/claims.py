"""``dpaudit.prove``: claims decided by their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.api.finished import Framed
from dpaudit.errors import ParameterError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dpaudit.claims.claim import Decision
    from dpaudit.claims.ledger import Standing

__all__ = ["Decisions", "prove"]


class Decisions(Framed, dict[str, "Decision"]):
    """Result of :func:`prove`: the decision on each claim, by its id.

    It can be exported as text, JSON, CSV or data frames."""

    def __init__(self, decisions: Mapping[str, Decision], standings: Mapping[str, Standing]):
        """Gather decisions, and the standing of each in the ledger."""
        super().__init__(decisions)
        self.standings = dict(standings)

    def rendered(self, form: str) -> str:
        """Return the decisions as ``text``, ``json``, ``csv`` or ``markdown``."""
        from dpaudit.report.claims import claims_report, verdict_of
        from dpaudit.report.render import FORMATS

        if form not in FORMATS:
            raise ParameterError("format", f"no form {form!r}; {nearest(form, FORMATS)}")
        decisions = [*self.values()]
        verdict = verdict_of(decisions, self.standings)
        return claims_report(decisions, self.standings, form, verdict=verdict).decode()

    def __str__(self) -> str:
        """Return the table of the command line."""
        return self.rendered("text")

    def __repr__(self) -> str:
        """Return how many claims have which verdict, in one line."""
        from dpaudit.report.claims import tally

        return f"<Decisions: {tally([*self.values()])}>"

    def _repr_html_(self) -> str:
        """Return the claims with their verdicts and grades, for a notebook."""
        from dpaudit.report.notebook import table

        rows = [
            (name, decision.headline, decision.grade.value, decision.claim.source)
            for name, decision in self.items()
        ]
        return table(("claim", "verdict", "grade", "source"), rows)


def prove(*claims: str, files: Iterable[str | Path] = ()) -> Decisions:
    """Decide mathematical claims about mechanisms by checking the evidence that each claim lists.

    Claims are lemmas and theorems; they come from installed packages and from files.

    Args:
        claims: ids or globs; by default all claims of the files, and without files all claims,
            which takes minutes.
        files: Python files that offer ``CLAIMS``.

    Returns:
        Each decision by the id of its claim: ``.verdict``, ``.grade``, ``.domain`` and ``.reason``.

    Raises:
        ClaimError: for an unknown claim, or a file without claims.

    >>> {id: decision.headline for id, decision in prove("I-right").items()}
    {'I-right': 'proved'}
    """
    from dpaudit.claims.deciding import decide
    from dpaudit.claims.discover import ClaimError, discover, select
    from dpaudit.claims.ledger import load_ledgers, standing

    own = [Path(file) for file in files]
    chosen = select(discover(own), claims, own)
    for item in chosen:
        if item.failure:
            raise ClaimError(f"{item.module}: {item.failure}")
    entries = load_ledgers(chosen)
    decisions = {item.claim.id: decide(item.claim) for item in chosen}
    standings = {
        item.claim.id: standing(
            entries.get(item.claim.id), decision.verdict, decision.grade, item.hash
        )
        for item, decision in zip(chosen, decisions.values(), strict=True)
    }
    return Decisions(decisions, standings)
