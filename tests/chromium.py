"""A page in a real browser: it renders, with nothing on the console or asked of the network."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["IN_A_BROWSER", "check_renders_alone"]

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ITS_OWN = (".google.com", "update.googleapis.com")
"""What the browser asks its maker, however it is told not to, if it is slow."""

IN_A_BROWSER = pytest.mark.skipif(_CHROMIUM is None, reason="no Chromium is installed")


def check_renders_alone(page: Path, folder: Path, scheme: str, height: int) -> None:
    """Look at ``page`` in a ``light`` or ``dark`` browser that keeps its files in ``folder``.

    A page that forbids itself every request says an attempt on the console.
    """
    assert _CHROMIUM is not None
    log, shot = folder / "net.json", folder / "page.png"
    arguments = [
        *(_CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--disable-sync", f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr"),
        *("--v=0", f"--log-net-log={log}", f"--window-size=1100,{height}"),
        *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] * (scheme == "dark")),
        f"--screenshot={shot}",
        page.as_uri(),
    ]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    assert shot.stat().st_size > 50_000
    hosts = set(re.findall(r'"url":"https?://([^/"]+)', log.read_text()))
    assert {host for host in hosts if not host.endswith(_ITS_OWN)} == set()
