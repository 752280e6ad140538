"""The pytest plugin: a marker, and nothing that costs an import; see :mod:`dpaudit.testing`."""

from __future__ import annotations

from typing import Any

__all__ = ["pytest_configure"]


def pytest_configure(config: Any) -> None:
    """Register the marker ``dpaudit``, by which audits can be chosen or left out."""
    config.addinivalue_line("markers", "dpaudit: certified audits of privacy (dpaudit)")
