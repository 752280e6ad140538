"""Selection mechanisms from their definitions, by numerical quadrature with mpmath."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from mpmath import exp, inf, mp, mpf, quad

__all__ = [
    "Density",
    "exponential",
    "gumbel",
    "laplace",
    "noisy_max",
    "permute_and_flip",
    "strings",
    "svt",
]

Function = Callable[[mpf], mpf]
Density = tuple[Function, Function]
"""A density and its distribution function, of noise around 0."""


def laplace(scale: mpf) -> Density:
    def density(x: mpf) -> mpf:
        return exp(-abs(x) / scale) / (2 * scale)

    def below(x: mpf) -> mpf:
        return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2

    return density, below


def exponential(scale: mpf) -> Density:
    def density(x: mpf) -> mpf:
        return exp(-x / scale) / scale if x > 0 else mpf(0)

    def below(x: mpf) -> mpf:
        return 1 - exp(-x / scale) if x > 0 else mpf(0)

    return density, below


def gumbel(scale: mpf) -> Density:
    def density(x: mpf) -> mpf:
        return exp(-x / scale) * below(x) / scale

    def below(x: mpf) -> mpf:
        return exp(-exp(-x / scale)) if x > -6 * scale else mpf(0)  # < 1e-174 is 0

    return density, below


def _integral(function: Function, kinks: Sequence[Fraction | int], scale: mpf) -> mpf:
    """∫ over the line, split at the kinks, in units of the scale."""
    points = sorted({mpf(k.numerator) / k.denominator / scale for k in map(Fraction, kinks)})
    return scale * quad(lambda u: function(scale * u), [-inf, *points, inf])


def noisy_max(noise: Density, answers: Sequence[int], scale: mpf, digits: int = 15) -> list[mpf]:
    """P(index) of the largest noisy answer."""
    density, below = noise

    def chance(index: int) -> mpf:
        def integrand(z: mpf) -> mpf:
            value = density(z - answers[index])
            for other, answer in enumerate(answers):
                if other != index:
                    value *= below(z - answer)
            return value

        return _integral(integrand, answers, scale)

    with mp.workdps(digits):
        return [chance(index) for index in range(len(answers))]


def permute_and_flip(answers: Sequence[int], epsilon: mpf) -> list[mpf]:
    """P(index), over all orders of the queries: the first whose coin shows heads."""
    heads = [exp(epsilon * (answer - max(answers)) / 2) for answer in answers]
    chances = [mpf(0)] * len(answers)
    orders = list(permutations(range(len(answers))))
    for order in orders:
        reached = mpf(1)
        for index in order:
            chances[index] += reached * heads[index] / len(orders)
            reached *= 1 - heads[index]
    return chances


def strings(n: int, cutoff: int | None) -> Iterator[str]:
    """Every answer string, told from all 2^n by where the run ends."""
    seen = set()
    for number in range(2**n):
        string = "".join("⊤" if number >> place & 1 else "⊥" for place in range(n))
        if cutoff is not None and string.count("⊤") >= cutoff:
            last = [place for place, symbol in enumerate(string) if symbol == "⊤"][cutoff - 1]
            string = string[: last + 1]
        if string not in seen:
            seen.add(string)
            yield string


def svt(
    answers: Sequence[int],
    string: str,
    threshold: mpf,
    rho: mpf,
    nu: mpf | None,
    *,
    fresh: bool = False,
    digits: int = 15,
) -> mpf:
    """P(string) where the noise of the threshold has scale ``rho`` and that of answers ``nu``."""
    rho_density, _ = laplace(rho)

    def below(x: mpf) -> mpf:
        if nu is None:
            return mpf(x > 0)
        return laplace(nu)[1](x)

    def segment(part: list[tuple[int, str]]) -> mpf:
        def integrand(z: mpf) -> mpf:
            value = rho_density(z)
            for answer, symbol in part:
                under = below(threshold + z - answer)
                value *= under if symbol == "⊥" else 1 - under
            return value

        kinks = [Fraction(0), *(Fraction(answer) - Fraction(str(threshold)) for answer, _ in part)]
        return _integral(integrand, kinks, max(rho, nu or rho))

    with mp.workdps(digits):
        total = mpf(1)
        part: list[tuple[int, str]] = []
        for answer, symbol in zip(answers, string, strict=False):
            part.append((answer, symbol))
            if fresh and symbol == "⊤":
                total *= segment(part)
                part = []
        return total * segment(part) if part else total
