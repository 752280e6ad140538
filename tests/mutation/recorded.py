"""A plug-in of pytest: which functions of the package each test runs, and how long it takes."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.mutation.marks import TABLE, share

if TYPE_CHECKING:
    import mmap
    from collections.abc import Generator

__all__: list[str] = []

# pytest rewrites the assertions of packages that are plug-ins, and its finder comes first by now.
sys.meta_path.sort(key=lambda finder: finder.__module__ != "sitecustomize")


class _Recorder:
    """Writes a line for each test: its name, its seconds, the numbers of the functions it ran."""

    def __init__(self, folder: Path, size: int) -> None:
        name = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        bits = folder / f"{name}.{os.getpid()}.bits"
        bits.write_bytes(bytes(size))
        self.marked: mmap.mmap = share(str(bits))
        self.none = bytes(size)
        self.rows = bits.with_suffix(".rows")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.marked[:] = self.none
        start = time.monotonic()
        result = yield
        seconds = time.monotonic() - start
        ran = self.marked[:]
        numbers = [number for number, byte in enumerate(ran) if byte]
        with self.rows.open("a") as rows:
            rows.write(json.dumps([item.nodeid, round(seconds, 3), numbers]) + "\n")
        return result


def pytest_configure(config: pytest.Config) -> None:
    """Record in the folder of the table of functions."""
    table = Path(os.environ[TABLE])
    size = len(json.loads(table.read_text()))
    config.pluginmanager.register(_Recorder(table.parent, size))
