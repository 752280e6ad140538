"""``dpaudit.reproduce``: the notes' tables, captions and figures, computed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.api.finished import Framed
from dpaudit.audit.workers import check_jobs
from dpaudit.errors import ParameterError, nearest
from dpaudit.notes.reproduce import page
from dpaudit.notes.reproduce import targets as known

if TYPE_CHECKING:
    from dpaudit.notes.reproduce.findings import Item
    from dpaudit.results import Failed, ReproductionReport

__all__ = ["Reproduced", "reproduce"]


@dataclass(frozen=True, repr=False)
class Reproduced(Framed):
    """Result of :func:`reproduce`: each number or statement of the notes, and its recomputation."""

    found: tuple[Item | Failed, ...]
    """Findings about each target, in the notes' order."""

    @property
    def report(self) -> ReproductionReport:
        """The whole report, as in the JSON document."""
        return page.reproduction_document(self.found, ())

    @property
    def verdict(self) -> str:
        """``decided`` where every number was reproduced, or certified not to be."""
        return page.verdict_of(self.found, ())

    def rendered(self, form: str) -> str:
        """Return the report as ``text``, ``json``, ``csv`` or ``markdown``."""
        if form not in page.FORMS:
            raise ParameterError("format", f"no form {form!r}; {nearest(form, page.FORMS)}")
        return page.FORMS[form](self.found, ()).decode()

    def __str__(self) -> str:
        """Return a line for each target, and below it one for each number."""
        return self.rendered("text")

    def __repr__(self) -> str:
        """Return in one line how many numbers there are, and how many have which outcome."""
        return f"<Reproduced: {page.heading(self.found, ())}>"

    def _repr_html_(self) -> str:
        """Return the list of targets with their verdicts, for a notebook."""
        return page.contents(self.found, ())


def reproduce(*targets: str, jobs: int = 1) -> Reproduced:
    """Recompute the numbers in tables, captions and figures of the notes, and compare all digits.

    Args:
        targets: ids of the targets, as ``dpaudit reproduce --list`` names them; by default all.
        jobs: number of processes that share the work.

    Returns:
        The result: ``.verdict``, and in ``.found`` every item with the compared numbers.

    Raises:
        ParameterError: for an unknown target.

    >>> reproduce("table-beta")
    <Reproduced: 1 tables, captions and figures; 20 numbers and statements: 20 reproduced; decided>
    """
    check_jobs(jobs)
    chosen = known.chosen_targets(targets)
    items = {item.id: item for item in known.reproduce(chosen, jobs)}
    return Reproduced(tuple(items[target.id] for target in chosen))
