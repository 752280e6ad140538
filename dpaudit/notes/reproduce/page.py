"""Reproductions of the notes as JSON, text and CSV, and as a page.

The page is HTML with the pictures in it, and Markdown with the pictures beside it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape

from dpaudit.fingerprint import fingerprint
from dpaudit.notes.reproduce.findings import Item, PrintedCheck
from dpaudit.notes.reproduce.targets import decided
from dpaudit.report.fitting import folded, printable
from dpaudit.report.formats.html import cells, page, table
from dpaudit.report.table import compact, csv_table
from dpaudit.results import Failed, PrintedOutcome, ReproductionReport
from dpaudit.results.documents import encode
from dpaudit.version import __version__

__all__ = [
    "FORMS",
    "contents",
    "heading",
    "item_csv",
    "item_section",
    "render_text",
    "reproduction_csv",
    "reproduction_document",
    "reproduction_html",
    "reproduction_markdown",
    "verdict_of",
]


MARKS = {
    PrintedOutcome.REPRODUCED: "✓",
    PrintedOutcome.NOT_REPRODUCED: "✗",
    PrintedOutcome.UNDECIDED: "?",
    PrintedOutcome.SHOWN: "·",
}
"""The outcomes as marks."""


def verdict_of(items: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return the verdict over all targets."""
    return "decided" if not missing and all(map(decided, items)) else "undecided"


def reproduction_document(
    items: Sequence[Item | Failed], missing: Sequence[str]
) -> ReproductionReport:
    """Return the document of the items."""
    return ReproductionReport(
        schema="dpaudit.reproduce/1",
        version=__version__,
        fingerprint=fingerprint(),
        verdict=verdict_of(items, missing),
        items=tuple(item.report for item in items if not isinstance(item, Failed)),
        undecided=tuple(item for item in items if isinstance(item, Failed)),
        missing=tuple(missing),
    )


