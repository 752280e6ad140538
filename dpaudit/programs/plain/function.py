"""A plain function as the body of a program: its random calls draw from the program's source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from dpaudit.mechanisms.user_laws import entries, one_nan, thawed
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

        with reading(source, chain([self.call], map(thawed, [dataset]))):
            output = self.call(dataset)
            if getattr(source, "exact", True) is False:
                return _without_arrays(output, None)
            return _without_arrays(output, Opening(source._run.whole_columns))

    def explored(self, *given: Any) -> AbstractContextManager[None]:
        """Return what its random functions are stood in for inside of.

        Args:
            given: the datasets and the values of parameters that it is called with inside.
        """
        return _explored(self.used, self.call, given)


@contextmanager
def _explored(used: set[str], call: Callable[[Any], Any], given: Iterable[Any]) -> Iterator[None]:
    from dpaudit.programs.as_run.live import live_generators
    from dpaudit.programs.plain.standing import drawing_from_none, is_reading, read_ideally

    if is_reading():  # all datasets together
        yield
        return
    among = live_generators()  # which takes a while in a large process: once
    holds = chain([call], map(thawed, given))
    with drawing_from_none(among), read_ideally(used, among, holds):
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
