"""Every place of the five documents has an id that decides it or a reason, and a page shows them.

``python -m tests.proofs.test_coverage`` writes the pages: after a change of the inventory, or of a
verdict.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dpaudit_proofs.coverage import (
    BESIDE,
    DOCUMENTS,
    KINDS,
    Place,
    coverage_page,
    overview_page,
    read_places,
)

from dpaudit.mechanisms.registry import mechanism_names
from dpaudit.notes.reproduce.targets import TARGETS
from tests.proofs import recorded

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PLACES = {name: read_places(name) for name in (*DOCUMENTS, BESIDE)}
EVERY = [(name, place) for name, places in PLACES.items() for place in places]


def faults_of(place: Place) -> list[str]:
    """Return what is wrong with a place of the inventory."""
    faults = [f"no claim is called {key}" for key in place.claims if key not in recorded.LEDGER]
    faults += [
        f"nothing to reproduce is called {key}" for key in place.figures if key not in TARGETS
    ]
    known = mechanism_names()
    faults += [f"no mechanism is called {key}" for key in place.mechanisms if key not in known]
    if not place.decided and not place.note:
        faults.append("neither an id nor a reason")
    if place.kind not in KINDS:
        faults.append(f"{place.kind} is no kind")
    if not place.what or not place.section:
        faults.append("nothing identifies it")
    return faults


def named(places: Sequence[Place]) -> set[str]:
    return {key for place in places for key in place.claims}


def pages() -> dict[str, str]:
    """Return the pages by file name, as they are to be."""
    verdicts = {
        key: f"{entry.verdict}, {entry.grade}" if entry.grade != "none" else entry.verdict
        for key, entry in recorded.LEDGER.items()
    }
    documents = {name: PLACES[name] for name in DOCUMENTS}
    found = {
        f"coverage-{name}.md": coverage_page(name, places, verdicts)
        for name, places in documents.items()
    }
    return {"coverage.md": overview_page(documents, PLACES[BESIDE], verdicts), **found}


@pytest.mark.parametrize("name", PLACES)
def test_every_place_has_an_id_that_exists_or_a_reason(name: str) -> None:
    faults = {place.what: faults for place in PLACES[name] if (faults := faults_of(place))}
    assert not faults


def test_every_claim_is_named_by_a_place() -> None:
    assert set(recorded.LEDGER) - named([place for _, place in EVERY]) == set()


def test_every_item_of_reproduce_is_named_by_a_place() -> None:
    assert {key for _, place in EVERY for key in place.figures} == set(TARGETS)


def test_every_claim_of_a_document_is_named_by_a_place_of_it() -> None:
    """What is listed beside the notes has no letter of theirs."""
    assert not named(PLACES[BESIDE]) & named([p for name, p in EVERY if name != BESIDE])
    for name in DOCUMENTS:
        assert len(named(PLACES[name])) > 30, name


def test_places_are_in_the_order_of_their_sections() -> None:
    for name in DOCUMENTS:
        sections = list(dict.fromkeys(place.section for place in PLACES[name]))
        changes = [
            one.section
            for one, other in zip(PLACES[name], PLACES[name][1:], strict=False)
            if one.section != other.section
        ]
        assert len(changes) == len(sections) - 1, name
        assert all(place.line > 0 for place in PLACES[name]), name


@pytest.mark.parametrize("file", pages())
def test_the_pages_are_those_of_the_inventory(file: str) -> None:
    assert (DOCS / file).read_text() == pages()[file], "python -m tests.proofs.test_coverage"


def test_the_pages_are_in_the_navigation() -> None:
    listed = re.findall(r"(coverage\S*\.md)", (DOCS.parent / "mkdocs.yml").read_text())
    assert sorted(listed) == sorted(pages())


PLACE = Place(section="§1", kind="formula", what="a formula", line=1, claims=("III",))


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"claims": ()}, "neither an id nor a reason"),
        ({"claims": ("IV",)}, "no claim is called IV"),
        ({"figures": ("fig-12",)}, "nothing to reproduce is called fig-12"),
        ({"mechanisms": ("EHDX",)}, "no mechanism is called EHDX"),
        ({"kind": "picture"}, "picture is no kind"),
        ({"what": ""}, "nothing identifies it"),
    ],
)
def test_a_fault_of_a_place_is_seen(changed: dict[str, Any], fault: str) -> None:
    assert faults_of(PLACE) == []
    assert faults_of(replace(PLACE, **changed)) == [fault]


def test_a_place_says_what_decides_it() -> None:
    page = coverage_page("N", [replace(PLACE, what="|R| = n", note="two")], {"III": "proved"})
    assert page.endswith("| 1 | formula | \\|R\\| = n | `III` (proved); two |\n")


if __name__ == "__main__":
    for file, text in pages().items():
        (DOCS / file).write_text(text)
