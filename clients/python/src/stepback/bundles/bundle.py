"""A bundle as it is read: a recorded run, and the checks that decide its replay."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepback.bundles import packing
from stepback.bundles.lines import Damaged, Lines
from stepback.bundles.packing import BundleRefused
from stepback.bundles.record import Record, record_of
from stepback.bundles.repro import repro
from stepback.checks import CheckRefused, read_text


@dataclass(frozen=True, slots=True)
class Bundle:
    """One recorded session that can be replayed."""

    record: Record
    checks: tuple[str, ...]
    trailer: Mapping[str, Any]
    # Of the whole file, to be compared with what its maker was told.
    sha256: str


def read_bundle(path: str | os.PathLike[str], sha256: str | None = None) -> Bundle:
    """Read a bundle; nothing is written, and nothing of it is run.

    Raises: BundleRefused for one that was cut or altered, that is not the one of this
    digest, or that holds what no bundle does; OSError.
    """
    place = Path(path)
    members = packing.unpack(place)
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    if sha256 is not None and digest != sha256.lower():
        raise BundleRefused(f"{place} has the digest {digest}, not {sha256.lower()}.")
    record, trailer = _record(members[packing.TRAJECTORY], place)
    return Bundle(record, _checks(members[packing.CHECKS], place), trailer, digest)


def make_bundle(trajectory: bytes, checks: Sequence[str] = ()) -> bytes:
    """Return the file of what the server told of a session.

    Raises: BundleRefused, stepback.checks.CheckRefused.
    """
    for text in checks:
        read_text(text)
    record, trailer = _record(trajectory, "What the server answered")
    session = record.session
    about = {
        "session_id": session.get("id"),
        "version": session.get("version"),
        "masked": record.masked,
    }
    members = {
        packing.TRAJECTORY: trajectory,
        packing.CHECKS: json.dumps([*checks], ensure_ascii=False).encode() + b"\n",
        packing.REPRO: repro(record, checks, trailer).encode(),
    }
    return packing.pack(members, about)


def _record(data: bytes, name: object) -> tuple[Record, Mapping[str, Any]]:
    """Raises: BundleRefused."""
    lines = Lines(data.splitlines(keepends=True), name)
    try:
        record = record_of(lines.read())
    except Damaged as error:
        raise BundleRefused(str(error)) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BundleRefused(f"{name} tells of no session: {error!r}.") from error
    if not record.states:
        raise BundleRefused(f"{name} has no state to begin with.")
    return record, lines.trailer


def _checks(data: bytes, place: Path) -> tuple[str, ...]:
    """Raises: BundleRefused."""
    try:
        found = json.loads(data)
        for text in found:
            read_text(text)
    except CheckRefused as error:
        raise BundleRefused(f"A check in {place}: {error.sentence}") from error
    except (ValueError, TypeError, RecursionError):
        raise BundleRefused(f"{place} has checks that cannot be read.") from None
    return tuple(found)
