"""δ(ε) of k runs of randomised response (p = 3/4) as dp-accounting estimates it."""

import argparse
import json
import math


def main() -> None:
    """Print the pessimistic estimates at the ε of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int)
    parser.add_argument("epsilons", type=float, nargs="+")
    asked = parser.parse_args()
    from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions

    truth, lie = math.log(3 / 4), math.log(1 / 4)
    one = from_two_probability_mass_functions({0: lie, 1: truth}, {0: truth, 1: lie})
    composed = one.self_compose(asked.runs)
    deltas = [repr(float(composed.get_delta_for_epsilon(epsilon))) for epsilon in asked.epsilons]
    print(json.dumps({"values": deltas}))


if __name__ == "__main__":
    main()
