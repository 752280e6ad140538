"""The pages in a real browser: nothing overflows, nothing is asked of the network, all is named.

Chromium shows the gate's page, that of reproduce, and every page of the site, one after the other
in a frame of the width of a desk or a telephone, in light and in dark.
"""

import html
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import part
from tests.made_once import made_once
from tests.pages import ROOT, build_site
from tests.recordings import CHROMIUM, THEMES, WIDTHS, browse, pages_of_reports

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

SCREEN, SCREENS = 800, 12
"""The height of a screen in pixels, and how many of them a page may have at the width of a desk."""

LONG = {
    "site/libraries": "a table of eight libraries, with the lines that show each finding",
    "site/programs_corpus": "a table of the programs of three test suites",
    "site/coverage-A": "a line for each place of a document",
    "site/coverage-D": "a line for each place of a document",
    "site/coverage-L": "a line for each place of a document",
    "site/coverage-N": "a line for each place of a document",
}
"""Pages of data that may be longer, with the reason."""

PROBE = """
const look = frame => {
const page = frame.contentDocument, root = page.documentElement;
const wide = [...page.querySelectorAll("body *")].filter(one => {
  const box = one.getBoundingClientRect();
  if (box.right <= root.clientWidth + 1 || !box.width || !box.height) return false;
  for (let up = one; up && up !== page.body; up = up.parentElement) {
    const style = frame.contentWindow.getComputedStyle(up);
    if (/auto|scroll|hidden|clip/.test(style.overflowX) || style.position === "fixed" ||
        style.visibility === "hidden") return false;
  }
  return true;
});
const named = one => (one.getAttribute("aria-label") || one.getAttribute("title") ||
  one.getAttribute("alt") || one.textContent || "").trim() ||
  (one.labels && one.labels.length) || one.closest("label");
const ground = [page.body, root]
  .map(one => frame.contentWindow.getComputedStyle(one).backgroundColor)
  .find(colour => !/, 0\\)/.test(colour)) || "rgb(255, 255, 255)";
return {
  wide: wide.slice(0, 5).map(one => one.outerHTML.slice(0, 120)),
  scroll: [root.scrollWidth, root.clientWidth],
  asked: frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name),
  unnamed: [...page.querySelectorAll("img, button, a[href], input:not([type=hidden])")]
    .filter(one => one.offsetParent !== null && !named(one))
    .map(one => one.outerHTML.slice(0, 120)),
  pictures: [...page.querySelectorAll("img")].filter(one => !one.hasAttribute("alt")).length,
  language: root.lang,
  dark: ground.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0) < 384,
  letters: page.body.innerText.length,
  height: root.scrollHeight,
};
};
const found = {};
const next = () => {
  const name = Object.keys(pages).find(one => !(one in found));
  if (!name) { document.title = JSON.stringify(found); return; }
  const frame = document.createElement("iframe");
  frame.style = `width:${width}px; height:900px; border:0`;
  const done = () => { found[name] = look(frame); frame.remove(); next(); };
  frame.onload = () => setTimeout(done, 300);
  frame.src = pages[name];
  document.body.append(frame);
};
next();
"""


def looked_at(pages: dict[str, Path], width: int, theme: str, folder: Path) -> Any:
    """What the browser finds of each page in a frame of a width."""
    wrapper = folder / f"{width}-{theme}.html"
    addresses = json.dumps({name: page.as_uri() for name, page in pages.items()})
    wrapper.write_text(
        f"<body><script>const pages = {addresses}, width = {width};{PROBE}</script></body>"
    )
    budget = f"--virtual-time-budget={8000 + 2000 * len(pages)}"
    done = browse(
        *(wrapper.as_uri(), theme, folder / "profile"),
        *("--window-size=1400,1000", budget, "--dump-dom"),
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None, done.stderr[-2000:]
    return json.loads(html.unescape(title[1]))


def check(name: str, found: Any, theme: str) -> None:
    assert found["letters"] > 100, name
    assert found["dark"] is (theme == "dark"), name
    assert found["wide"] == [], name
    assert found["scroll"][0] <= found["scroll"][1] + 1, name
    assert [one for one in found["asked"] if not one.startswith(("file:", "data:"))] == [], name
    assert found["unnamed"] == [], name
    assert found["pictures"] == 0, name
    assert found["language"], name


@pytest.fixture(scope="module")
def pages(kept: Path, session_folder: Path) -> dict[str, Path]:
    """The pages of reports, and those of the site where it can be built."""
    made = made_once(session_folder, "pages of reports", lambda folder: [*pages_of_reports(folder)])
    found = {"gate": made / "gate.html", "reproduce": made / "notes" / "reproduce.html"}
    if find_spec("material") and find_spec("mkdocstrings"):
        site = made_once(kept, "site", build_site)
        shown = [page for page in sorted(site.rglob("*.html")) if page.stem != "404"]  # a server's
        found |= {f"site/{page.relative_to(site).with_suffix('')}": page for page in shown}
    return found


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_asks_for_nothing(
    width: int, theme: str, pages: dict[str, Path], tmp_path: Path
) -> None:
    few = list(pages)[:: part(1, 40)]
    shown = {name: page for name, page in pages.items() if "/" not in name or name in few}
    found = looked_at(shown, width, theme, tmp_path)
    assert {"gate", "reproduce"} <= set(found) == set(shown)
    for name, one in found.items():
        check(name, one, theme)


def test_the_pages_of_the_site_are_among_them(pages: dict[str, Path]) -> None:
    pytest.importorskip("material", reason="the site needs the extra docs")
    shown = {name.partition("/")[2] for name in pages if name.startswith("site/")}
    folder = ROOT / "docs"
    assert shown >= {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.md")}


def test_no_page_but_data_is_longer_than_twelve_screens(
    pages: dict[str, Path], tmp_path: Path
) -> None:
    """A reader finds a thing on a page of its own sooner than on a long one."""
    pytest.importorskip("material", reason="the site needs the extra docs")
    shown = {name: page for name, page in pages.items() if name.startswith("site/")}
    found = looked_at(shown, max(WIDTHS), "light", tmp_path)
    screens = {name: one["height"] / SCREEN for name, one in found.items()}
    too_long = {name: round(many, 1) for name, many in screens.items() if many > SCREENS}
    assert {name: many for name, many in too_long.items() if name not in LONG} == {}
    assert set(LONG) <= set(shown)
    data = (ROOT / "mkdocs.yml").read_text().partition("\n  - Data:\n")[2]
    assert [name for name in LONG if f": {name.partition('/')[2]}.md\n" not in data] == []


def test_what_overflows_or_has_no_name_is_seen(tmp_path: Path) -> None:
    """The probe finds what it is for."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<html><body>" + "word " * 40 + '<div style="width:2000px">wide</div>'
        '<button style="width:9px;height:9px"></button><img src="x.png" width=9 height=9>'
        f'<div style="height:{SCREEN * SCREENS}px"></div></body>'
    )
    found = looked_at({"bad": bad}, 400, "light", tmp_path)["bad"]
    assert found["wide"]
    assert found["scroll"][0] > found["scroll"][1]
    assert len(found["unnamed"]) == 2
    assert found["pictures"] == 1
    assert found["height"] > SCREEN * SCREENS
