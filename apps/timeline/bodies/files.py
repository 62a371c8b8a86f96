"""Files as the part `artifacts` names them: a path, and chunks by their SHA-256.

An object with `chunks` is a file and held to the rules here; whatever else stands in
the list is data as it was sent, such as `{"image": "name@sha256:…"}`. A result of a
tool that is an object of `ref` and `digest` alone is kept as a blob of that digest.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.blobs.digests import is_digest
from apps.core import json
from apps.core.errors import UnacceptableJson
from apps.core.json import Json

MOST_FILES = 10_000
MOST_BYTES = 64 * 1024**3
MOST_CHUNK_BYTES = 8 * 1024 * 1024
LONGEST_PATH = 1_024
LONGEST_MEDIA_TYPE = 255
LONGEST_CAPTION = 1_000
MOST_MODE = 0o777
_FIELDS = {"path", "mode", "size", "media_type", "caption", "chunks"}
_CHUNK = {"sha256", "size"}
_REFERENCE = {"ref", "digest"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of a file that are one blob."""

    digest: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """One file of a version; all but the chunks is data of callers."""

    path: str
    mode: int | None
    media_type: str | None
    caption: str | None
    chunks: tuple[Chunk, ...]

    @property
    def size(self) -> int:
        return sum(one.size for one in self.chunks)


def check(artifacts: list[Json]) -> None:
    """Hold the files among artifacts to their rules.

    Raises: UnacceptableJson with the place.
    """
    seen: dict[str, int] = {}
    total, count = 0, 0
    for place, value in enumerate(artifacts):
        if isinstance(value, dict) and "chunks" in value:
            at = f"/artifacts/{place}"
            total += _size_of(value, at)
            count += 1
            _require_apart(seen, str(value["path"]), place)
            if count > MOST_FILES or total > MOST_BYTES:
                raise UnacceptableJson(
                    f"A version has at most {MOST_FILES:,} files, together 64 GiB.",
                    param=at,
                )
    _require_no_folder(seen)


def files_of(data: bytes) -> list[File]:
    """Return the files that a stored part `artifacts` names.

    What has `chunks` and breaks the rules was kept before there were files: it is data.
    """
    return [_file(one) for one in json.parse_written(data) if is_file(one)]


def chunks_of(parts: Iterable[Any]) -> dict[str, int | None]:
    """Return the digests that parts name, and how large callers say that each is.

    Most parts name none, which is seen without parsing them.
    """
    found: dict[str, int | None] = {}
    for part in parts:
        if part.name == "artifacts" and b'"chunks"' in part.data:
            for file in files_of(part.data):
                found.update((one.digest, one.size) for one in file.chunks)
        elif part.name == "tool_results" and b'"digest"' in part.data:
            for digest in _references(json.parse_written(part.data)):
                found.setdefault(digest, None)
    return found


def _references(results: Mapping[str, Json]) -> Iterator[str]:
    for value in results.values():
        if isinstance(value, dict) and value.keys() == _REFERENCE:
            ref, digest = value["ref"], value["digest"]
            if isinstance(ref, str) and is_digest(digest):
                yield str(digest)


def is_file(value: Any) -> bool:
    """Say whether what stands among artifacts is a file; all else is data."""
    if not isinstance(value, dict) or "chunks" not in value:
        return False
    try:
        _size_of(value, "")
    except UnacceptableJson:
        return False
    return True


def _file(value: Any) -> File:
    return File(
        path=value["path"],
        mode=value.get("mode"),
        media_type=value.get("media_type"),
        caption=value.get("caption"),
        chunks=tuple(Chunk(one["sha256"], one["size"]) for one in value["chunks"]),
    )


