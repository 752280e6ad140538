"""Output laws by dataset, kept only while a pair may still need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpaudit.laws.law import Law, LawBook

__all__ = ["LawCache"]


class LawCache:
    """The laws of one book, for pairs that come grouped by their first dataset.

    A dataset that has been first is dropped when the next one is: with pairs in lexicographic
    order it is not needed again, and the working set stays a window of rows.  (Were it needed
    again, it would be computed again.)
    """

    def __init__(self, book: LawBook[Any]) -> None:
        """Take the ``book``, which belongs to the working precision in force."""
        self.book = book
        self.laws: dict[Any, Law] = {}
        self.current: Any = None

    def law(self, dataset: Any) -> Law:
        """Return the law at ``dataset``."""
        if dataset not in self.laws:
            self.laws[dataset] = self.book.law(dataset)
        return self.laws[dataset]

    def first(self, dataset: Any) -> Law:
        """Return the law of a pair's first dataset, and drop the previous pair's if it changed."""
        if dataset != self.current:
            self.laws.pop(self.current, None)
            self.current = dataset
        return self.law(dataset)
