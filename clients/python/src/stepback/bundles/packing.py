"""A bundle as one file: a zip of a few known members, under a seal.

The seal is the archive's comment: the digest of every byte before it. Nothing is ever
unpacked: members are read into memory, each up to a size, once all of them are fine.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

FORMAT = "stepback-bundle/1"
MANIFEST, TRAJECTORY, CHECKS, REPRO = (
    *("manifest.json", "trajectory.jsonl"),
    *("checks.json", "repro.md"),
)
MEBIBYTE = 1 << 20
LARGEST_FILE = 256 * MEBIBYTE
# How large each member may be once it is read.
MEMBERS = {
    MANIFEST: MEBIBYTE,
    TRAJECTORY: 512 * MEBIBYTE,
    CHECKS: MEBIBYTE,
    REPRO: MEBIBYTE,
}
# Bundles of one content are one file.
NEVER = (1980, 1, 1, 0, 0, 0)
_SEAL = f"{FORMAT} sha256 ".encode()
_SEAL_LENGTH = len(_SEAL) + 64
_ENCRYPTED = 1
_BROKEN = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


class BundleRefused(ValueError):
    """A file is no bundle, or not as it was written."""


def pack(members: Mapping[str, bytes], about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a bundle; its manifest is made of the members."""
    files = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
    }
    manifest = {"format": FORMAT, **about, "files": files}
    written = {MANIFEST: json.dumps(manifest, indent=1).encode() + b"\n", **members}
    return sealed(written)


def sealed(members: Mapping[str, bytes]) -> bytes:
    """Return the bytes of an archive under its seal."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = ZipInfo(name, NEVER)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data)
        archive.comment = bytes(_SEAL_LENGTH)
    return seal(packed.getvalue()[:-_SEAL_LENGTH])


def seal(content: bytes) -> bytes:
    """Return an archive that lacks its comment with the seal as its comment."""
    return content + _SEAL + hashlib.sha256(content).hexdigest().encode()


def unpack(path: Path) -> dict[str, bytes]:
    """Return the members of a bundle, once it is known that they are what they were.

    Raises: BundleRefused, OSError.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise BundleRefused(f"{path} has more than {LARGEST_FILE // MEBIBYTE} MiB.")
    data = path.read_bytes()
    _require_seal(data, path)
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            members = _members(archive, path)
    except _BROKEN as error:
        raise BundleRefused(f"{path} is no archive: {error}") from error
    _require_manifest(members, path)
    return members


def _require_seal(data: bytes, path: Path) -> None:
    """Raises: BundleRefused for what was cut, or changed in any byte."""
    content, ends = data[:-_SEAL_LENGTH], data[-_SEAL_LENGTH:]
    if not ends.startswith(_SEAL):
        raise BundleRefused(
            f"{path} does not end as a {FORMAT}: it was cut, or is none."
        )
    if data != seal(content):
        raise BundleRefused(f"{path} was changed after it was written.")


def _members(archive: ZipFile, path: Path) -> dict[str, bytes]:
    """Raises: BundleRefused, before any member is read."""
    names = set()
    for info in archive.infolist():
        _require_plain(info, path)
        if info.filename in names:
            raise BundleRefused(f"{path} has {info.filename} twice.")
        names.add(info.filename)
    missing = MEMBERS.keys() - names
    if missing:
        raise BundleRefused(f"{path} lacks {', '.join(sorted(missing))}.")
    found = {}
    for name, largest in MEMBERS.items():
        with archive.open(name) as member:
            found[name] = member.read(largest + 1)
        if len(found[name]) > largest:
            raise BundleRefused(f"{name} in {path} is larger than a bundle has it.")
    return found


def _require_plain(info: ZipInfo, path: Path) -> None:
    """Raises: BundleRefused."""
    name = info.orig_filename
    said = json.dumps(name[:100])
    if _leads_out(name):
        raise BundleRefused(f"{path} has {said}, which leads out of its folder.")
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise BundleRefused(f"{path} has {said}, which is a link or no file.")
    if name not in MEMBERS:
        raise BundleRefused(f"{path} has {said}, which no bundle has.")
    if info.flag_bits & _ENCRYPTED:
        raise BundleRefused(f"{path} has {said}, which is encrypted.")
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BundleRefused(f"{path} has {said}, packed in a way that no bundle is.")
    if info.file_size > MEMBERS[name]:
        raise BundleRefused(f"{path} has {said}, larger than a bundle has it.")


def _leads_out(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in name


def _require_manifest(members: Mapping[str, bytes], path: Path) -> None:
    """Raises: BundleRefused where a member is not what the manifest says."""
    try:
        manifest = json.loads(members[MANIFEST])
        files = manifest["files"]
        said = {name: (files[name]["bytes"], files[name]["sha256"]) for name in files}
        is_ours = manifest["format"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BundleRefused(f"{path} has no manifest that can be read.") from None
    found = {
        name: (len(data), hashlib.sha256(data).hexdigest())
        for name, data in members.items()
        if name != MANIFEST
    }
    if not is_ours or said != found:
        raise BundleRefused(f"{path} is not what its manifest says.")
