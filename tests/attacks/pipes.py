"""Hostile pipes: processes that say what no process should, and messages with one thing changed.

``python -m tests.attacks.pipes --count N`` changes N messages, and exits with 1 where one that says
of a mechanism over its budget that it is within it is believed.
"""

import argparse
import copy
import json
import os
import random
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from dpaudit.gate.config import Entry, GateConfig
from dpaudit.gate.messages import read_message
from dpaudit.gate.work import tell
from dpaudit.mechanisms.references import reference
from dpaudit.mechanisms.spec import Spec

__all__ = ["HOSTILE", "honest", "mutants", "nothing", "passes"]

Send = Callable[[bytes], None]


def nothing() -> None:
    """Prepare nothing beyond this module, for processes that are forked."""


def says_nothing(send: Send) -> None:
    """End as if all was said."""


def half(send: Send) -> None:
    send(b'{"report": ')
    os._exit(0)


def half_and_hangs(send: Send) -> None:
    send(b'{"report": ')
    time.sleep(600)


def whole_and_hangs(send: Send) -> None:
    send(b"0\n")
    time.sleep(600)


def tebibyte(send: Send) -> None:
    send(struct.pack("!iQ", -1, 1 << 40))
    os._exit(0)


def several(send: Send) -> None:
    for _ in range(3):
        send(b"0\n")


def garbage(send: Send) -> None:
    send(random.Random(1).randbytes(100_000))


def pours(send: Send) -> None:
    while True:
        send(bytes(1 << 20))


def closes_and_hangs(send: Send) -> None:
    os.closerange(3, 256)
    time.sleep(600)


def drips(send: Send) -> None:
    while True:
        send(b"0")
        time.sleep(0.01)


def leaves_a_fork(send: Send) -> None:
    if not os.fork():
        time.sleep(600)  # with the pipe open
    send(b"0\n")


def killed(send: Send) -> None:
    send(b"0\n")
    os.kill(os.getpid(), 9)


HOSTILE: dict[str, tuple[Callable[[Send], None], bytes | None, bool]] = {
    "says nothing": (says_nothing, b"", True),
    "half a message": (half, b'{"report": ', True),
    "half a message, then hangs": (half_and_hangs, b'{"report": ', False),
    "a message, then hangs": (whole_and_hangs, b"0\n", False),
    "a header of 1 TiB": (tebibyte, struct.pack("!iQ", -1, 1 << 40), True),
    "several messages": (several, b"0\n0\n0\n", True),
    "garbage": (garbage, random.Random(1).randbytes(100_000), True),
    "pours": (pours, None, True),
    "closes, then hangs": (closes_and_hangs, b"", True),
    "drips": (drips, None, False),
    "a fork keeps it open": (leaves_a_fork, b"0\n", True),
    "killed": (killed, b"0\n", True),
}
"""What is done, what is heard (None for anything), and whether it is over before its time is up."""

_PLUGIN = """
class Excess:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, x):
        return {x: "9/10", 1 - x: "1/10"}
"""


def referred(entry: Entry, folder: Path) -> Spec:
    """What the process of an entry is given to load."""
    return reference(entry.mechanism, entry.parameters, folder)


def honest(folder: Path) -> tuple[bytes, Entry]:
    """The message about a plug-in that realises ln 9, above its budget of 1; and its entry."""
    (folder / "excess.py").write_text(_PLUGIN)
    entry = Entry(mechanism="excess.py:Excess", n=1)
    said: list[bytes] = []
    tell(said.append, referred(entry, folder), entry, GateConfig(mechanisms=[entry]), False)
    return said[0], entry


_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**70, 0.5, "", "0", "1", "inf", "nan", "-1", "1e-9", "ln(2)"),
    *("within", "undecided", "0.5", [], {}, [[]], "1/2", "exp(exp(9))", "٣", "1_0", "9e99999"),
]


def mutants(message: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """Messages in which one leaf, one key or some bytes are others."""
    rng = random.Random(seed)
    for _ in range(count):
        if rng.random() < 0.2:
            changed = bytearray(message)
            for _ in range(rng.randint(1, 3)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            yield bytes(changed)
            continue
        document = json.loads(message)
        places = list(_places(document))
        parent, key = rng.choice(places)
        if rng.random() < 0.1:
            del parent[key]
        elif rng.random() < 0.1 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[key]))
        else:
            parent[key] = rng.choice(_VALUES)
        yield json.dumps(document).encode()


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key])


def passes(said: bytes, entry: Entry, folder: Path) -> bool:
    """Whether a message makes its entry pass; only a ``ValueError`` may be raised."""
    try:
        spec = referred(entry, folder)
        return read_message(said, entry, GateConfig(mechanisms=[entry]), spec).passed
    except ValueError:
        return False


def main() -> int:
    """Change messages about a plug-in over its budget; none may make it pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        message, entry = honest(folder)
        wrong = [
            said
            for said in mutants(message, given.count, given.seed)
            if passes(said, entry, folder)
        ]
    for said in wrong[:10]:
        print(msgspec.json.decode(said))
    print(f"{given.count} messages changed, {len(wrong)} believed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
