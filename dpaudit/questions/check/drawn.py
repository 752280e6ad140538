"""Draws from a plain function for ``check``: where no reading has a law, or ``only`` is drawn.

The command line and the function in Python share what is asked of the sampler.  Draws show that a
budget is exceeded, and never that it is kept.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError, ParameterError
from dpaudit.mechanisms.base import Mechanism
from dpaudit.programs.rungs import NoReadingError
from dpaudit.questions.sample.function import prepare
from dpaudit.sampling.sampler import generator
from dpaudit.subjects import CALL, DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.numbers.real import Number
    from dpaudit.sampling.run import SamplerSettings
    from dpaudit.sampling.sampler import Sampler

__all__ = ["prepared"]

_DRAWS = (100_000, 50_000, 20_000, 10_000, 5_000)
"""Numbers of draws of each input, the first that is made within the time there is."""
_SECONDS = 40.0
_TRIES, _ROUNDS = 5, 4
"""Draws that are timed together, and how often; the first draw of all imports what others use."""
_ERROR = "1e-9"
_OF_LAWS = ("at_eps", "at_delta", "adjacency", "at")
"""Arguments about a law, which draws do not answer."""


def prepared(
    name: str | Mechanism[Any] | Callable[..., Any],
    parameters: Mapping[str, Any],
    refused: LawError | None = None,
    *,
    budget: Number | Sequence[Number] | None,
    **others: object,
) -> tuple[Sampler, SamplerSettings]:
    """Return a plain function as a sampler, with what is asked of it.

    Args:
        name: the function, or its name.
        parameters: the ``inputs`` and ``neighbours``.
        refused: what deriving the law has raised; None where draws are all that is wanted.
        budget: what the verdict is about.
        others: further arguments of the audit, by name.

    Raises:
        LawError: what was ``refused``, where draws do not answer.
        ParameterError: for what is no plain function with inputs, and for arguments about a law.
    """
    for word in filter(others.get, _OF_LAWS):
        if refused is not None:
            raise refused
        flag = f"--{word.replace('_', '-')}"
        raise ParameterError(
            word,
            f"{flag} needs an exact output distribution, and only = drawn derives none; leave it "
            "out",
        )
    if refused is not None and not isinstance(refused, NoReadingError):
        raise refused
    if refused is not None and budget is None:
        raise LawError(
            f"{refused.why}; draws can still show an excess over a budget; give --budget"
        )
    if "inputs" not in parameters or isinstance(name, Mechanism):
        raise ParameterError(
            "only",
            "only = drawn needs a plain function with its inputs; for a sampler, use dpaudit "
            "sample",
        )
    subject, settings = prepare(
        DRAWS + name.removeprefix(CALL) if isinstance(name, str) else name,
        n=None,
        draws=_DRAWS[0],
        error=_ERROR,
        budget=budget,
        against=None,
        seed=0,
        jobs=1,
        digits=4,
        **{word: parameters[word] for word in ("inputs", "neighbours") if word in parameters},
    )
    no_law = "" if refused is None else refused.why
    return subject, replace(settings, draws=_affordable(subject), no_law=no_law)


def _affordable(subject: Sampler) -> int:
    """Return how many draws of each input are made in the time there is, or the fewest."""
    inputs = list(subject.relation.listing(1))
    subject.draw(inputs[0], 1, generator(0, 0))
    taken = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        subject.draw(inputs[0], _TRIES, generator(0, 0))
        taken.append(time.perf_counter() - began)
    seconds = min(taken) / _TRIES * len(inputs)  # others on the machine delay a round, not all
    return next((draws for draws in _DRAWS if draws * seconds <= _SECONDS), _DRAWS[-1])
