"""Words of typed statements about two categories: distances, sensitivities and laws, as text."""

from __future__ import annotations

__all__ = [
    "ANY",
    "BUDGET",
    "DATA",
    "FLAT",
    "NOTES",
    "PRIOR",
    "Setting",
    "floored",
    "over",
    "tail",
    "toward_zero",
]

BUDGET = ("eps > 0", "delta > 0", "delta < 1")
DATA = ("n >= 1", "c <= n")
PRIOR = ("a > 0", "b > 0")
NOTES = {"eps": "4/5", "delta": "1/2000"}


def over(body: str) -> str:
    """Return the sum over all candidates (r, n − r)."""
    return f"sum(r, 0, n, {body})"


class Setting:
    """Two categories under a prior: H, LS, S_β and laws, of first counts among n."""

    def __init__(self, a: str, b: str) -> None:
        """Take the parameters of the prior."""
        self.a, self.b = a, b
        self.prior = f"({a}, {b})"

    def distance(self, x: str = "c", r: str = "r") -> str:
        """Return H between two posteriors."""
        return f"H(({self.a} + {x}, {self.b} + n - {x}), ({self.a} + {r}, {self.b} + n - {r}))"

    def local(self) -> str:
        """Return LS(x)."""
        return f"LS({self.prior}, (c, n - c))"

    def smooth(self, x: str = "c") -> str:
        """Return S_β(x) with the β of N §2.3.1."""
        beta = "log(1 - eps/(2*log(delta/(2*(n + 1)))))"
        return f"S_beta({self.prior}, {beta}, ({x}, n - {x}))"

    def law(self, factor: str, x: str = "c") -> str:
        """Return the probability of r in proportion to exp(−factor·H)."""
        return f"P_exp({factor}, {self.prior}, ({x}, n - {x}), (r, n - r))"


ANY, FLAT = Setting("a", "b"), Setting("1", "1")


def tail(setting: Setting, factor: str) -> str:
    """Return P(H ≥ t)."""
    return over(f"at_most(t, {setting.distance()})*{setting.law(factor)}")


def floored(scale: str, count: str, value: str) -> str:
    """Return P(clamp(⌊count + Y⌋) = value), Y Laplace noise, clamped to [0, n] (A Alg. 1 to 3)."""
    return (
        f"(F_lap({scale}, {value} + 1 - ({count}))*(1 - same({value}, n)) + same({value}, n) - "
        f"F_lap({scale}, {value} - ({count}))*(1 - same({value}, 0)))"
    )


def toward_zero(scale: str, count: str, value: str) -> str:
    """Return the same for noise that is rounded toward zero: it is ≤ j iff Y < j + 1, Y ≤ j < 0."""

    def below(last: str) -> str:
        return f"F_lap({scale}, {last} - {count} + at_most({count}, {last}))"

    return (
        f"({below(value)}*(1 - same({value}, n)) + same({value}, n) - "
        f"{below(f'{value} - 1')}*(1 - same({value}, 0)))"
    )
