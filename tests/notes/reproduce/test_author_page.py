"""The page for an author: places in order, every fault, and nothing that stands among them."""

import pickle
import re
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from dpaudit_proofs.coverage import read_places

from dpaudit.claims import ledger
from dpaudit.claims.claim import ClaimVerdict
from dpaudit.claims.discover import discover
from dpaudit.cli.main import invoke
from dpaudit.notes.reproduce import every_mechanism, targets
from dpaudit.notes.reproduce.author import verdicts
from dpaudit.notes.reproduce.author_page import corrections
from dpaudit.notes.reproduce.every_mechanism import realised_by_size
from dpaudit.notes.reproduce.findings import Item, PrintedOutcome
from dpaudit.notes.reproduce.targets import TARGETS
from dpaudit.report.figures.side_by_side import Lines
from tests.made_once import made_once
from tests.proofs import recorded

CHOSEN = ("captions", "fig-8")
"""Items with faults that take little time."""


@pytest.fixture(scope="module")
def made(kept: Path) -> Path:
    """A folder with the page, its figures at few sizes, and the items that it was made of."""

    def make(folder: Path) -> None:
        words = ["reproduce", *CHOSEN, "--report", str(folder / "notes.html"), "--jobs", "1"]
        items = {name: TARGETS[name].reproduce() for name in CHOSEN}
        by_size = partial(every_mechanism.realised_by_size, range(10, 31))
        by_categories = partial(every_mechanism.realised_by_categories, (2, 3))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(targets, "_computed", items.__getitem__)
            patch.setattr(every_mechanism, "realised_by_size", by_size)
            patch.setattr(every_mechanism, "realised_by_categories", by_categories)
            assert invoke([*words, "--output", str(folder / "out")]) == 0
        (folder / "items").write_bytes(pickle.dumps(items))

    return made_once(kept, "page for an author", make)


@pytest.fixture(scope="module")
def page(made: Path) -> str:
    for name in ("realised-by-size", "realised-by-categories"):
        assert (made / "out" / f"{name}.csv").exists()
        assert (made / "out" / f"{name}.svg").exists()
    return (made / "notes.html").read_text()


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_every_place_stands_in_the_order_of_the_document(page: str) -> None:
    text = text_of(page[page.index("place by place") :])
    at = 0
    for place in read_places("N"):
        at = text.find(" ".join(place.what.split()), at)
        assert at >= 0, place.what


def test_every_link_leads_somewhere(page: str) -> None:
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets - set(re.findall(r'id="([^"]+)"', page)) == set()
    assert set(CHOSEN) <= targets
    assert "not computed here: fig-11" in page


def test_what_to_change_is_every_fault_and_nothing_that_stands(page: str, made: Path) -> None:
    places = read_places("N")
    named = {key for place in places for key in place.claims}
    decided = verdicts(item for key, item in discover().items() if key in named)
    items = pickle.loads((made / "items").read_bytes())
    listed = corrections(places, decided, items)
    standing = {"proved", "verified_to"}
    faulty = {key for key in named if recorded.LEDGER[key].verdict not in standing}
    assert faulty
    assert {one.id for one in listed} - set(CHOSEN) == faulty
    for name, item in items.items():
        told = "; ".join(one.said + one.why for one in listed if one.id == name)
        for check in failing(item):
            assert check in told
    changes = text_of(page[page.index('id="changes"') : page.index("place by place")])
    for one in listed:
        assert " ".join(one.said.split()) in changes
        assert " ".join(one.instead.split()) in changes


def failing(item: Item) -> list[str]:
    """Return the places of the numbers and statements that no reading gives."""
    faults = [c.subject for c in item.judged if c.outcome is PrintedOutcome.NOT_REPRODUCED]
    assert faults
    return [fault.rpartition(": ")[0] or fault for fault in faults]


def test_a_verdict_of_other_code_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    item = discover()["basics-density"]
    recorded_entry = ledger.load_ledgers([item])["basics-density"]
    assert recorded_entry.verdict == "refuted"
    forged = ledger.Entry("proved", "0" * 16, "kernel")
    monkeypatch.setattr(ledger, "load_ledgers", lambda claims: {"basics-density": forged})
    assert verdicts([item])["basics-density"].verdict is ClaimVerdict.REFUTED


def test_the_bend_of_ehds_is_seen() -> None:
    item = realised_by_size(range(10, 25))
    enlarged = item.panels[1]
    assert isinstance(enlarged, Lines)
    (ehds,) = (series for series in enlarged.series if series.label == "EHDS")
    lowest = min(range(len(ehds.x)), key=lambda place: float(ehds.y[place].lower))
    assert ehds.x[lowest] == 16
    assert max(float(value.upper) for value in ehds.y) < 0.3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.pdf", "a FILE that ends in .html"),
        ("json=notes.json", "FORM one of html"),
        ("missing/notes.html", "missing"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_anything_is_computed(
    name: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["reproduce", "--report", name, "--output", "out"]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.svg"))
