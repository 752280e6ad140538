"""Recheck every document of the corpus whose schema ``dpaudit verify --schemas`` lists.

``python -m tests.golden.verify [WORDS]`` runs the command lines, or those that contain the words,
prints what became of their documents, and ends with 1 unless all are accepted.  A report about a
user's own mechanism is bound to its file, and that of a gate to its configuration, as a reviewer
would.
"""

import json
import shlex
import sys
import time
import tomllib
from itertools import pairwise
from pathlib import Path

from dpaudit.api.rechecks import own_mechanisms
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.findings import VerificationDocument
from dpaudit.recheck.verify import RECHECKED, verify
from dpaudit.subjects import CALL
from tests.golden.corpus import COMMANDS, Outcome, outcome, recorded, workplace

__all__ = ["DOCUMENTS", "main", "rechecked"]

DOCUMENTS = [
    command
    for command, found in recorded().items()
    if isinstance(found.stdout, dict) and found.stdout.get("schema") in RECHECKED
]
"""The command lines that print a document whose schema is rechecked."""


def rechecked(printed: Outcome, folder: Path) -> VerificationDocument:
    """Return what became of the document that a command line printed in ``folder``."""
    words = shlex.split(printed.command)
    path = folder / "rechecked.json"
    path.write_text(json.dumps(printed.stdout, ensure_ascii=False))
    config = next((folder / word for word in words if word.endswith(".toml")), None)
    if config is not None:
        words = [entry["mechanism"] for entry in tomllib.loads(config.read_text())["mechanism"]]
    called = [CALL * (before == "--call") + word for before, word in pairwise(["", *words])]
    own = own_mechanisms([word for word in dict.fromkeys(called) if ".py:" in word])
    try:
        return verify(path, own, Requirements(config=config))
    finally:
        path.unlink()


def main(words: list[str]) -> int:
    """Recheck the documents of command lines that contain all ``words``."""
    wanted = [one for one in COMMANDS if one in DOCUMENTS and all(word in one for word in words)]
    refused = 0
    with workplace() as folder:
        for command in wanted:
            printed = outcome(command, folder)
            start = time.monotonic()
            found = rechecked(printed, folder)
            seconds = time.monotonic() - start
            print(f"{found.verdict:<11} {seconds:6.1f} s  {command}", flush=True)
            for entry in (*found.disagreements, *found.unconfirmed):
                print(f"    {entry.where}: {entry.message}"[:400])
            refused += found.verdict != "accepted"
    print(f"{len(wanted)} documents, {len(wanted) - refused} accepted")
    return 1 if refused or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
