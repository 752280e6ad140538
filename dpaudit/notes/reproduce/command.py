"""``dpaudit reproduce``: the notes' tables, captions and figures, computed again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from dpaudit import machine
from dpaudit.audit.room import workers_that_fit
from dpaudit.audit.workers import worthwhile_jobs
from dpaudit.cli.bars import progress_bar
from dpaudit.cli.destination import RESULTS, further_report, write_report
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import with_memory_cap
from dpaudit.cli.options import form_option, memory_cap_option, report_option
from dpaudit.cli.run import read_jobs
from dpaudit.errors import OutputError, ParameterError
from dpaudit.notes.reproduce.author import AuthorPage
from dpaudit.notes.reproduce.findings import Item
from dpaudit.notes.reproduce.places import DOCUMENTS
from dpaudit.notes.reproduce.targets import (
    Target,
    chosen_targets,
    decided,
    most_held,
    reproduce,
)
from dpaudit.report.files import caption_of, check_writable, write_whole
from dpaudit.report.render import listed
from dpaudit.results import Failed

__all__ = ["command"]

_PAGE = "reproduce"
_SECONDS_A_TARGET = 6.0  # for planning only

_EPILOGUE = epilogue(
    within="every target was decided: reproduced, or certified not to be",
    exceeds=None,
    undecided="a target is undecided",
)


@click.command("reproduce", epilog=_EPILOGUE)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option("--list", "only_list", is_flag=True, help="List the targets and stop.")
@click.option(
    "--output",
    metavar="FOLDER",
    help=f"Where the page, the pictures and the CSV go; default: {RESULTS}/reproduce.",
)
@report_option("html")
@click.option(
    "--document",
    type=click.Choice(tuple(DOCUMENTS)),
    default="N",
    show_default=True,
    help="With --report: the document whose order the page follows.",
)
@click.option("--jobs", metavar="N", help="Processes; default: as many as pay off.")
@memory_cap_option()
@form_option(text="What is written to stdout.")
@with_memory_cap
def command(
    targets: tuple[str, ...],
    *,
    only_list: bool,
    output: str | None,
    reports: tuple[str, ...],
    document: str,
    jobs: str | None,
    form: str,
) -> int:
    """Recompute the tables, captions and figures of the notes, and compare them digit by digit.

    The notes can be read in several ways. Every printed number is compared with the enclosed value
    of each reading: a line says which reading gives the number, and to how many digits, or that
    none does, with the nearest value and the reason. Without a TARGET all are computed.

    One page (HTML and Markdown) with every item, its verdict and its picture, and a CSV, a figure
    and its caption for each, are written to the folder. --report html=FILE writes a page for the
    document's author: each place in order, with what is true, after a list of what to change.
    """
    chosen = chosen_targets(targets)
    if only_list:
        rows = [(target.id, target.title, target.place) for target in chosen]
        write_report(listed(("target", "what", "place"), rows, form, "dpaudit.targets/1"))
        return Exit.WITHIN
    workers = read_jobs(jobs) or workers_that_fit(
        most_held(chosen, 1), worthwhile_jobs(_SECONDS_A_TARGET * len(chosen))
    )
    machine.require(
        most_held(chosen, workers), f"{len(chosen)} targets in {workers} processes: that"
    )
    folder = _folder(output)
    pages = [AuthorPage(further_report(text, ("html",))[1], document) for text in reports]
    items, interrupted = _computed(chosen, workers, folder)
    missing = [target.id for target in chosen if target.id not in {item.id for item in items}]
    _write_page(items, missing, folder)
    for page in pages:
        page.write(items, folder, _write_item)
    _print(items, missing, form, folder)
    if interrupted:
        click.echo("dpaudit: interrupted; what was finished is kept", err=True)
        return Exit.INTERRUPTED
    return Exit.WITHIN if all(map(decided, items)) else Exit.UNDECIDED


def _folder(name: str | None) -> Path:
    """Return the folder, made if it is not there and certainly writable."""
    folder = RESULTS / _PAGE if name is None else Path(name)
    if name is not None and not name:
        raise ParameterError("output", "output = '': must be a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(folder, error.strerror or str(error)) from None
    for suffix in (".html", ".md"):
        check_writable(folder / f"{_PAGE}{suffix}")
    return folder


def _computed(
    chosen: Sequence[Target], workers: int, folder: Path
) -> tuple[list[Item | Failed], bool]:
    """Return the items in the notes' order, and whether Ctrl-C cut the run short."""
    items: dict[str, Item | Failed] = {}
    try:
        with (
            progress_bar("reproduce", "targets", lambda: len(chosen)) as progress,
            closing(reproduce(chosen, workers)) as results,
        ):
            for item in results:  # each is written when it is done: an interrupt loses no other
                if isinstance(item, Item):
                    _write_item(item, folder)
                items[item.id] = item
                progress(advance=1)
    except KeyboardInterrupt:
        if not items:  # nothing to report: end as an interrupt does
            raise
        return _ordered(chosen, items), True
    return _ordered(chosen, items), False


def _ordered(chosen: Sequence[Target], items: dict[str, Item | Failed]) -> list[Item | Failed]:
    return [items[target.id] for target in chosen if target.id in items]


def _write_item(item: Item, folder: Path) -> None:
    from dpaudit.notes.reproduce.figure import picture
    from dpaudit.notes.reproduce.page import item_csv

    write_whole(folder / f"{item.id}.csv", item_csv(item))
    path = folder / f"{item.id}.svg"
    drawn, caption = picture(item.title, [item.place, *item.drawn], item.panels)
    write_whole(path, drawn)
    beside = caption_of(path)
    assert beside is not None
    write_whole(beside, f"{caption}\n".encode())


def _write_page(items: Sequence[Item | Failed], missing: Sequence[str], folder: Path) -> None:
    from dpaudit.notes.reproduce.page import reproduction_html, reproduction_markdown

    pictures = {
        item.id: (folder / f"{item.id}.svg").read_bytes()
        for item in items
        if isinstance(item, Item)
    }
    write_whole(folder / f"{_PAGE}.html", reproduction_html(items, missing, pictures))
    write_whole(folder / f"{_PAGE}.md", reproduction_markdown(items, missing))


def _print(items: Sequence[Item | Failed], missing: Sequence[str], form: str, folder: Path) -> None:
    from dpaudit.notes.reproduce.page import FORMS

    sys.stdout.buffer.write(FORMS[form](items, missing))
    sys.stdout.buffer.flush()
    click.echo(f"page: {folder / f'{_PAGE}.html'}", err=form != "text")
