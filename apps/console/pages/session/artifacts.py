"""What stands beside a version's state: its files, and what else was named there."""

from __future__ import annotations

from typing import Any

from apps.console.pages.session import change_table
from apps.core.json import Json
from apps.diffs.text import visible
from apps.timeline.queries import files_shown, is_file
from apps.timeline.versions import VersionRow

ITEMS = 100
# Shown in small where they say to be one of these; what they are, their bytes decide.
IMAGES = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def artifacts(version: VersionRow, named: list[Json]) -> dict[str, Any]:
    """Return the files of a version, with where each is, and all else as it stands."""
    files = files_shown(version)
    others = [one for one in named if not is_file(one)]
    return {
        "files": [
            {
                "path": one.path,
                "name": visible(one.path),
                "size": one.size,
                "caption": visible(one.caption or ""),
                "is_image": one.media_type in IMAGES,
            }
            for one in files[:ITEMS]
        ],
        "n_files": len(files),
        "artifacts": [change_table.written(one) for one in others[:ITEMS]],
    }
