"""Entries of the journal: text, signature and file.

    stepback/5f0c1c8e2b7a9d34
    stepback-erasure/1
    number 3
    previous AAECAwQF…
    {"id": "eras_…", …}

    — stepback/5f0c1c8e2b7a9d34 c0ffee…

Without a signing key the first line is `unsigned`, and the last is not there.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from apps.core import json
from apps.core.errors import DomainError
from apps.core.notes import keys, roots
from apps.core.notes.errors import KeyRefused, NoteError, NumberTaken
from apps.core.notes.folder import Folder
from apps.core.notes.signed import SEPARATOR, opened
from apps.erasures.errors import CertificateRefused

FORMAT = "stepback-erasure/1"
UNSIGNED = "unsigned"
NONE = "-"
HEADER_LINES = 4
NUMBER_LINE = 2
LONGEST_NUMBER = 18


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One entry, as it stands in its file, and what it says."""

    data: bytes
    number: int
    previous: str
    certificate: dict[str, Any]
    is_signed: bool


def folder() -> Folder:
    """Return the journal's folder, be it there or not."""
    return Folder(keys.erasures_path())


def is_there() -> bool:
    """Say whether there is a journal, with entries or without."""
    return folder().path.is_dir()


def make() -> None:
    """Make an empty journal, where there is none.

    Raises: DataFolderUnusable, OSError.
    """
    folder().make()


def appended(certificate: dict[str, Any]) -> Entry:
    """Append a certificate, durable when this returns; one of its id is answered.

    So whoever was killed behind it appends it no second time. Where keys are believed
    one has to sign: an entry that nobody believes would end the journal.

    Raises: CertificateRefused, KeyRefused, NumberTaken, OSError, DataFolderUnusable.
    """
    if keys.signing_key() is None and keys.verifier_keys():
        raise KeyRefused("This installation signs, and this process has no key.")
    last: Entry | None = None
    # What was appended before there was a key, this entry covers from now on.
    for one in entries(is_covering=True):
        if one.certificate["id"] == certificate["id"]:
            return one
        last = one
    number = 1 if last is None else last.number + 1
    previous = NONE
    if last is not None:
        previous = base64.b64encode(roots.digest(last.data)).decode()
    data = _written(number, previous, certificate)
    try:
        folder().write(number, data)
    except NumberTaken:
        # Another process was first: it may have been about the same.
        return appended(certificate)
    return opened_certificate(data)


def entries(*, is_covering: bool = False) -> Iterator[Entry]:
    """Yield what the journal says, from the first entry on.

    Where this installation signs, an entry without a signature is from before it did:
    a signed one has to come behind it, which names those before it by their digests.
    With `is_covering` the caller is about to append that one.

    Raises: OSError; CertificateRefused where one is missing, altered or out of its
    place.
    """
    place = folder()
    before: Entry | None = None
    covered = _first_signed(place) or (place.newest() + 1 if is_covering else 0)
    for number in range(1, place.newest() + 1):
        data = place.read(number)
        if data is None:
            raise CertificateRefused(f"Entry {number:,} of the journal is missing.")
        entry = read_entry(data) if number < covered else opened_certificate(data)
        expected = NONE
        if before is not None:
            expected = base64.b64encode(roots.digest(before.data)).decode()
        if (entry.number, entry.previous) != (number, expected):
            raise CertificateRefused(
                f"Entry {number:,} of the journal is not in its place."
            )
        yield entry
        before = entry


def newest() -> Entry | None:
    """Return the newest entry, whoever signed it; None where there is none.

    Raises: OSError, CertificateRefused.
    """
    place = folder()
    data = place.read(place.newest())
    return None if data is None else read_entry(data)


def _first_signed(place: Folder) -> int:
    """Return the number of the first entry that is signed; 0 where none is."""
    for number in range(1, place.newest() + 1):
        data = place.read(number)
        if data is not None and _is_signed(data):
            return number
    return 0


def read_entry(data: bytes) -> Entry:
    """Read an entry for what it says, whoever signed it.

    Raises: CertificateRefused.
    """
    return _parsed(data, data.rpartition(SEPARATOR)[0], _is_signed(data))


def opened_certificate(data: bytes) -> Entry:
    """Read an entry whose signature holds.

    Raises: CertificateRefused, KeyRefused.
    """
    known = keys.verifier_keys()
    is_signed = _is_signed(data)
    if not is_signed and known:
        raise CertificateRefused("It is not signed, and this installation signs.")
    try:
        text = opened(data, known) if is_signed else data.rpartition(SEPARATOR)[0]
    except NoteError as error:
        raise CertificateRefused(f"The certificate: {error}.") from error
    return _parsed(data, text, is_signed)


def number_of(data: bytes) -> int:
    """Return which entry this says it is, also where its signature does not hold.

    0 where it says none: whoever signs its digest is stopped by nothing that it says.
    """
    lines = data.split(b"\n", HEADER_LINES)
    said = lines[NUMBER_LINE] if len(lines) > NUMBER_LINE else b""
    number = said.removeprefix(b"number ")
    return int(number) if number.isdigit() and len(number) <= LONGEST_NUMBER else 0


def _is_signed(data: bytes) -> bool:
    return not data.startswith(UNSIGNED.encode() + b"\n")


def _parsed(data: bytes, text: bytes, is_signed: bool) -> Entry:
    try:
        lines = text.decode().split("\n")
        _, form, number, previous = lines[:HEADER_LINES]
        said = json.parse_written(lines[HEADER_LINES].encode())
        place = int(number.removeprefix("number "))
    except (ValueError, IndexError, DomainError) as error:
        raise CertificateRefused("It is no certificate of an erasure.") from error
    if form != FORMAT or not isinstance(said, dict):
        raise CertificateRefused("It is no certificate of an erasure.")
    return Entry(
        data=data,
        number=place,
        previous=previous.removeprefix("previous "),
        certificate=cast(dict[str, Any], said),
        is_signed=is_signed,
    )


def _written(number: int, previous: str, certificate: dict[str, Any]) -> bytes:
    key = keys.signing_key()
    lines = [
        UNSIGNED if key is None else key.verifier.name,
        FORMAT,
        f"number {number}",
        f"previous {previous}",
        json.dumps(certificate).decode(),
    ]
    text = "".join(f"{line}\n" for line in lines).encode()
    return text + b"\n" if key is None else key.sign(text)
