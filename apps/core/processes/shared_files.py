"""A file that the processes of one server share, named to them by the environment."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def shared_file(variable: str, content: bytes) -> Iterator[None]:
    """Make the file and name it in `variable` to the processes started inside."""
    with tempfile.TemporaryDirectory(prefix="stepback-shared-") as folder:
        path = Path(folder) / "shared"
        path.write_bytes(content)
        os.environ[variable] = str(path)
        try:
            yield
        finally:
            del os.environ[variable]
