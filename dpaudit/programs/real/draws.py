"""Random values of the laws that a program asks for, in floats."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random as python_random
    from collections.abc import Callable

    from dpaudit.programs.unknowns.noises import Draw

__all__ = ["random_draw"]


def random_draw(asked: Any, rng: python_random.Random) -> Any:
    """Return a random value of the law that was asked for."""
    kind, parameter = asked if type(asked) is tuple else ("", asked)
    if kind == "integers":
        return rng.randrange(parameter)
    if kind == "choice":
        weights = [float(one) for one in parameter]
        return rng.choices(range(len(weights)), weights)[0]
    return _sampler_of(kind, parameter)(rng)


@lru_cache(maxsize=1 << 10)
def _sampler_of(kind: str, parameter: Any) -> Callable[[python_random.Random], Any]:
    """Return what draws one number, with its parameters as floats."""
    if not kind:
        return _continuous(parameter)
    number = float(parameter)
    if kind == "bernoulli":
        return lambda rng: rng.random() < number
    if kind == "geometric":
        return lambda rng: _geometric(number, rng)
    if kind == "discrete_laplace":
        p = -math.expm1(-1 / number)
        return lambda rng: _geometric(p, rng) - _geometric(p, rng)
    assert kind == "discrete_gaussian", kind
    return lambda rng: _discrete_gaussian(number, rng)


def _geometric(p: float, rng: python_random.Random) -> int:
    if p >= 1:
        return 0
    return math.floor(math.log(1 - rng.random()) / math.log1p(-p))


def _discrete_gaussian(sd: float, rng: python_random.Random) -> int:
    """Draw by rejection from a discrete Laplace (Canonne, Kamath and Steinke 2020, Alg. 3)."""
    scale = math.floor(sd) + 1
    p = -math.expm1(-1 / scale)
    while True:
        k = _geometric(p, rng) - _geometric(p, rng)
        if rng.random() < math.exp(-((abs(k) - sd**2 / scale) ** 2) / (2 * sd**2)):
            return k


def _continuous(draw: Draw) -> Callable[[python_random.Random], float]:
    factor = float(draw.factor)
    scale = float(draw.scale) * factor
    match draw.kind:
        case "laplace":
            return lambda rng: scale * (rng.expovariate(1) - rng.expovariate(1))
        case "exponential":
            return lambda rng: scale * rng.expovariate(1)
        case "gumbel":
            return lambda rng: -scale * math.log(rng.expovariate(1))
        case "gaussian":
            return lambda rng: scale * rng.gauss()
        case _:
            low, high = map(float, draw.ends)
            return lambda rng: factor * (low + (high - low) * rng.random())
