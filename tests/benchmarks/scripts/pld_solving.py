"""The noise multiplier that dp-accounting's own search finds: ``… '{"rate": 0.01, ...}'``.

Its result is JSON; the search is ``calibrate_dp_mechanism`` with its accountant of privacy loss
distributions, to the same four digits.
"""

import json
import sys
from functools import partial
from typing import Any

import dp_accounting
from dp_accounting import mechanism_calibration
from dp_accounting.pld import pld_privacy_accountant

__all__ = ["main", "run_of"]


def run_of(rate: float, steps: int, sigma: float) -> Any:
    """Return DP-SGD with a noise multiplier as dp-accounting's event."""
    step = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
    return dp_accounting.SelfComposedDpEvent(step, steps)


def main(text: str) -> None:
    """Search, and print the noise multiplier."""
    asked = json.loads(text)
    found = mechanism_calibration.calibrate_dp_mechanism(
        pld_privacy_accountant.PLDAccountant,
        partial(run_of, asked["rate"], asked["steps"]),
        asked["epsilon"],
        asked["delta"],
        mechanism_calibration.LowerEndpointAndGuess(0.0, 1.0),
        tol=asked["tolerance"],
    )
    print(json.dumps({"sigma": found}))


if __name__ == "__main__":
    main(sys.argv[1])
