"""Run the benchmark and print its tables: ``python -m tests.benchmarks --output RESULTS.md``."""

import argparse
import sys
from pathlib import Path

from tests.benchmarks.cases import FULL, TINY
from tests.benchmarks.running import carry_out
from tests.benchmarks.tables import document, headline_table, replace_table


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--output", type=Path, help="write the tables to this file, not to stdout")
    parser.add_argument("--page", type=Path, help="replace the table in this file as well")
    parser.add_argument("--tiny", action="store_true", help="sizes too small to tell anything")
    asked = parser.parse_args()
    outcome = carry_out(
        TINY if asked.tiny else FULL, lambda line: print(line, file=sys.stderr, flush=True)
    )
    text = document(outcome)
    if asked.output is None:
        print(text, end="")
    else:
        asked.output.write_text(text)
    if asked.page is not None:
        asked.page.write_text(replace_table(asked.page.read_text(), headline_table(outcome)))


if __name__ == "__main__":
    main()
