"""A plain function as the body of a program: its random calls draw from the program's source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from dpaudit.mechanisms.user_laws import entries, one_nan
from dpaudit.programs.frame_outputs import Opening, frame_parts

__all__ = ["PlainFunction"]


@dataclass(frozen=True)
class PlainFunction:
    """A function of a dataset alone, which calls random functions by itself."""

    call: Callable[[Any], Any]
    """The function as it was written."""
    used: set[str] = field(default_factory=set, compare=False)
    """The random functions that it called while it was explored."""

    def __call__(self, dataset: Any, source: Any) -> Any:
        """Run the function once, with ``source`` for all of its draws."""
        from dpaudit.programs.plain.standing import reading  # which other programs do not need

        with reading(source):
            output = self.call(dataset)
            if getattr(source, "exact", True) is False:
                return _without_arrays(output, None)
            return _without_arrays(output, Opening(source._run.whole_columns))

    def explored(self) -> AbstractContextManager[None]:
        """Return what its random functions are stood in for inside of."""
        return _explored(self.used)


@contextmanager
def _explored(used: set[str]) -> Iterator[None]:
    from dpaudit.programs.as_run.live import live_generators
    from dpaudit.programs.plain.standing import drawing_from_none, is_reading, read_ideally

    if is_reading():  # all datasets together
        yield
        return
    among = live_generators()  # which takes a while in a large process: once
    with drawing_from_none(among), read_ideally(used, among):
        yield


def _without_arrays(output: Any, opening: Opening | None) -> Any:
    """Return an output with lists for NumPy's arrays, and Python's numbers for NumPy's.

    Series and frames are mappings; ``opening`` is None where all numbers are what they are.
    """
    if type(output).__module__ == "numpy" and hasattr(output, "tolist"):
        return _without_arrays(entries(output), opening)
    if type(output) in (list, tuple):
        return type(output)(_without_arrays(part, opening) for part in output)
    if type(output) is dict:
        return {
            _without_arrays(key, opening): _without_arrays(part, opening)
            for key, part in output.items()
        }
    frame = frame_parts(output, opening=opening)
    return one_nan(output) if frame is None else _without_arrays(frame, opening)
