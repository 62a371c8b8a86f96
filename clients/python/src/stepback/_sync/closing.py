# Written by make_sync.py from _async/closing.py: do not edit.
"""What lets go of its connections at the end of a `with`."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Closed on the way out, whatever happened."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
