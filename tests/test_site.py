"""The documentation as a site: built by one command, complete, and without a network."""

import re
from pathlib import Path

import pytest

from tests.made_once import made_once
from tests.pages import PAGES, ROOT, build_site

KINDS = ["Tutorial", "How-to", "Reference", "Explanation", "Data"]
SOUGHT = ("DP-SGD", "canary", "noisy max", "histogram with a threshold")
"""Words that a newcomer searches for."""

FIRST_USES = {
    "programs": ["law", "ball", "ideal", "as-run"],
    "programs_outputs": ["law", "ball", "cell", "rest", "as-run"],
}
"""Words of this tool that pages use, by the heading in the glossary."""

API = {page: PAGES[page] for page in PAGES if page.startswith(("docs/api.md", "docs/api/"))}


@pytest.fixture(scope="module")
def site(kept: Path) -> Path:
    pytest.importorskip("material", reason="the site needs the extra docs")
    pytest.importorskip("mkdocstrings", reason="the site needs the extra docs")
    return made_once(kept, "site", build_site)


def test_the_site_has_every_page_and_searches_their_words(site: Path) -> None:
    pages = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    made = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    assert made >= pages
    words = (site / "search" / "search_index.js").read_text()
    for word in ("replace-one", "privacy profile", "check_notion", *SOUGHT):
        assert word in words


def test_the_navigation_has_every_page_once() -> None:
    """A page that the navigation leaves out is reached by nobody who reads in order."""
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    named = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    pages = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    assert sorted(named) == sorted(pages)


def test_the_four_kinds_of_pages_are_kept_apart() -> None:
    """The navigation and the contents have the same parts, with the same pages."""
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    parts = re.split(r"^  - ([\w-]+): *", navigation, flags=re.MULTILINE)[1:]
    shown = {
        name: set(re.findall(r"(\S+\.md)$", pages, re.MULTILINE))
        for name, pages in zip(parts[::2], parts[1::2], strict=True)
    }
    assert list(shown) == ["Start", *KINDS]
    sections = re.split(r"^## (.*)$", PAGES["docs/index.md"], flags=re.MULTILINE)[1:]
    listed = {
        name: set(re.findall(r"\]\(([\w/-]+\.md)\)", text))
        for name, text in zip(sections[::2], sections[1::2], strict=True)
    }
    assert listed == {name: pages for name, pages in shown.items() if name in KINDS}


def test_the_site_asks_nothing_of_the_network(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text()
        asked = re.findall(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?(//|https?:)", text)
        assert asked == [], path.name
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\W?https?:|@import", path.read_text()), path.name


def test_every_name_on_the_pages_of_python_is_shown(site: Path) -> None:
    for page, text in API.items():
        named = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
        built = (site / page.removeprefix("docs/")).with_suffix(".html").read_text()
        assert sorted(re.findall(r'<h3 id="([^"]+)"', built)) == sorted(named), page


def test_blocks_that_are_files_are_shown_with_their_names(site: Path) -> None:
    assert '<span class="filename">answers.py</span>' in (site / "own-mechanisms.html").read_text()


def test_docstrings_are_read_as_what_they_are(site: Path) -> None:
    """Examples are code, and references to names are not shown as reStructuredText."""
    for path in (site / "api.html", *(site / "api").iterdir()):
        page = path.read_text()
        text = re.sub(r"<[^>]+>", "", page)
        assert re.findall(r":(?:mod|class|func|meth|attr|data):", text) == [], path.name
        assert re.findall(r"<(?:p|blockquote)>\s*(?:&gt;){3}.*", page) == [], path.name
    assert '<span class="gp">&gt;&gt;&gt; </span>' in (site / "api" / "checks.html").read_text()
    returned = re.compile(r"Returns:</span></p>\s*<ul>(.*?)</ul>", re.DOTALL)
    items = [
        text.count("<li")
        for path in (site / "api").iterdir()
        for text in returned.findall(path.read_text())
    ]
    assert set(items) == {1}, "a sentence over several lines is one item"


def test_the_first_use_of_a_word_of_this_tool_leads_to_the_glossary(site: Path) -> None:
    for name, headings in FIRST_USES.items():
        page = (site / name).with_suffix(".html").read_text()
        for heading in headings:
            assert page.count(f'href="glossary.html#{heading}"') == 1, (name, heading)
    assert 'href="../glossary.html#law"' in (site / "howto" / "weights.html").read_text()
    glossary = (site / "glossary.html").read_text()
    for heading in ("law", "ball", "rest", "cell", "ideal", "as-run"):
        assert f'<h3 id="{heading}"' in glossary
        assert f'href="glossary.html#{heading}"' not in glossary
