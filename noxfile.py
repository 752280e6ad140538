"""Tasks of contributors, each by its name: ``.venv/bin/nox -s quick``; ``nox --list`` shows them.

Every task runs in the environment that nox itself is in, so that nothing is installed twice.  Words
after ``--`` go to the command: ``nox -s tests -- tests/laws``.
"""

import sys

import nox

__all__ = ["bench", "campaign", "docs", "golden", "lint", "quick", "tests", "types"]

nox.needs_version = ">=2024.3"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["quick", "lint", "types"]

PYTEST = (sys.executable, "-m", "pytest", "--quiet", "-n", "auto")


@nox.session
def quick(session: nox.Session) -> None:
    """Run the tests of the inner loop, in less than a minute."""
    session.run(*PYTEST, "-m", "quick", *(session.posargs or ["tests"]))


@nox.session
def tests(session: nox.Session) -> None:
    """Run the suite."""
    session.run(*PYTEST, *session.posargs)


@nox.session
def campaign(session: nox.Session) -> None:
    """Run the cases that the suite leaves out."""
    session.run(*PYTEST, "-m", "campaign", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style of the code and its format, and change nothing."""
    session.run(sys.executable, "-m", "ruff", "check", *(session.posargs or ["."]))
    session.run(sys.executable, "-m", "ruff", "format", "--check", *(session.posargs or ["."]))


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package, the proofs and the tests."""
    session.run(sys.executable, "-m", "mypy", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation as a site, in the folder site."""
    session.run(sys.executable, "-m", "mkdocs", "build", *session.posargs)


@nox.session
def golden(session: nox.Session) -> None:
    """Compare every recorded command line with what it says now."""
    session.run(*PYTEST, "tests/golden", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks and print their tables; -- --tiny for sizes that tell nothing."""
    session.run(sys.executable, "-m", "tests.benchmarks", *session.posargs)
