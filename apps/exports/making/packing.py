"""Write a zip file by steps: entries of one step, and what a step later names them by.

The library writes each step's entries as a file of its own that begins where the file
has got to. Its list of entries is cut off and kept; all of them together end the file.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from datetime import datetime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

END = struct.Struct("<4s4H2LH")
END_SIGNATURE = b"PK\x05\x06"
# What the end of a zip file can count.
MOST_ENTRIES = 65_535


class _Placed(io.BytesIO):
    """A file of which the beginning is elsewhere: positions count from there."""

    def __init__(self, start: int) -> None:
        super().__init__()
        self._start = start

    def tell(self) -> int:
        return super().tell() + self._start

    def seek(self, position: int, whence: int = 0, /) -> int:
        if whence == 0:
            position -= self._start
        return super().seek(position, whence) + self._start


def packed(
    entries: Sequence[tuple[str, bytes]], *, start: int, at: datetime
) -> tuple[bytes, bytes]:
    """Return the bytes of entries that begin at `start`, and their list."""
    file = _Placed(start)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, data in entries:
            info = ZipInfo(name, date_time=at.timetuple()[:6])
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, data)
        listed_at = archive.start_dir - start
    whole = file.getvalue()
    return whole[:listed_at], whole[listed_at : -END.size]


def ended(directory: bytes, *, count: int, start: int) -> bytes:
    """Return what ends a file of so many entries, whose list begins at `start`."""
    end = END.pack(END_SIGNATURE, 0, 0, count, count, len(directory), start, 0)
    return directory + end
