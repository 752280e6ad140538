"""ε and δ of k runs as dp-accounting estimates them, both ways, for one setting in JSON."""

import json
import sys
from resource import RLIMIT_AS, setrlimit
from typing import Any


def main() -> None:
    """Print both estimates of each ε and δ that is asked for; the setting is the one argument."""
    asked = json.loads(sys.argv[1])
    if "room" in asked:  # MiB: a machine that is short of memory would end others too
        setrlimit(RLIMIT_AS, (asked["room"] << 20, asked["room"] << 20))
    from dp_accounting.pld import privacy_loss_distribution as pld

    made = [_composed(pld, asked, above=above) for above in (False, True)]
    values = [
        *([one.get_epsilon_for_delta(delta) for one in made] for delta in asked["deltas"]),
        *([one.get_delta_for_epsilon(epsilon) for one in made] for epsilon in asked["epsilons"]),
    ]
    print(json.dumps({"values": [[float(low), float(high)] for low, high in values]}))


def _composed(pld: Any, asked: dict[str, Any], *, above: bool) -> Any:
    grid = {"value_discretization_interval": asked["step"], "pessimistic_estimate": above}
    if "sigma" in asked:
        one = pld.from_gaussian_mechanism(
            asked["sigma"], sampling_prob=asked["rate"], use_connect_dots=above, **grid
        )
    elif "scale" in asked:
        one = pld.from_laplace_mechanism(
            asked["scale"], sampling_prob=asked["rate"], use_connect_dots=above, **grid
        )
    else:
        q, p = (dict(enumerate(side)) for side in asked["logarithms"])
        one = pld.from_two_probability_mass_functions(q, p, **grid)
    return one.self_compose(asked["runs"])


if __name__ == "__main__":
    main()
