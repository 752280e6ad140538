"""Changes from one report to another: numbers that moved, verdicts that flipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from dpaudit.errors import PrecisionError
from dpaudit.report.statements import (
    READING,
    STATED,
    Covered,
    Kept,
    Statement,
    Word,
    question_of,
    statements,
    subject_of,
    title_of,
)
from dpaudit.report.table import MOST_SHOWN, printable, shortened
from dpaudit.results import Change, Enclosure

__all__ = ["Comparison", "apart"]

_RANKS = {
    "within": 0,
    "tie accepted": 1,
    "not refuted": 2,
    "conforms": 2,
    "exceeds": 4,
    "differs": 4,
}
_UNKNOWN = 3
"""Rank of verdicts that neither pass nor are certain failures: undecided, a cap, a crash."""
_READINGS = {"as run": 0, "ideal": 1}
_THERE = "there"
"""Stands for what has no verdict."""

_Told = Enclosure | str | None
_Kind = Literal["moved", "flipped", "only in old", "only in new", "asked otherwise"]
_Standing = Literal["worse", "better", ""]


class Comparison:
    """Changes noted so far, and the number of statements whose two intervals overlap."""

    def __init__(self) -> None:
        """Begin without any."""
        self.changes: list[Change] = []
        self.sources: list[str] = []
        self.agreeing = 0
        self.kept = 0

    def reports(self, old: Any, new: Any, title: str) -> None:
        """Compare two reports about one mechanism; None where there is none."""
        if old is None or new is None:
            words = [None if one is None else _whole(one) for one in (old, new)]
            self.alone(title, *words)
            return
        if old.schema != new.schema:
            self.asked(title, {"question": old.schema}, {"question": new.schema})
            return
        if subject_of(old) != subject_of(new):
            self.asked(title, {"mechanism": title_of(old)}, {"mechanism": title_of(new)})
        self.asked(title, question_of(old), question_of(new))
        before, after = (getattr(one, "loaded", None) for one in (old, new))
        if before is not None and after is not None and before.sha256 != after.sha256:
            self.sources.append(_shown(after.reference))
        there, here = statements(old), statements(new)
        for where in sorted(dict.fromkeys([*there, *here]), key=lambda place: not place):
            if where in there and where in here:
                self._place(title, where, there[where], here[where])
            else:
                verdicts = [_verdict(told.get(where)) for told in (there, here)]
                self.alone(title, *verdicts, where=where)

    def alone(self, title: str, old: _Told, new: _Told, *, where: str = "", what: str = "") -> None:
        """Note what one of the reports alone has; the other value is None."""
        side: _Kind = "only in old" if new is None else "only in new"
        self._note(side, title, (old, new), what, "worse" if new is None else "", where=where)

    def asked(self, title: str, old: Mapping[str, str], new: Mapping[str, str]) -> None:
        """Note each part of a question that was changed; a new budget takes no check away."""
        budgets = [side.get("budget") for side in (old, new)]
        for what in dict.fromkeys([*old, *new]):
            before, after = old.get(what) or "none", new.get(what) or "none"
            if what == STATED and [before, after] == budgets:
                continue  # the budget is the stated one, and was told of
            if before != after:
                added = before == "none" and what in ("budget", "bounds", STATED)
                words = (_shown(before), _shown(after))
                self._note("asked otherwise", title, words, what, "" if added else "worse")

    def verdict(self, title: str, old: str, new: str) -> None:
        """Compare two verdicts on the whole; a flip that a part has is not told again."""
        self._word(title, "", "verdict", old, new)

    def claim(self, title: str, old: Any, new: Any) -> None:
        """Compare what became of a claim: it is worse where it no longer is as expected."""
        if old.found == new.found:
            self.kept += 1
            return
        standing: _Standing = ""
        if old.passed is not new.passed:
            standing = "better" if new.passed else "worse"
        self._note("flipped", title, (_shown(old.found), _shown(new.found)), "claim", standing)

    def _place(
        self, title: str, where: str, old: Mapping[str, Statement], new: Mapping[str, Statement]
    ) -> None:
        """Compare all statements about one size."""
        for what in dict.fromkeys([*old, *new]):
            before, after = old.get(what), new.get(what)
            if isinstance(before, Enclosure) and isinstance(after, Enclosure):
                if apart(before, after):
                    ends = (_plain(before), _plain(after))
                    self._note("moved", title, ends, what, where=where)
                else:
                    self.agreeing += 1
            elif isinstance(before, Covered) and isinstance(after, Covered):
                if before != after:
                    fewer = after.pairs < before.pairs
                    texts = (before.text, after.text)
                    self._note("moved", title, texts, what, "worse" if fewer else "", where=where)
            elif isinstance(before, Kept) and isinstance(after, Kept):
                self._intervals(title, what, before, after)
            elif isinstance(before, Word) and isinstance(after, Word):
                self._word(title, where, what, before.text, after.text)
            else:
                values = [_value(one) for one in (before, after)]
                self.alone(title, *values, where=where, what=what)

    def _word(self, title: str, where: str, what: str, old: str, new: str) -> None:
        if old == new:
            self.kept += what != READING
            return
        ranks = _READINGS if what == READING else _RANKS
        before, after = (ranks.get(word, _UNKNOWN) for word in (old, new))
        standing: _Standing = ""
        if before != after:
            standing = "worse" if after > before else "better"
        told = any(
            (one.change, one.mechanism, one.old, one.new) == ("flipped", _shown(title), old, new)
            for one in self.changes
        )
        if where or not told:
            self._note("flipped", title, (old, new), what, standing, where=where)

    def _intervals(self, title: str, what: str, old: Kept, new: Kept) -> None:
        """Compare the intervals of a parameter at which a budget is certainly kept."""
        lost = not all(_covered(one, new) for one in old.intervals)
        gained = not all(_covered(one, old) for one in new.intervals)
        if lost or gained:
            words = (_shown(old.text), _shown(new.text))
            self._note("flipped", title, words, what, "worse" if lost else "better")
        else:
            self.kept += 1

    def _note(
        self,
        change: _Kind,
        title: str,
        values: tuple[_Told, _Told],
        what: str,
        standing: _Standing = "",
        *,
        where: str = "",
    ) -> None:
        old, new = values
        self.changes.append(
            Change(
                change=change,
                mechanism=_shown(title),
                where=where,
                what=what,
                old=old,
                new=new,
                standing=standing,
            )
        )


def apart(old: Enclosure, new: Enclosure) -> bool:
    """Tell whether two intervals certainly have no number in common.

    Numbers in closed form are compared exactly, as far as that is decided.

    >>> from decimal import Decimal
    >>> low, high = Decimal("0.1"), Decimal("0.2")
    >>> apart(Enclosure(low, low), Enclosure(high, high)), apart(
    ...     Enclosure(low, high), Enclosure(high, high))
    (True, False)
    """
    if old.lower > new.upper or new.lower > old.upper:
        return True
    return any(_outside(other.exact, one) for one, other in ((old, new), (new, old)) if other.exact)


def _outside(number: Any, interval: Enclosure) -> bool:
    """Tell whether a number in closed form is certainly not in an interval."""
    try:
        return bool(interval < number or interval > number)
    except PrecisionError:
        return False


def _covered(interval: Any, kept: Kept) -> bool:
    """Tell whether every number of a closed interval is in one of those that are ``kept``."""
    reached, end = interval
    inside = False
    for low, high in sorted(kept.intervals):
        if low <= reached <= high:
            inside, reached = True, high
    return inside and bool(reached >= end)


def _plain(interval: Enclosure) -> Enclosure:
    """Return an interval without what a kind of its own adds."""
    return Enclosure(interval.lower, interval.upper, interval.exact)


def _value(statement: Statement | None) -> _Told:
    if isinstance(statement, (Word, Kept, Covered)):
        return _shown(statement.text)
    return None if statement is None else _plain(statement)


def _verdict(told: Mapping[str, Statement] | None) -> str | None:
    """Return the verdict at a place, or that something is there."""
    if told is None:
        return None
    verdict = told.get("verdict")
    return verdict.text if isinstance(verdict, Word) else _THERE


def _whole(report: Any) -> str:
    verdict = getattr(report, "verdict", None)
    return _THERE if verdict is None else str(verdict.value)


def _shown(text: str) -> str:
    return shortened(printable(text), MOST_SHOWN)
