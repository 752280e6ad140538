"""Reports that tests change, sealed anew, and what a recheck says of them."""

import json
from pathlib import Path
from typing import Any

from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

__all__ = ["Document", "verdict"]

Document = dict[str, Any]


def verdict(folder: Path, document: Document, *, sealed: bool = True, **options: Any) -> str:
    """Return the verdict on a document, sealed anew if ``sealed``."""
    if sealed:
        document = {**document, "sha256": seal_of(document)}
    path = folder / "report.json"
    path.write_text(json.dumps(document, ensure_ascii=False))
    config = options.pop("config", None)
    return verify(path, requirements=Requirements(config=config), **options).verdict