def _size_of(value: dict[str, Json], at: str) -> int:
    """Return the bytes of a file that is as it has to be.

    Raises: UnacceptableJson.
    """
    if unknown := sorted(value.keys() - _FIELDS):
        raise UnacceptableJson("A file has no such field.", param=f"{at}/{unknown[0]}")
    _require_path(value.get("path"), f"{at}/path")
    _require_text(value.get("media_type"), LONGEST_MEDIA_TYPE, f"{at}/media_type")
    _require_text(value.get("caption"), LONGEST_CAPTION, f"{at}/caption")
    if not _is_number(value.get("mode", 0) or 0, 0, MOST_MODE):
        raise UnacceptableJson(
            f"A mode is 0 to {MOST_MODE}, the nine bits of its rights.",
            param=f"{at}/mode",
        )
    size = _size_of_chunks(value["chunks"], f"{at}/chunks")
    said = value.get("size")
    if said is not None and (type(said) is not int or said != size):
        raise UnacceptableJson(
            f"The chunks have {size:,} bytes together.", param=f"{at}/size"
        )
    return size


def _size_of_chunks(chunks: Json, at: str) -> int:
    if not isinstance(chunks, list):
        raise UnacceptableJson("Chunks are a list.", param=at)
    total = 0
    for place, chunk in enumerate(chunks):
        if not isinstance(chunk, dict) or chunk.keys() != _CHUNK:
            raise UnacceptableJson(
                "A chunk is an object of sha256 and size.", param=f"{at}/{place}"
            )
        if not is_digest(chunk["sha256"]):
            raise UnacceptableJson(
                "A SHA-256 has 64 characters, 0 to 9 and a to f.",
                param=f"{at}/{place}/sha256",
            )
        if not _is_number(chunk["size"], 1, MOST_CHUNK_BYTES):
            raise UnacceptableJson(
                f"A chunk has 1 to {MOST_CHUNK_BYTES:,} bytes.",
                param=f"{at}/{place}/size",
            )
        total += int(str(chunk["size"]))
    return total


def _require_path(path: Json, at: str) -> None:
    """Refuse what leads out of a folder, or to another place on another system.

    Raises: UnacceptableJson.
    """
    if not isinstance(path, str) or not path:
        raise UnacceptableJson("A file has a path.", param=at)
    if any("\ud800" <= one <= "\udfff" for one in path):
        raise UnacceptableJson("A path is a text that UTF-8 can write.", param=at)
    if len(path.encode()) > LONGEST_PATH:
        raise UnacceptableJson(f"A path has at most {LONGEST_PATH:,} bytes.", param=at)
    if "\0" in path or "\\" in path:
        raise UnacceptableJson("A path has no U+0000 and no backslash.", param=at)
    if any(one in ("", ".", "..") for one in path.split("/")):
        raise UnacceptableJson(
            "A path is relative, without empty parts, . and ..", param=at
        )


def _require_text(value: Json, longest: int, at: str) -> None:
    if value is not None and (not isinstance(value, str) or len(value) > longest):
        raise UnacceptableJson(
            f"This is a text of at most {longest:,} characters.", param=at
        )


def _require_apart(seen: dict[str, int], path: str, place: int) -> None:
    """Refuse two paths that are one file where case or form do not count."""
    first = seen.setdefault(_folded(path), place)
    if first != place:
        raise UnacceptableJson(
            f"Differs from the path of /artifacts/{first} in case or form alone.",
            param=f"/artifacts/{place}/path",
        )


def _require_no_folder(seen: Mapping[str, int]) -> None:
    """Refuse a file that is the folder of another one."""
    for path, place in seen.items():
        above = path.rpartition("/")[0]
        while above:
            if above in seen:
                raise UnacceptableJson(
                    f"This is in a folder that is the file /artifacts/{seen[above]}.",
                    param=f"/artifacts/{place}/path",
                )
            above = above.rpartition("/")[0]


def _folded(path: str) -> str:
    unified = unicodedata.normalize("NFD", path).casefold()
    return unicodedata.normalize("NFC", unified)


def _is_number(value: Json, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most
