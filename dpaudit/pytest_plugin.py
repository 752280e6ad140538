"""The pytest plugin: a marker, and nothing that costs an import; see :mod:`dpaudit.testing`."""

from __future__ import annotations

from typing import Any

__all__ = ["pytest_collection_modifyitems", "pytest_configure"]


def pytest_configure(config: Any) -> None:
    """Register the marker ``dpaudit``, by which audits can be chosen or left out."""
    config.addinivalue_line("markers", "dpaudit: certified audits of privacy (dpaudit)")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Refuse a marker with arguments: a budget given to it would be passed over."""
    for item in items:
        for marker in item.iter_markers("dpaudit"):
            if marker.args or marker.kwargs:
                given = ", ".join((*map(repr, marker.args), *(f"{n}=…" for n in marker.kwargs)))
                from pytest import UsageError  # noqa: PT013  (imported when it is needed)

                raise UsageError(
                    f"{item.nodeid}: the marker dpaudit takes no arguments ({given}); give the "
                    "budget to assert_private(mechanism, budget=…)"
                )
