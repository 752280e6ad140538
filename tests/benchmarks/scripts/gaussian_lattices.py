"""ε of k Gaussian runs by lattices of privacy losses, as if there were no closed form."""

import argparse
import json
from fractions import Fraction

from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.real import real
from dpaudit.questions.account.candidates import Candidate
from dpaudit.questions.account.lattices import Effort
from dpaudit.questions.account.refining import refine
from dpaudit.questions.account.sources import source_of


def main() -> None:
    """Print the rows of an account."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sigma", type=Fraction)
    parser.add_argument("--compose", type=int)
    parser.add_argument("--width")
    parser.add_argument("--at-delta")
    given = parser.parse_args()
    deltas = list(map(Fraction, given.at_delta.split(",")))
    source = source_of(GaussianDivergence(real(1 / given.sigma)), forward=True)
    effort = Effort(float(given.width) / 8, min(deltas) / 10**8)
    pair = Candidate(None, None, None, source, None, None, effort)
    asked = [("delta", real(delta)) for delta in deltas]
    unmet = refine([pair], given.compose, asked, real(given.width), None)
    if unmet:
        raise SystemExit(unmet[0])
    found = [pair.found[one] for one in asked]
    ends = [{"lower": str(one.lower), "upper": str(one.upper)} for one in found]
    print(json.dumps({"rows": [{"given": "delta", "epsilon": one} for one in ends]}))


if __name__ == "__main__":
    main()
