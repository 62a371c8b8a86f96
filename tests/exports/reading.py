"""Exports as their readers have them: asked for, made, downloaded, held to their
digest, and taken apart."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from tests.conftest import Api

EXPORTS = "/v1/exports"
Sweep = Callable[[], None]
Entries = dict[str, bytes]


def made(admin: Api, sweep: Sweep, kind: str = "trajectories", **said: Any) -> Any:
    """Have an export made, and return it as it is told then."""
    asked = admin.post(EXPORTS, {"kind": kind} | said)
    assert (asked.status, asked.body["state"]) == (202, "making"), asked.content
    for _ in range(50):
        sweep()
        export = admin.get(f"{EXPORTS}/{asked.body['id']}").body
        if export["state"] != "making":
            break
    assert export["state"] == "ready", export
    return export


def file(admin: Api, export: Any) -> bytes:
    """Download a file, and hold it against what was told of it."""
    answer = admin.get(f"{EXPORTS}/{export['id']}/file")
    assert answer.status == 200
    assert len(answer.content) == export["bytes"]
    assert hashlib.sha256(answer.content).hexdigest() == export["sha256"]
    return bytes(answer.content)


def entries(admin: Api, export: Any) -> Entries:
    """Return what is in an archive, by its names, once nothing of it is damaged."""
    with zipfile.ZipFile(io.BytesIO(file(admin, export))) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(names) == len(set(names))
        return {name: archive.read(name) for name in names}


def objects(found: Entries, prefix: str) -> list[dict[str, Any]]:
    """Return the objects of the entries below a prefix, in order."""
    lines = b"\n".join(found[name] for name in sorted(found) if name.startswith(prefix))
    return [json.loads(one) for one in lines.splitlines() if one]


def left_out(export: Any) -> dict[str, int]:
    return {one["reason"]: one["count"] for one in export["left_out"]}
