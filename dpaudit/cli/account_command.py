"""``dpaudit account``: the certified δ(ε) beside dp-accounting's estimates."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli import options
from dpaudit.cli.destination import write_report
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import contained_one, quietly
from dpaudit.cli.parameter_options import CommandWithParameters, parameter_options
from dpaudit.cli.reading import given_parameters
from dpaudit.errors import DomainError, ParameterError, SizeError
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, real

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real

__all__ = ["command", "read_grid"]

_MANY = 10_000
_DEFAULT_MULTIPLES = [Fraction(part, 4) for part in (0, 1, 2, 3, 4)]


@click.command(
    "account",
    cls=CommandWithParameters,
    epilog=epilogue(
        within="everything was computed; there is no verdict",
        exceeds=None,
        undecided="what can be certified is not all here: a line says why; or not finished in time",
        interrupted="interrupted",
    ),
)
@options.with_options(
    click.argument("mechanism", shell_complete=options.complete_mechanism),
    click.option("--n", "size", metavar="N", required=True, help="The size."),
    click.option("--k", type=int, help="Categories; without --prior, a flat prior over them."),
    parameter_options(several_of=()),
    options.SETTINGS,
    click.option(
        "--epsilon-grid",
        "grid",
        metavar="LIST",
        help="The ε to compare at: numbers and FIRST..LAST..STEP, joined by commas; default: 0, "
        "1/4, 1/2, 3/4 and 1 times the stated ε, times the number of runs.",
    ),
    click.option(
        "--compose",
        metavar="K",
        default="1",
        show_default=True,
        help="How many runs on the same data.",
    ),
    click.option(
        "--discretisation",
        metavar="STEP",
        default="1e-4",
        show_default=True,
        help="The step of dp-accounting's grid of losses.",
    ),
    click.option(
        "--estimates/--no-estimates",
        default=True,
        help="Whether dp-accounting is asked; without, it need not be installed.",
    ),
    options.at_option(),
    options.ADJACENCY,
    options.digits_option(30, of="Certified intervals"),
    options.form_option(),
    click.option("--json", "as_json", is_flag=True, help="Short for --format json."),
    click.option("--csv", "as_csv", is_flag=True, help="Short for --format csv."),
    options.OUTPUT_FILE,
    options.time_cap_option(),
    options.memory_cap_option(),
)
@contained_one
def command(mechanism: str, **given: Any) -> int:
    """Compare the certified δ(ε) of MECHANISM with dp-accounting's estimates, ε by ε.

    MECHANISM is a built-in name, module:name or path.py:name. The certified interval is over every
    pair of neighbouring datasets, of one run or exactly composed. The estimates are dp-accounting's
    for the worst pair, rounded up (pessimistic) and down (optimistic), and its pessimistic one for
    the dominating pair, which alone covers adaptive composition. Estimates below the certified
    interval are flagged; there is no verdict. What cannot be said, as the exact δ of too many runs,
    leaves the rest standing, and a line says why.
    """
    from dpaudit.accounting.comparison import account
    from dpaudit.accounting.report import render_account
    from dpaudit.report.files import check_writable

    form = _form(given)
    chosen: dict[str, object] = {**given_parameters(given)}
    if given["k"] is not None:
        chosen["k"] = given["k"]
    with quietly():
        subject = load_mechanism(mechanism, chosen)
    compose = _whole("compose", given["compose"])
    epsilons = read_grid(given["grid"]) if given["grid"] else _default_grid(subject, compose)
    output = None if given["output"] is None else Path(given["output"])
    if output is not None:
        check_writable(output)
    with quietly():
        found = account(
            subject,
            _size(given["size"]),
            epsilons,
            compose=compose,
            **{
                name: given[name]
                for name in ("discretisation", "adjacency", "at", "digits", "estimates")
            },
        )
        report = render_account(found, form)
    write_report(report, output)
    return Exit.WITHIN if found.complete else Exit.UNDECIDED


def _form(given: dict[str, Any]) -> str:
    wanted = {name for name in ("json", "csv") if given[f"as_{name}"]}
    if given["form"] != "text":
        wanted.add(given["form"])
    if len(wanted) > 1:
        raise ParameterError("format", f"{' and '.join(sorted(wanted))}: only one form is written")
    return wanted.pop() if wanted else "text"


def _whole(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise ParameterError(name, f"{name} = {text}: must be a whole number of at least 1")
    return int(text)


def _size(text: str) -> int:
    try:
        return _whole("n", text)
    except ParameterError:
        raise SizeError(f"n = {text}: must be one whole number of at least 1") from None


def _default_grid(subject: Mechanism[Any], compose: int) -> list[Real]:
    if subject.stated is None and not hasattr(subject, "epsilon"):
        raise ParameterError(
            "epsilon-grid", f"{subject.name} states no ε; give --epsilon-grid, as 0..1..1/4"
        )
    return [subject.nominal.epsilon * real(part * compose) for part in _DEFAULT_MULTIPLES]


def read_grid(text: str) -> list[Real]:
    """Return the ε of a list such as ``0..1..1/4,ln(3)``; ``UsageError`` for nonsense.

    >>> print(*read_grid("0..1..1/4,ln(3)"))
    0 1/4 1/2 3/4 1 ln(3)
    """
    found: list[Real] = []
    for part in text.split(","):
        ends = part.split("..")
        if len(ends) == 1:
            found.append(read_number(part, "epsilon-grid"))
        elif len(ends) == 3:
            found += _range(part, [_fraction(end) for end in ends])
        else:
            raise ParameterError(
                "epsilon-grid", f"epsilon-grid = {part}: a range is FIRST..LAST..STEP"
            )
    for epsilon in found:
        if order(epsilon, real(0)) is Sign.NEGATIVE:
            raise DomainError("epsilon-grid", epsilon, "must be at least 0")
    return found


def _fraction(text: str) -> Fraction:
    value = read_number(text, "epsilon-grid").as_fraction()
    if value is None:
        raise ParameterError("epsilon-grid", f"epsilon-grid = {text}: a range is of rationals")
    return value


def _range(part: str, ends: list[Fraction]) -> list[Real]:
    first, last, step = ends
    if step <= 0 or last < first or (last - first) / step >= _MANY:
        raise ParameterError(
            "epsilon-grid",
            f"epsilon-grid = {part}: needs FIRST ≤ LAST, STEP > 0 and fewer than {_MANY} values",
        )
    return [real(first + index * step) for index in range(int((last - first) / step) + 1)]
