"""``dpaudit reproduce --report FILE.html``: gather what the page for an author is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError
from dpaudit.notes.reproduce.findings import Item
from dpaudit.notes.reproduce.repairs import REPAIRS
from dpaudit.report.files import check_writable, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from dpaudit.claims.discover import Registered
    from dpaudit.notes.reproduce.author_page import Decided
    from dpaudit.notes.reproduce.places import Place
    from dpaudit.results import Failed

__all__ = ["AuthorPage", "verdicts"]


class AuthorPage:
    """The page of one document, which is checked to be possible before anything is computed."""

    def __init__(self, file: Path, document: str) -> None:
        """Read the document's inventory and find its claims.

        Args:
            file: the page.
            document: letter of the document.

        Raises:
            ParameterError: where the notes' claims are not installed.
            OutputError: if the file cannot be written.
        """
        from dpaudit.claims.discover import discover
        from dpaudit.notes.reproduce.places import packages_with, read_places

        self._file, self._document = file, document
        check_writable(self._file)
        known = discover()
        packages = packages_with(document, (item.package for item in known.values()))
        if not packages:
            raise ParameterError(
                "report", f"--report: no installed package of claims has the places of {document}"
            )
        self._places: tuple[Place, ...] = read_places(document, packages[0])
        named = {key for place in self._places for key in place.claims}
        self._claims = [item for key, item in known.items() if key in named]

    def write(
        self,
        items: Sequence[Item | Failed],
        folder: Path,
        write_item: Callable[[Item, Path], None],
    ) -> None:
        """Write the page, and the further figures into ``folder`` by ``write_item``."""
        from dpaudit.notes.reproduce.author_page import author_html
        from dpaudit.notes.reproduce.every_mechanism import (
            realised_by_categories,
            realised_by_size,
        )

        further = (realised_by_size(), realised_by_categories())
        for item in further:
            write_item(item, folder)
        pictures = {
            item.id: (folder / f"{item.id}.svg").read_bytes()
            for item in (*items, *further)
            if isinstance(item, Item)
        }
        # No place of a document has the repairs: they are drawn at the end, where computed.
        repairs = [item for item in items if isinstance(item, Item) and item.id == REPAIRS]
        shown = (*further, *repairs)
        claims = verdicts(self._claims)
        content = author_html(
            self._document, self._places, claims, items, pictures=pictures, further=shown
        )
        write_whole(self._file, content)


def verdicts(registered: Iterable[Registered]) -> dict[str, Decided]:
    """Return claims with their verdicts, by id.

    A verdict that was recorded from the same claim and the same code is taken from the ledger; any
    other claim is decided now.
    """
    from dpaudit.claims.claim import ClaimVerdict, Grade
    from dpaudit.claims.deciding import decide_registered
    from dpaudit.claims.ledger import load_ledgers
    from dpaudit.notes.reproduce.author_page import Decided

    chosen = list(registered)
    ledger = load_ledgers(chosen)
    decided = {}
    for item in chosen:
        claim, entry = item.claim, ledger.get(item.claim.id)
        if entry is not None and entry.hash == item.hash:
            grade = Grade(entry.grade or Grade.NONE.value)
            decided[claim.id] = Decided(claim, ClaimVerdict(entry.verdict), grade)
        else:
            decided[claim.id] = Decided.of(decide_registered(item))
    return decided
