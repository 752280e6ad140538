"""Other last digits for what dp-accounting answers, in every process with this folder on its path.

Python imports a module of this name when it starts.  It does nothing unless ``DPAUDIT_PERTURBED``
is set: :mod:`tests.attacks.processors` sets it.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["perturbed"]

_ANSWERS = {
    "dp_accounting.pld.privacy_loss_distribution": (
        "PrivacyLossDistribution",
        ("get_delta_for_epsilon", "get_epsilon_for_delta"),
    ),
}
"""The methods, by module and class, that answer with floats which reports show."""


def perturbed(value: float) -> float:
    """Return ``value`` with other last digits: times 1 + j·2⁻⁵³, with j from −1000 to 1000."""
    return value * (1 + (hash(value) % 2001 - 1000) * 2.0**-53)


def _answering(method: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*arguments: Any, **named: Any) -> Any:
        found = method(*arguments, **named)
        return type(found)(map(perturbed, found)) if isinstance(found, list) else perturbed(found)

    return answer


class _Perturbing(Loader):
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        name, methods = _ANSWERS[module.__name__]
        for method in methods:
            owner = getattr(module, name)
            setattr(owner, method, _answering(getattr(owner, method)))


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in _ANSWERS:
            return None
        sys.meta_path.remove(self)
        try:
            spec = find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Perturbing(spec.loader)
        return spec


if os.environ.get("DPAUDIT_PERTURBED"):
    sys.meta_path.insert(0, _Finder())
