"""One page for the author of a document: each place in order, and what to change.

The page joins three things: the inventory of the document's places, the claims that decide them,
and its tables, captions and figures, computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from dpaudit.claims.claim import Claim, ClaimVerdict, Decision, Grade, Role
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome
from dpaudit.notes.reproduce.page import item_section
from dpaudit.notes.reproduce.places import DOCUMENTS, Place
from dpaudit.report.claims import domain_of, formula_of
from dpaudit.report.fitting import printable
from dpaudit.report.formats.html import cells, page, table, today
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.results import Failed

__all__ = ["Decided", "author_html", "corrections"]

_GOOD = (ClaimVerdict.PROVED, ClaimVerdict.VERIFIED_TO)
_PART = (ClaimVerdict.HOLDS_ON, ClaimVerdict.GAP)
_WORDS = {
    ClaimVerdict.PROVED: "true",
    ClaimVerdict.VERIFIED_TO: "true as far as it was tried",
    ClaimVerdict.REFUTED: "false",
    ClaimVerdict.HOLDS_ON: "true on a smaller domain",
    ClaimVerdict.GAP: "the argument has a gap",
    ClaimVerdict.AMBIGUOUS: "has no checkable meaning",
    ClaimVerdict.UNDECIDED: "undecided",
    ClaimVerdict.FAILED: "not checked: its evidence failed",
}
"""Verdicts in the words of a referee."""


@dataclass(frozen=True)
class Decided:
    """A claim with its verdict, decided now or as recorded from the same claim and code."""

    claim: Claim
    verdict: ClaimVerdict
    grade: Grade
    reason: str = ""
    """Reason for an undecided, ambiguous or failed verdict."""

    @classmethod
    def of(cls, decision: Decision) -> Decided:
        """Return the claim of a decision with its verdict."""
        return cls(decision.claim, decision.verdict, decision.grade, decision.reason)

    @property
    def stands(self) -> bool:
        """True if the text may stay as it is."""
        return self.verdict in _GOOD

    @property
    def words(self) -> str:
        """The verdict in a few words, with what it rests on."""
        grades = {
            Grade.KERNEL: "a theorem in Coq",
            Grade.CHECKED: "checked by machine",
            Grade.SWEPT: "every case tried",
            Grade.ARGUED: "argued in prose",
        }
        basis = grades.get(self.grade)
        return _WORDS[self.verdict] + (f" ({basis})" if basis else "")


@dataclass(frozen=True)
class Correction:
    """Something in a document that should be changed."""

    places: tuple[Place, ...]
    """Places that say it, in the document's order."""
    id: str
    """Id of the claim or of the item, which is where the page tells more."""
    said: str
    """Content of the document's statement, in our words."""
    fault: str
    """Fault, in a few words."""
    instead: str
    """Text or number to write instead; empty if none is known."""
    why: str
    """Reason: the counterexample, or the value that was computed."""


def corrections(
    places: Sequence[Place],
    claims: Mapping[str, Decided],
    items: Mapping[str, Item],
) -> list[Correction]:
    """Return what to change in a document, each claim and item once, in its order."""
    by_id: dict[str, list[Place]] = {}
    for place in places:
        for name in (*place.claims, *place.figures):
            by_id.setdefault(name, []).append(place)
    listed: list[Correction] = []
    for name, where in by_id.items():
        if name in claims and not claims[name].stands:
            listed.append(_of_claim(name, tuple(where), claims[name]))
        elif name in items:
            listed += _of_item(name, tuple(where), items[name])
    return listed


def _of_claim(name: str, places: tuple[Place, ...], decided: Decided) -> Correction:
    claim = decided.claim
    reason = _reason(decided)
    return Correction(places, name, claim.statement, decided.words, claim.repaired, reason)


def _reason(decided: Decided) -> str:
    """Return why a claim does not stand: the evidence against it, or the reason of the verdict."""
    against = {
        ClaimVerdict.REFUTED: (Role.REFUTES,),
        ClaimVerdict.HOLDS_ON: (Role.REFUTES,),
        ClaimVerdict.GAP: (Role.GAP,),
    }.get(decided.verdict, ())
    titles = [evidence.title for evidence in decided.claim.evidence if evidence.role in against]
    reasons = (decided.reason, decided.claim.ambiguous, *decided.claim.readings)
    return "; ".join(filter(None, titles or reasons))


def _of_item(name: str, places: tuple[Place, ...], item: Item) -> Iterator[Correction]:
    """Yield what no reading gives; statements that fail alike at several places are one."""
    failing = [c for c in item.judged if c.outcome is PrintedOutcome.NOT_REPRODUCED]
    by_statement: dict[str, list[PrintedCheck]] = {}
    for check in failing:
        # A subject is "place: statement", or a number's own name.
        by_statement.setdefault(check.subject.rpartition(": ")[2], []).append(check)
    for statement, checks in by_statement.items():
        at = [check.subject.rpartition(": ")[0] for check in checks]
        said = f"{item.title}: {statement}" + (f" (at {'; '.join(at)})" if all(at) else "")
        values = [f"{check.value.texts()[0]} …" for check in checks if check.value is not None]
        instead = "; ".join(values) if len(values) == len(checks) else ""
        reasons = "; ".join(dict.fromkeys(check.why for check in checks if check.why))
        yield Correction(places, name, said, "no reading gives it", instead, reasons)