def render_text(items: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return a line for each target, and below it one for each number and statement."""
    lines = []
    for item in items:
        if isinstance(item, Failed):
            lines.append(f"{item.id}: undecided: {item.reason}")
            continue
        lines.append(f"{item.line()} ({item.place})")
        lines += [f"  {MARKS[check.outcome]} {check.line()}" for check in item.checks]
    lines += [f"{name}: not computed" for name in missing]
    return "\n".join(folded(printable(line)) for line in lines) + "\n"


def item_csv(item: Item) -> bytes:
    """Return the numbers of an item as CSV with a header line."""
    return csv_table(item.table.header, item.table.rows)


def reproduction_csv(items: Sequence[Item | Failed], missing: Sequence[str]) -> bytes:
    """Return a line for each number and statement that was compared, and each target without."""
    rows: list[tuple[str, ...]] = []
    for item in items:
        if isinstance(item, Failed):
            rows.append((item.id, "undecided", "", "", "", "", "", item.reason))
            continue
        for check in item.checks:
            ends = ("", "") if check.value is None else check.value.texts()
            digits = str(check.digits) if check.digits else ""
            values = (check.outcome.value, check.subject, check.reading, *ends, digits, check.why)
            rows.append((item.id, *values))
    rows += [(name, "not computed", *[""] * 6) for name in missing]
    names = ("verdict", "printed", "reading", "value_lower", "value_upper", "digits", "remark")
    return csv_table(("item", *names), rows)


_TONES = {
    "reproduced": "good",
    "reproduced in part": "part",
    "not reproduced": "bad",
    "undecided": "bad",
    "shown": "part",
}
_HEADER = ("Verdict", "What is printed", "Reading", "Value", "Remark")


def heading(results: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return in one line how many numbers there are, and how many have which outcome."""
    items = [result for result in results if isinstance(result, Item)]
    checks = [check for item in items for check in item.checks]
    counts = {
        outcome: sum(check.outcome is outcome for check in checks) for outcome in PrintedOutcome
    }
    parts = [f"{count} {outcome.value}" for outcome, count in counts.items() if count]
    return (
        f"{len(items)} tables, captions and figures; {len(checks)} numbers and statements: "
        f"{', '.join(parts)}; {verdict_of(results, missing)}"
    )


def reproduction_html(
    items: Sequence[Item | Failed], missing: Sequence[str], pictures: Mapping[str, bytes]
) -> bytes:
    """Return the page: no script, no font, no request; ``pictures`` are SVG by the item's id."""
    title = "The notes, reproduced"
    head = (
        f'<h1>{title}</h1><p class="soft">{escape(heading(items, missing))}; dpaudit '
        f"{escape(__version__)}</p>"
    )
    sections = [
        _failed(item) if isinstance(item, Failed) else _section(item, pictures) for item in items
    ]
    return page(f"dpaudit: {title}", head, [contents(items, missing), *sections])


def _verdict(verdict: str) -> str:
    return f'<span class="{_TONES[verdict]}">{escape(verdict)}</span>'


def contents(items: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    """Return the table of targets with their verdicts, as HTML."""
    rows = [
        [
            _verdict(item.verdict if isinstance(item, Item) else "undecided"),
            f'<a href="#{item.id}">{escape(item.id)}</a>',
            *cells(item.title, item.place),
        ]
        for item in items
    ]
    rows += [['<span class="bad">not computed</span>', *cells(name, "", "")] for name in missing]
    return table(("Verdict", "Item", "What", "Place"), rows)


def _failed(item: Failed) -> str:
    return (
        f'<section id="{item.id}"><h2>{escape(item.title)}: {_verdict("undecided")}</h2>'
        f"<p>{escape(item.reason)}</p></section>"
    )


def _section(item: Item, pictures: Mapping[str, bytes]) -> str:
    about = f"{escape(item.place)} · {escape(item.line())} · numbers: <code>{item.id}.csv</code>"
    return item_section(item, pictures, verdict=f": {_verdict(item.verdict)}", about=about)


def item_section(item: Item, pictures: Mapping[str, bytes], *, verdict: str, about: str) -> str:
    """Return an item with its picture and the numbers that were compared, as HTML.

    Args:
        item: the item.
        pictures: SVG by the id of an item.
        verdict: HTML that follows the title.
        about: HTML of the line below the title.
    """
    remarks = "".join(f'<p class="soft">{escape(remark)}</p>' for remark in item.remarks)
    image = b64encode(pictures[item.id]).decode()
    return (
        f'<section id="{item.id}" aria-labelledby="h-{item.id}"><h2 id="h-{item.id}">'
        f"{escape(item.title)}{verdict}</h2>"
        f'<p class="soft">{about}</p>{remarks}'
        f'<figure><img alt="{escape(item.title)}" src="data:image/svg+xml;base64,{image}"></figure>'
        f"{_checks_table(item) if item.checks else ''}</section>"
    )


def _checks_table(item: Item) -> str:
    """Return the numbers and statements of an item beside what is printed, as HTML."""
    return table(_HEADER, map(_cells, item.checks))


def _plain(check: PrintedCheck) -> tuple[str, str, str, str, str]:
    digits = f", {check.digits} digits" if check.digits else ""
    verdict = f"{MARKS[check.outcome]} {check.outcome.value}{digits}"
    value = "" if check.value is None else compact(check.value)
    return verdict, check.subject, check.reading, value, check.why


def _cells(check: PrintedCheck) -> list[str]:
    verdict, *rest = cells(*_plain(check))
    return [f'<span class="{_TONES[check.outcome.value]}">{verdict}</span>', *rest]


def reproduction_markdown(items: Sequence[Item | Failed], missing: Sequence[str]) -> bytes:
    """Return the page as Markdown; its pictures are the SVG files beside it."""
    lines = ["# The notes, reproduced", "", f"{heading(items, missing)}; dpaudit {__version__}"]
    for item in items:
        if isinstance(item, Failed):
            lines += ["", f"## {_text(item.title)}: undecided", "", _text(item.reason)]
            continue
        lines += ["", f"## {_text(item.title)}: {item.verdict}", "", _text(item.line()), ""]
        lines += [f"{_text(item.place)}; numbers: [{item.id}.csv]({item.id}.csv)", ""]
        lines += [f"- {_text(remark)}" for remark in item.remarks]
        lines += ["", f"![{_text(item.title)}]({item.id}.svg)", ""]
        lines += [f"| {' | '.join(_HEADER)} |", "|" + "---|" * len(_HEADER)]
        lines += [f"| {' | '.join(map(_text, _plain(check)))} |" for check in item.checks]
    if missing:
        lines += ["", f"Not computed: {', '.join(missing)}"]
    return ("\n".join(lines) + "\n").encode()


def _text(text: str) -> str:
    for mark in "\\|<*_[]":
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return " ".join(text.split())


FORMS: dict[str, Callable[[Sequence[Item | Failed], Sequence[str]], bytes]] = {
    "text": lambda found, missing: render_text(found, missing).encode(),
    "json": lambda found, missing: encode(reproduction_document(found, missing)),
    "csv": reproduction_csv,
    "markdown": reproduction_markdown,
}
"""Writers of the findings, by form."""
