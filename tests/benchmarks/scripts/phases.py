"""Where the time of ``dpaudit check EHDS`` with a plot goes, from the inside of one process."""

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

SPENT: dict[str, float] = {}


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Note how long the block takes."""
    began = time.perf_counter()
    yield
    SPENT[name] = time.perf_counter() - began


def main() -> None:
    """Do what the command does, step by step, and print how long each step took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", required=True)
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    with phase("import NumPy"):
        import numpy  # noqa: F401
    with phase("import the command line and the audit"):
        import dpaudit.audit.screen
        import dpaudit.questions.check.command  # noqa: F401
    with phase("audit, certified"):
        from dpaudit import check

        found = check("EHDS", sizes, k=asked.k)
    with phase("table"):
        str(found)
    with phase("import matplotlib"):
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401
    with phase("draw and save the plot"), TemporaryDirectory() as folder:
        found.plot(Path(folder) / "plot.png")
    print(json.dumps({"phases": SPENT}))


if __name__ == "__main__":
    main()
