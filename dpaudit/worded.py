"""Enums whose members compare with their words, and never with anything else by mistake."""

from __future__ import annotations

import enum

from dpaudit.errors import nearest

__all__ = ["Worded"]


class Worded(enum.Enum):
    """An outcome with a word for each member; it is deliberately not usable as a bool.

    A member equals its word.  A text that is none of the words, a misspelt one say, and a member of
    another enum are errors: a comparison with those could only ever be False.

    >>> class Answer(Worded):
    ...     YES = "yes"
    ...     NO = "no"
    >>> Answer.YES == "yes", Answer.YES == "no", "no" in {Answer.NO}
    (True, False, True)
    >>> Answer.YES == "yess"
    Traceback (most recent call last):
        ...
    ValueError: 'yess' is no Answer; did you mean yes?
    """

    def __eq__(self, other: object) -> bool:
        """Compare with a member of the same enum, or with its word.

        Raises:
            ValueError: for a text that is none of the words.
            TypeError: for a member of another enum.
        """
        if isinstance(other, type(self)):
            return self is other
        if isinstance(other, str):
            words = [str(member.value) for member in type(self)]
            if other not in words:
                raise ValueError(f"{other!r} is no {type(self).__name__}; {nearest(other, words)}")
            return bool(self.value == other)
        if isinstance(other, enum.Enum):
            raise TypeError(f"{self} and {other} are of different kinds; compare their values")
        return NotImplemented

    def __hash__(self) -> int:
        """Hash as the word does, which the member equals."""
        return hash(self.value)

    def __bool__(self) -> bool:
        """Refuse: an outcome must never fall through an ``if``."""
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise TypeError(f"{article} {name} is not a bool; compare it with a member of {name}")
