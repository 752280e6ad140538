"""diffpriv-pure: noise and queries over Python's ``random``.

Sums and means take datasets of a known size, of which one value changes.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = "from diffpriv_pure import *\n"
_COUNTS = (0, 1, 2)
_NEAR = "abs(a - b) == 1"
_VALUES = ((0.0, 1.0), (1.0, 1.0))


def _sampled(call: str, stated: str, note: str = "", show: str = "", draws: int = 30_000) -> Case:
    inputs = _VALUES if "list(x)" in call else (0.0, 1.0)
    return Case(call, stated, inputs, _SETUP, "sampled", note=note, show=show, draws=draws)


_WIDE = "gaussian_noise(gaussian_sigma(1, 8, 0.1))"


def _count(call: str, stated: str) -> Case:
    """Return a case that is shown by counts that no other true count gives, at 0."""
    show = f"{_SETUP}import math\nprint([sum({call} == 0 for i in range(10**5)) for x in (0, 1)])"
    return Case(call, stated, _COUNTS, f"{_SETUP}import math\n", neighbours=_NEAR, show=show)


_CASES = (
    _count("private_count(x, 1)", "1"),
    _count("private_count(x, math.log(3))", "ln(3)"),
    _count("x + geometric_noise(1)", "1"),
    Case("private_count(x, 1e-16)", "1/10000000000000000", _COUNTS, _SETUP, neighbours=_NEAR),
    _sampled("x + laplace_noise(1, 1)", "1", "scale 1, for a sensitivity of 1"),
    _sampled("x + gaussian_noise(gaussian_sigma(1, 1, 0.1))", "1, 1/10"),
    _sampled(f"x + {_WIDE}", "8, 1/10", draws=5_000_000, show=f"{_SETUP}import math\n"
             f"seen = lambda x: x + {_WIDE} > 1.1\n"
             "p, q = [sum(seen(x) for i in range(10**6)) / 10**6 for x in (1, 0)]\n"
             "print(p, q, p - math.exp(8) * q)"),
    _sampled("private_sum(list(x), (0, 1), 1)", "1"),
    _sampled("private_sum(list(x), (0, 1), 1, 0.1)", "1, 1/10"),
    _sampled("private_mean(list(x), (0, 1), 1)", "1"),
    _sampled("private_mean(list(x), (0, 1), 1, 0.1)", "1, 1/10"),
)  # fmt: skip

ENVIRONMENTS = (
    Environment(
        "diffpriv-pure",
        "0.1.0",
        _CASES,
        package="diffpriv_pure",
        without={
            "diffpriv_pure.PrivacyBudget*": "it adds up what is stated, and draws nothing",
            "diffpriv_pure.main": "a command that calls the others",
        },
        note="`geometric_noise` is negative for only one draw in 2⁵³, and it is 0 if ε is at "
        "most 10⁻¹⁵.  So a noisy count is practically never below the true count.  "
        "`gaussian_sigma` has the formula of ε ≤ 1 for every ε.",
    ),
)
