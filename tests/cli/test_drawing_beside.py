"""A figure drawn in a process beside the sweep is the figure, and is drawn if that process dies."""

import subprocess
import sys
from pathlib import Path

_BESIDE = """
import os, sys
from functools import partial
from pathlib import Path
from dpaudit.audit import workers
workers.processors = lambda: 2
from dpaudit.cli.destination import _drawn

with workers.executor_beside("dpaudit.report.figures.sheet") as artist:
    assert artist is not None
    assert artist.submit(os.getpid).result() != os.getpid()
    assert "matplotlib" not in sys.modules

    from dpaudit import check
    from dpaudit.report.views import plot_of
    figure = partial(plot_of, check("RR", n=1).reports)
    beside = _drawn(figure, "page", [".png", ".svg"], artist)
    assert "matplotlib" not in sys.modules, "it was drawn here"
    here = _drawn(figure, "page", [".png", ".svg"])
    assert beside == here
    artist.submit(os._exit, 1)
    assert _drawn(figure, "page", [".png", ".svg"], artist) == here
    unpicklable = lambda: figure()
    assert _drawn(unpicklable, "page", [".png", ".svg"], artist) == here

workers._threads = lambda: 2
with workers.executor_beside("dpaudit.report.figures.sheet") as artist:
    assert artist is None, "another thread may hold locks"
workers._threads = lambda: 1
workers.processors = lambda: 1
with workers.executor_beside("dpaudit.report.figures.sheet") as artist:
    assert artist is None, "one processor has no use for two processes"
"""


def test_a_figure_is_the_same_wherever_it_is_drawn(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", _BESIDE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert (found.stdout, found.stderr) == ("", "")
