"""Stand-ins, while a program is explored, for names that would tell it more than a run does.

``type`` tells unknown numbers from known ones.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpaudit.programs.guarding.addresses import STAND_INS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["NumberKinds", "TypesAskedFor", "numbers_stood_for"]


class _Kinds(type):
    """Metaclass that makes :class:`_Type` do what ``type`` does."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if cls is not _Type:
            return super().__call__(*given, **named)
        if len(given) != 1 or named:
            return type(*given, **named)
        kind: Any = type(given[0])
        if kind is type:
            return _Type
        kind = _kind_of(given[0])
        return _NUMBERS.get(kind, kind)

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, type) if cls is _Type else super().__instancecheck__(one)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is _Type else super().__subclasscheck__(kind)


class _Type(type, metaclass=_Kinds):
    """Stands for ``type`` in the modules of a program: an unknown ``int`` is an ``int`` to it."""


def _kind_of(one: Any) -> Any:
    """Return the type of a value, and of an unknown number that of what it stands for."""
    kind: Any = type(one)
    unknown = str(kind.__module__).startswith("dpaudit.programs.") and hasattr(kind, "_stands_for")
    return kind._stands_for(one) if unknown else kind


class NumberKinds(type):
    """Metaclass of classes that stand for ``int`` and ``float`` and act like them."""

    stands_for: type
    """``int`` or ``float``."""
    convert: Callable[[Any], Any]
    """Conversion of an unknown number."""

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any], **more: Any) -> Any:
        """Make a stand-in; a program's own subclass is one of ``int`` or ``float`` itself."""
        if not any(isinstance(base, cls) for base in bases):
            shown = names["stands_for"].__name__  # what a program may show of it
            return super().__new__(cls, shown, bases, {**names, "__qualname__": shown})
        plain = tuple(base.stands_for if isinstance(base, cls) else base for base in bases)
        return types.new_class(name, plain, more, lambda space: space.update(names))

    def __repr__(cls) -> str:
        """Return what is shown of the class that it stands for."""
        return repr(cls.stands_for)

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and not named and _kind_of(given[0]) is not type(given[0]):
            return cls.convert(given[0])
        return cls.stands_for(*given, **named)

    def __instancecheck__(cls, one: object) -> bool:
        """Tell whether a value is such a number, an unknown one too."""
        return issubclass(_kind_of(one), cls.stands_for)

    def __subclasscheck__(cls, kind: type) -> bool:
        """Tell whether a type is one of such numbers."""
        return issubclass(kind, cls.stands_for)

    def __eq__(cls, other: object) -> bool:
        """Compare as the class that it stands for."""
        return other is cls or other is cls.stands_for

    def __hash__(cls) -> int:
        """Return the hash of the class that it stands for."""
        return hash(cls.stands_for)

    @property
    def dtype(cls) -> Any:
        """Type of an array's elements if the class is given to NumPy as one."""
        import numpy as np

        return np.dtype(cls.stands_for)


_NUMBERS: dict[Any, Any] = {}
"""Stand-ins for ``int`` and ``float`` in use."""


@contextmanager
def numbers_stood_for(kinds: Mapping[type, type]) -> Iterator[None]:
    """Let classes stand for ``int`` and ``float`` in modules of programs, inside the block."""
    before = dict(_NUMBERS)  # a program may ask for the law of another while it is explored
    _NUMBERS.clear()
    _NUMBERS.update(kinds)
    try:
        yield
    finally:
        _NUMBERS.clear()
        _NUMBERS.update(before)


_ABSENT = object()


class TypesAskedFor:
    """Puts :class:`_Type` for ``type`` into the modules of a program while their code runs."""

    def __init__(self) -> None:
        """Begin with no module changed."""
        self._modules: dict[int, tuple[dict[str, Any], list[str], bool]] = {}
        self._numbers: list[tuple[dict[str, Any], str]] = []
        self._held: list[tuple[dict[str, Any], str, Any]] = []

    def entered(self, names: dict[str, Any], *, own: bool) -> None:
        """Stand in for ``type``, under whatever name, in the module of a function that begins.

        In a program's ``own`` module ``id`` and ``hash`` are stood in for as well.
        """
        if id(names) in self._modules:
            return
        if own:
            self._stand_in_for_addresses(names)
        held = [name for name, value in names.items() if value is type]
        added = "type" not in names
        self._modules[id(names)] = names, held, added
        names.update(dict.fromkeys([*held, "type"] if added else held, _Type))
        for kind, stand_in in _NUMBERS.items():
            if kind.__name__ not in names:
                names[kind.__name__] = stand_in
                self._numbers.append((names, kind.__name__))

    def _stand_in_for_addresses(self, names: dict[str, Any]) -> None:
        for real, stand_in in STAND_INS.items():
            held = {name: one for name, one in names.items() if one is real}
            added = {} if real.__name__ in names else {real.__name__: _ABSENT}
            for name, one in {**held, **added}.items():
                names[name] = stand_in
                self._held.append((names, name, one))

    def left(self) -> None:
        """Leave the modules as they were."""
        for names, name, one in self._held:
            if one is _ABSENT:
                names.pop(name, None)
            else:
                names[name] = one
        for names, own, added in self._modules.values():
            names.update(dict.fromkeys(own, type))
            if added and names.get("type") is _Type:
                del names["type"]
        for names, name in self._numbers:
            names.pop(name, None)
