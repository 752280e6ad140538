"""``dpaudit new``: a commented file that works, with its test, to start from."""

from __future__ import annotations

import keyword
import os
from pathlib import Path

import click

from dpaudit.cli.exits import epilogue
from dpaudit.errors import OutputError, ParameterError
from dpaudit.report.files import check_writable, write_whole

__all__ = ["command"]

_MECHANISM = '''\
"""NAME: a mechanism by its output law.  Audit it: dpaudit check NAME.py:NAME"""

from fractions import Fraction

from dpaudit import finite_mechanism


# datasets: all that there are.  neighbours: which two are ("all", "one-entry",
# "histogram-substitution", ...), or a function of two.  budget: the ε that is stated, exactly.
@finite_mechanism(datasets=["yes", "no"], neighbours="all", budget="ln(3)")
def NAME(answer):
    """Randomised response: the truth with probability 3/4."""
    # Return the probability of every output, adding up to 1: fractions or texts, no rounded floats.
    other = "no" if answer == "yes" else "yes"
    return {answer: Fraction(3, 4), other: Fraction(1, 4)}
'''

_PROGRAM = '''\
"""NAME: a mechanism by its code.  Audit it: dpaudit check NAME.py:NAME"""

from fractions import Fraction

from dpaudit import program


# datasets: all that there are (or a function of n).  neighbours: a name, or a function of two.
# budget: what is stated, here the parameter eps (set it: --set eps=1/3).
@program(datasets=range(4), neighbours=lambda x, y: abs(x - y) == 1, budget="eps")
def NAME(true_count, random, eps=Fraction(1, 2)):
    """A count with geometric noise, kept between 0 and 3."""
    # Draw from ``random`` alone (laplace, discrete_laplace, choice, random, ...): every path that
    # the function can take is visited.  Code that draws from Python's own modules: --call.
    return max(0, min(3, true_count + random.discrete_laplace(1 / eps)))
'''

_CLAIM = '''\
"""NAME: a claim of a paper.  Decide it: dpaudit prove --from NAME.py NAME"""

from dpaudit.claims.claim import Claim
from dpaudit.claims.statement import forall

CLAIMS = [
    Claim(
        id="NAME",
        source="my paper, Lemma 1",
        statement="what the paper says, for people; it decides nothing",
        domain="where the paper says that it holds",
        # What is decided: variables with their sorts, their domain, and what holds.
        typed=forall("real t", "t > 0", "t < 1", holds="(t + t^2)/2 < t"),
    )
]
'''

_GATE = """\
# NAME: what has to stay private.  Check it: dpaudit gate --config NAME.toml
# Whatever is exceeded, undecided, unknown or too slow fails.  Call it dpaudit.toml, and
# `dpaudit gate` finds it.

time-cap = 600                # seconds, for each mechanism

[[mechanism]]
mechanism = "RR"              # a built-in name, "package.module:name" or "path/to/file.py:name"
budget = "4/5"                # ε, or ["4/5", "0.0005"] for (ε, δ); exact: "ln(3)" is allowed

[[mechanism]]
label = "the same at several sizes"
mechanism = "TruncatedGeometric"
n = "5..10"
parameters = { epsilon = "1/2" }
"""

_TEST_OF_MECHANISM = '''\
"""NAME keeps what it states; a failure names the pair of datasets and the output."""

from dpaudit.testing import assert_private

from NAME import NAME


def test_NAME_is_private():
    assert_private(NAME)
'''

_TEST_OF_COMMAND = '''\
"""WHAT."""

from pathlib import Path

from dpaudit.cli.main import invoke

HERE = Path(__file__).parent


def test_NAME():
    assert invoke([WORDS]) == 0
'''


def _test(what: str, words: str) -> str:
    return _TEST_OF_COMMAND.replace("WHAT", what).replace("WORDS", words)


_KINDS = {
    "mechanism": ("py", _MECHANISM, _TEST_OF_MECHANISM, "dpaudit check NAME.py:NAME"),
    "program": ("py", _PROGRAM, _TEST_OF_MECHANISM, "dpaudit check NAME.py:NAME"),
    "gate": (
        "toml",
        _GATE,
        _test(
            "Everything that NAME.toml lists keeps its budget",
            '"gate", "--config", str(HERE / "NAME.toml")',
        ),
        "dpaudit gate --config NAME.toml",
    ),
    "claim": (
        "py",
        _CLAIM,
        _test("The claim of NAME.py is proved", '"prove", "--from", str(HERE / "NAME.py"), "NAME"'),
        "dpaudit prove --from NAME.py NAME",
    ),
}
"""For each kind the ending of its file, the file, its test, and the command to go on with."""


@click.command(
    "new", epilog=epilogue(within="the files were written", exceeds=None, undecided=None)
)
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("name")
def command(kind: str, name: str) -> int:
    """Write NAME.py (of a gate NAME.toml) and test_NAME.py: commented files that work.

    Prints the command that gives the first verdict. Existing files are never overwritten.
    """
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise ParameterError(
            "name",
            f"{name!r} is not a valid name: use letters, digits and _, and begin with a letter",
        )
    ending, content, test, further = _KINDS[kind]
    files = {Path(f"{name}.{ending}"): content, Path(f"test_{name}.py"): test}
    for path in files:
        check_writable(path)
        if os.path.lexists(path):
            raise OutputError(path, "it already exists; give another name")
    for path, text in files.items():
        write_whole(path, text.replace("NAME", name).encode())
    click.echo(f"wrote {' and '.join(map(str, files))}")
    click.echo(f"next: {further.replace('NAME', name)}")
    click.echo(f"then: python -m pytest test_{name}.py")
    return 0
