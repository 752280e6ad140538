"""What ends an integrand, such as a signal, ends the integral as itself."""

import pytest

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.quadrature import ComplexBall, integrate


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, ValueError])
def test_what_an_integrand_raises_comes_out(kind: type[BaseException]) -> None:
    """The library says ``SystemError``, which was told as an internal error at a time cap."""

    def raising(z: ComplexBall) -> ComplexBall:
        raise kind("ended")

    with pytest.raises(kind, match="ended"):
        integrate(raising, Ball(0), Ball(1))
