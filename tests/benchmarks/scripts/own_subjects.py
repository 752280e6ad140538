"""Mechanisms of one's own, as one writes them: what the own-mechanisms benchmark audits."""

from collections.abc import Callable
from fractions import Fraction

from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism

__all__ = ["bare", "exponential", "few", "long", "many", "square", "wide"]


@finite_mechanism(budget=("2", "1/2"), datasets=[0, 1], neighbours="all", normalised=False)
def exponential(x: int) -> dict[int, str]:
    """Return 200 weights."""
    return {r: f"exp(-{abs(r - 97 * x - 3 * (r * r % 7))}/100)" for r in range(200)}


def _counts(x: int) -> dict[int, Fraction]:
    weights = [1000 + x * (r + 3) * 37 % 101 for r in range(5)]
    return {r: Fraction(weight, sum(weights)) for r, weight in enumerate(weights)}


_every_pair: Callable[[int], Callable[..., FiniteMechanism]] = lambda count: finite_mechanism(  # noqa: E731
    budget=("1/20", "1/10"), datasets=range(count), neighbours="all", name=f"of {count}"
)
few = _every_pair(400)(_counts)
many = _every_pair(2000)(_counts)


def _spread(count: int, outputs: int) -> FiniteMechanism:
    """Return probabilities of hundreds of denominators."""

    def law(x: int) -> dict[int, Fraction]:
        weights = [1000 + (x * 7919 + r * r * 104729) % 997 for r in range(outputs)]
        total = sum(weights)
        return {r: Fraction(weight, total) for r, weight in enumerate(weights)}

    decorate = finite_mechanism(
        budget=("1/2", "1/10"),
        datasets=range(count),
        neighbours="all",
        name=f"{count} of {outputs}",
    )
    return decorate(law)


bare = _spread(40, 5)
wide = _spread(1000, 250)
long = _spread(5000, 50)
square = _spread(1000, 1000)
