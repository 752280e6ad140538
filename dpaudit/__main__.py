"""``python -m dpaudit``."""

from dpaudit.cli.main import run

run()
