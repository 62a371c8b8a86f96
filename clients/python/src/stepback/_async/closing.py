"""What lets go of its connections at the end of a `with`."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class AsyncClosing:
    """Closed on the way out, whatever happened."""

    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
