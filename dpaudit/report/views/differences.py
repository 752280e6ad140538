"""View of the differences of two reports."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.report.table import compact
from dpaudit.report.view import Block, Row, View
from dpaudit.results import Change, Difference, DifferenceVerdict, Enclosure

__all__ = ["DIFFERENCE", "conclusion", "difference_blocks", "worse_lines"]

_COLUMNS = (
    *("change", "standing", "mechanism", "where", "what"),
    *("old", "old_lower", "old_upper", "new", "new_lower", "new_upper"),
)


def _cell(value: Enclosure | str | None) -> str:
    if isinstance(value, Enclosure):
        return compact(value)
    return "" if value is None else value


def _row(change: Change) -> list[str]:
    told = f"{change.change}, {change.standing}" if change.standing else change.change
    what = change.what or "all of it"
    return [what, change.where, _cell(change.old), _cell(change.new), told]


def difference_blocks(report: Difference) -> Iterator[Block]:
    """Iterate over a table for each mechanism, those with a change for the worse first."""
    for mechanism in dict.fromkeys(change.mechanism for change in report.changes):
        rows = [_row(change) for change in report.changes if change.mechanism == mechanism]
        yield Block(mechanism, ("what", "where", "old", "new", "change"), rows, whole=True)
    yield Block(notes=[*_makers(report), conclusion(report)])


def _makers(report: Difference) -> Iterator[str]:
    """Iterate over what else differs: the code that made the reports, and that of users."""
    old, new = report.old, report.new
    if old.version != new.version:
        yield f"made by dpaudit {old.version or '?'}, then by dpaudit {new.version or '?'}"
    elif old.fingerprint != new.fingerprint:
        yield f"made by other code of dpaudit {new.version}: the fingerprints differ"
    if report.sources:
        yield f"files that were changed: {', '.join(report.sources)}"


def conclusion(report: Difference) -> str:
    """Return the verdict in a line, with the number of changes of each kind."""
    worse, kinds = len(report.worse), [change.change for change in report.changes]
    said = [
        f"{kinds.count(kind)} {kind}"
        for kind in ("moved", "flipped", "only in old", "only in new", "asked otherwise")
        if kind in kinds
    ]
    said += [f"{report.kept} {'verdict' if report.kept == 1 else 'verdicts'} kept"]
    if report.agreeing:
        said += [f"{report.agreeing} {'interval' if report.agreeing == 1 else 'intervals'} overlap"]
    verdict = report.verdict.value
    if report.verdict is DifferenceVerdict.WORSE:
        verdict += f": {worse} {'change' if worse == 1 else 'changes'} for the worse"
    return f"{verdict}; {', '.join(said)} ({report.old.name}, {report.new.name})"


def worse_lines(report: Difference) -> Iterator[tuple[str, str]]:
    """Iterate over the changes for the worse: what each is about, and the change in words."""
    for change in report.worse:
        what, where, old, new, told = _row(change)
        place = f"{what} at {where}" if where else what
        values = f": {old or 'nothing'}, now {new or 'nothing'}" if old or new else ""
        yield change.mechanism, f"worse than in {report.old.name}: {place}{values} ({told})"


def _lines(report: Difference) -> Iterator[Row]:
    for change in report.changes:
        line = {name: getattr(change, name) for name in _COLUMNS[:5]}
        for side in ("old", "new"):
            value = getattr(change, side)
            if isinstance(value, Enclosure):
                lower, upper = value.texts()
                exact = "" if value.exact is None else str(value.exact)
                line |= {side: exact, f"{side}_lower": lower, f"{side}_upper": upper}
            else:
                line[side] = value or ""
        yield line


DIFFERENCE = View(blocks=difference_blocks, columns=lambda report: _COLUMNS, lines=_lines)
