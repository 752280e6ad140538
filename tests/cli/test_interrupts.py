"""An interrupt counts whenever it comes, also at a moment at which Python drops exceptions."""

import subprocess
import sys

import pytest

from dpaudit.cli.exits import Exit
from tests.interrupts import heeding_interrupts

PROGRAM = """
import signal, sys, time, weakref
import dpaudit.cli.main as main

class Held:
    pass

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.{signal})

def command(arguments):
    {moment}
    for _ in range(600):
        time.sleep(0.1)
    return 0

main._invoke = command
main.run()
"""

MOMENTS = {
    "in a finaliser": "Finalised()",
    "in a weak reference's callback": (
        "held = Held(); ref = weakref.ref(held, lambda r: signal.raise_signal(signal.SIGINT)); "
        "del held"
    ),
    "anywhere else": "signal.raise_signal(signal.SIGINT)",
}


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_is_never_lost(moment: str, number: str) -> None:
    program = PROGRAM.format(moment=MOMENTS[moment], signal=number).replace("SIGINT", number)
    with heeding_interrupts():
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False
        )
    assert (done.returncode, done.stdout) == (Exit.INTERRUPTED, "")
    assert done.stderr == "dpaudit: interrupted; nothing was finished\n"


def test_a_closed_terminal_that_is_not_heard_of_ends_nothing() -> None:
    program = PROGRAM.format(moment="signal.raise_signal(signal.SIGHUP); return 0", signal="SIGHUP")
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", ignoring], capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
