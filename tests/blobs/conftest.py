"""A store of this test's own, and a client that uploads into it."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apps.blobs import places
from tests.conftest import Answer, Api
from tests.timeline.conftest import begin as begin

Uploads = Callable[..., str]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put(client: Api, data: bytes, digest: str | None = None) -> Answer:
    """Send bytes, as what has their SHA-256 unless another is said."""
    return client.put(f"/v1/blobs/{digest or sha256(data)}", data)


def upload(client: Api, data: bytes) -> str:
    answer = put(client, data)
    assert answer.status in (200, 201), answer.content
    return sha256(data)


def file(path: str, *chunks: bytes, **said: Any) -> dict[str, Any]:
    """Return a file as a version's `artifacts` names it."""
    named = [{"sha256": sha256(one), "size": len(one)} for one in chunks]
    return {"path": path, "chunks": named} | said


def objects_in(store: Path) -> list[str]:
    """Return the names of the objects that there are."""
    found = (one for one in store.rglob("*") if one.is_file())
    return sorted(str(one.relative_to(store)) for one in found)


def cleared() -> None:
    """Forget the stores that were opened."""
    places._opened.cache_clear()
