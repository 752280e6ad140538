"""A plug-in of pytest that runs tests in the opposite order: none may rest on one before it.

``python -m pytest -n auto -p tests.opposite``
"""

from __future__ import annotations

import pytest

__all__: list[str] = []


@pytest.hookimpl(tryfirst=True)  # before workers tell their order
def pytest_collection_finish(session: pytest.Session) -> None:
    """Turn the order around."""
    session.items.reverse()