def author_html(
    document: str,
    places: Sequence[Place],
    claims: Mapping[str, Decided],
    items: Sequence[Item | Failed],
    *,
    pictures: Mapping[str, bytes],
    further: Sequence[Item] = (),
) -> bytes:
    """Return the page of a document.

    Args:
        document: letter of the document.
        places: its places, in order.
        claims: the claims that its places name, by id.
        items: tables, captions and figures, computed again.
        pictures: SVG by the id of an item.
        further: figures that the document does not have, drawn at the end.
    """
    computed = {item.id: item for item in items if isinstance(item, Item)}
    listed = corrections(places, claims, computed)
    title = f"What the notes say, and what is true: {document}"
    counts = [f"{len(places)} places", f"{len(listed)} things to change"]
    heading = (
        f"<h1>{escape(title)}</h1>"
        f"<p>{escape(DOCUMENTS[document])}: {', '.join(counts)}. Each formula, definition, table, "
        "figure and conclusion stands below in the document's order, with its verdict.</p>"
        f'<p class="soft">dpaudit {escape(__version__)}, page of {today()}</p>'
    )
    parts = [_changes(listed), "<h1>The document, place by place</h1>"]
    drawn: set[str] = set()
    for section, kept in groupby(places, key=lambda place: place.section):
        here = list(kept)
        parts.append(_section(section, here, claims, computed))
        for key in dict.fromkeys(key for place in here for key in place.figures):
            if key in computed and key not in drawn:
                drawn.add(key)
                parts.append(_figure(computed[key], pictures))
    parts += [_figure(item, pictures, judged=False) for item in further]
    parts.append(_statements(places, claims))
    return page(f"dpaudit: {title}", heading, parts)


def _changes(listed: Sequence[Correction]) -> str:
    rows = [
        [
            _where(correction.places),
            f'<a href="#{escape(correction.id)}">{escape(printable(correction.said))}</a>',
            *cells(correction.fault, correction.instead or "—", correction.why),
        ]
        for correction in listed
    ]
    header = ("Place", "What stands there", "Fault", "Write instead", "Why")
    note = (
        "<p>In the document's order. What stands under “write instead” is true, and rests on "
        "what its entry below names; a dash says that no true replacement is known.</p>"
    )
    return f'<section id="changes"><h2>What to change</h2>{note}{table(header, rows)}</section>'


def _where(places: Sequence[Place]) -> str:
    """Return the sections of places, with the lines in each."""
    texts = []
    for section, kept in groupby(places, key=lambda place: place.section):
        lines = ", ".join(str(line) for line in dict.fromkeys(place.line for place in kept) if line)
        texts.append(f"{section}, line {lines}" if lines else section)
    return "<br>".join(map(escape, texts))


def _section(
    name: str,
    places: Sequence[Place],
    claims: Mapping[str, Decided],
    items: Mapping[str, Item],
) -> str:
    rows = [
        [*cells(str(place.line or ""), place.kind, place.what), _verdicts(place, claims, items)]
        for place in places
    ]
    head = f"<section><h2>{escape(name)}</h2>"
    return f"{head}{table(('Line', 'Kind', 'What', 'Verdict'), rows)}</section>"


def _verdicts(place: Place, claims: Mapping[str, Decided], items: Mapping[str, Item]) -> str:
    texts = []
    for key in place.claims:
        decided = claims[key]
        text = f'{_toned(decided)} <a href="#{escape(key)}">{escape(key)}</a>'
        if decided.claim.repaired and not decided.stands:
            text += f"<br>Instead: {escape(printable(decided.claim.repaired))}"
        texts.append(text)
    for key in place.figures:
        if key in items:
            texts.append(
                f'{escape(items[key].verdict)}: <a href="#{escape(key)}">{escape(key)}</a>'
            )
        else:
            texts.append(f"not computed here: {escape(key)}")
    texts += [f"implemented as <code>{escape(key)}</code>" for key in place.mechanisms]
    texts += [escape(printable(place.note))] if place.note else []
    return "<br>".join(texts)


def _toned(decided: Decided) -> str:
    tone = "good" if decided.stands else "part" if decided.verdict in _PART else "bad"
    return f'<span class="{tone}">{escape(decided.words)}</span>'


def _figure(item: Item, pictures: Mapping[str, bytes], *, judged: bool = True) -> str:
    verdict = f": {escape(item.verdict)}" if judged else ""
    return item_section(item, pictures, verdict=verdict, about=escape(item.place))


def _statements(places: Sequence[Place], claims: Mapping[str, Decided]) -> str:
    """Return every claim that a place names, whole, in the order of the places."""
    names = dict.fromkeys(key for place in places for key in place.claims)
    parts = [_statement(claims[name]) for name in names]
    return f"<h1>The statements, one by one</h1>{''.join(parts)}"


def _statement(decided: Decided) -> str:
    claim = decided.claim
    rows = [
        ("Where", claim.source),
        ("As mathematics", formula_of(claim)),
        ("For", domain_of(claim)),
        ("What holds", claim.repaired),
        ("Why", claim.derivation or _reason(decided)),
        ("Evidence", "; ".join(f"{e.title} [{e.role.value}]" for e in claim.evidence)),
        ("Readings tried", "; ".join(claim.readings)),
    ]
    lines = "".join(
        f"<p><b>{name}:</b> {escape(printable(text))}</p>" for name, text in rows if text
    )
    return (
        f'<section id="{escape(claim.id)}"><h3>{escape(claim.id)}: {_toned(decided)}</h3>'
        f"<p>{escape(printable(claim.statement))}</p>{lines}</section>"
    )
