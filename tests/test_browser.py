"""The pages in a real browser: nothing overflows, nothing is asked of the network, all is named.

Chromium shows each page in a frame of the width of a desk or a telephone, in light and in dark.
"""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpaudit.cli.main import invoke
from tests.pages import ROOT, files

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

WIDTHS, THEMES = (1280, 400), {"dark": 0, "light": 1}
PROBE = """
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
document.title = JSON.stringify({
  wide: wide.slice(0, 5).map(one => one.outerHTML.slice(0, 120)),
  scroll: [root.scrollWidth, root.clientWidth],
  asked: frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name),
  unnamed: [...page.querySelectorAll("img, button, a[href], input:not([type=hidden])")]
    .filter(one => one.offsetParent !== null && !named(one))
    .map(one => one.outerHTML.slice(0, 120)),
  pictures: [...page.querySelectorAll("img")].filter(one => !one.hasAttribute("alt")).length,
  language: root.lang,
  dark: frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches,
  letters: page.body.innerText.length,
});
"""


def looked_at(page: Path, width: int, theme: str, folder: Path) -> Any:
    """What the browser finds of a page in a frame of a width."""
    wrapper = folder / f"{page.stem}-{width}-{theme}.html"
    wrapper.write_text(
        f'<iframe id="frame" src="{page.as_uri()}" style="width:{width}px; height:900px; border:0">'
        f"</iframe><script>const frame = document.getElementById('frame');"
        f"frame.onload = () => setTimeout(() => {{ {PROBE} }}, 300)</script>"
    )
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--allow-file-access-from-files", "--window-size=1400,1000"),
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--blink-settings=preferredColorScheme={THEMES[theme]}",
            *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=8000"),
            *("--dump-dom", wrapper.as_uri()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None, done.stderr[-2000:]
    return json.loads(html.unescape(title[1]))


def check(found: Any, theme: str) -> None:
    assert found["letters"] > 100
    assert found["dark"] is (theme == "dark")
    assert found["wide"] == []
    assert found["scroll"][0] <= found["scroll"][1] + 1
    assert [one for one in found["asked"] if not one.startswith(("file:", "data:"))] == []
    assert found["unnamed"] == []
    assert found["pictures"] == 0
    assert found["language"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A gate's page, and pages of the site where it can be built."""
    folder = tmp_path_factory.mktemp("pages")
    for name, content in files("docs/gate.md").items():
        (folder / name).write_text(content)
    code = invoke(
        ["gate", "--config", str(folder / "dpaudit.toml"), "--report", f"html={folder / 'g.html'}"]
    )
    assert code == 1
    found = {"gate": folder / "g.html"}
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder / "site")],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if built.returncode == 0:
        found |= {name: folder / "site" / f"{name}.html" for name in ("index", "glossary", "api")}
    return found


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["gate", "index", "glossary", "api"])
def test_a_page_fits_and_asks_for_nothing(
    name: str, width: int, theme: str, pages: dict[str, Path], tmp_path: Path
) -> None:
    if name not in pages:
        pytest.skip("the site needs the extra docs")
    check(looked_at(pages[name], width, theme, tmp_path), theme)


def test_what_overflows_or_has_no_name_is_seen(tmp_path: Path) -> None:
    """The probe finds what it is for."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<html><body>" + "word " * 40 + '<div style="width:2000px">wide</div>'
        '<button style="width:9px;height:9px"></button><img src="x.png" width=9 height=9></body>'
    )
    found = looked_at(bad, 400, "light", tmp_path)
    assert found["wide"]
    assert found["scroll"][0] > found["scroll"][1]
    assert len(found["unnamed"]) == 2
    assert found["pictures"] == 1
