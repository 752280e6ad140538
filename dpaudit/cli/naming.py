"""Names of the files that a command writes when none is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.cli.run import Task

__all__ = ["plot_name"]


def plot_name(command: str, tasks: Sequence[Task]) -> str:
    """Return a file name, without ending, that says what was run: ``check-EHDS-n10-180``."""
    names = dict.fromkeys(re.sub(r"[^\w.+-]+", "_", task.mechanism.name) for task in tasks)
    mechanisms = "-".join(names)[:100]
    first = min(task.sizes[0] for task in tasks)
    last = max(task.sizes[-1] for task in tasks)
    sizes = f"n{first}" if first == last else f"n{first}-{last}"
    return f"{command}-{mechanisms}-{sizes}"
