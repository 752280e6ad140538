"""Shell completion: claims by their ids, and files wherever an option takes one."""

from __future__ import annotations

from contextlib import suppress

import click
from click.shell_completion import CompletionItem

__all__ = ["complete_claim", "with_files"]

_FILES = ("FILE", "[FILE]", "FILE.py", "REPORT", "FORM=FILE")
_FOLDERS = ("DIR", "FOLDER")


class _Place(click.types.StringParamType):
    """A text that names a file or a folder; nothing but completion looks at it."""

    def __init__(self, kind: str) -> None:
        """Take ``file`` or ``dir``."""
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows its files."""
        return [CompletionItem(incomplete, type=self.kind)]


def with_files(command: click.Command) -> click.Command:
    """Return a command whose options that take files, or folders, complete to them."""
    for parameter in command.params:
        metavar = parameter.metavar or str(parameter.name).upper()
        if parameter.type is click.STRING and metavar in (*_FILES, *_FOLDERS):
            parameter.type = _Place("dir" if metavar in _FOLDERS else "file")
    return command


def complete_claim(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of recorded claims that begin with ``incomplete``, importing no claim."""
    # Loaded here: nothing but completion needs them, and every command loads this module.
    from importlib.metadata import entry_points
    from importlib.util import find_spec
    from json import loads
    from pathlib import Path

    ids: set[str] = set()
    for point in entry_points(group="dpaudit.claims"):
        with suppress(OSError, ValueError, ImportError, TypeError, AttributeError):
            spec = find_spec(point.module.partition(".")[0])
            places = spec.submodule_search_locations if spec is not None else None
            for place in places or ():
                text = (Path(place) / "ledger.json").read_text()
                ids |= {str(claim["id"]) for claim in loads(text)["claims"]}
    return [CompletionItem(claim) for claim in sorted(ids) if claim.startswith(incomplete)]
