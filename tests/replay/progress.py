"""Says on a stream how far a long piece of work is.

A terminal sees one line that moves; a log gets a line every few seconds.
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

TERMINAL_SECONDS = 0.1
LOG_SECONDS = 5.0


class Progress:
    """Counts items of `what` up to `total`; the last one is always told."""

    def __init__(self, what: str, total: int, stream: TextIO | None = None) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self.stream = sys.stderr if stream is None else stream
        self.moves = self.stream.isatty()
        self.every = TERMINAL_SECONDS if self.moves else LOG_SECONDS
        self.started = self.told = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def advance(self) -> None:
        self.done += 1
        is_last = self.done == self.total
        if is_last or time.monotonic() - self.told >= self.every:
            self._tell(is_last)

    def _tell(self, is_last: bool) -> None:
        self.told = time.monotonic()
        line = f"{self.what} {self.done:,} of {self.total:,} runs, {self.seconds:.0f} s"
        if self.moves:
            self.stream.write(f"\r{line}" + ("\n" if is_last else ""))
        else:
            self.stream.write(f"{line}\n")
        self.stream.flush()
