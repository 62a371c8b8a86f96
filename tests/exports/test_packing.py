"""Zip files that are written by steps, read back by another program's reader."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

from apps.exports.making.packing import ended, packed

AT = datetime(2026, 11, 27, tzinfo=UTC)


def test_entries_of_several_steps_are_one_file() -> None:
    steps = [[("a.txt", b"a" * 5_000), ("ä/b", b"")], [], [("c", b"\0\xff")]]
    data, directory, count = b"", b"", 0
    for entries in steps:
        more, listed = packed(entries, start=len(data), at=AT)
        data, directory, count = data + more, directory + listed, count + len(entries)
    data += ended(directory, count=count, start=len(data))

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name) for name in archive.namelist()}
        assert archive.infolist()[0].date_time == (2026, 11, 27, 0, 0, 0)
    assert found == {"a.txt": b"a" * 5_000, "ä/b": b"", "c": b"\0\xff"}
    assert len(data) < 1_000


def test_a_file_of_no_entries_is_one_too() -> None:
    with zipfile.ZipFile(io.BytesIO(ended(b"", count=0, start=0))) as archive:
        assert archive.namelist() == []
