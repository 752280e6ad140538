"""Pythons whose random algorithms were not held to the re-expressed ones, bit for bit.

There dpaudit refuses to follow code as it runs, by name.  A test that fails because its code was
refused so shows nothing, and is skipped with that reason; all others run.  That the refusal is one
line with exit code 2 is tested on every Python, in tests/programs/test_as_run.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dpaudit.errors import LawError
from dpaudit.programs.as_run import explored
from dpaudit.programs.as_run.versions import check_versions

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Untested", "refusal"]


def refusal() -> str | None:
    """Return why code is not followed as it runs by this Python with its NumPy, or ``None``."""
    import numpy as np  # noqa: F401 (its version counts once it is loaded)

    try:
        check_versions()
    except LawError as error:
        return str(error)
    return None


class Untested:
    """A plug-in of pytest that skips what fails because this Python is refused."""

    def __init__(self, reason: str) -> None:
        """Note every refusal of this process from now on."""
        self.reason = reason
        self.refused = False
        pytest.MonkeyPatch().setattr(explored, "check_versions", self._check)

    def _check(self) -> None:
        try:
            check_versions()
        except LawError as error:
            self.refused |= str(error) == self.reason  # not one that a test makes up
            raise

    def pytest_runtest_logstart(self) -> None:
        """Forget the refusals of the test before."""
        self.refused = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn a failure into a skip where this Python was refused, here or in a process."""
        report = yield
        if item.get_closest_marker("untested"):  # it is about the refusal
            return report
        if report.failed and (self.refused or self.reason in str(report.longrepr)):
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"Skipped: {self.reason}")
        return report
