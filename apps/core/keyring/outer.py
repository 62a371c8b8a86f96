"""Key-encryption keys, kept outside the database: a file, or a variable.

`STEPBACK_KEYS` is `file:PATH` or `env:NAME`; what stands there has one key a line, an
id and 32 bytes in base64. The first one wraps, the others open what they wrapped. It is
read each time a key is unwrapped and kept nowhere, so who takes it away has taken it.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from apps.core.keyring.errors import KeysRefused, KeysUnavailable

KEY_BYTES = 32
NONCE_BYTES = 12
LARGEST_FILE = 64 * 1024
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_LINE = "one line each: an id of letters, digits, `.`, `_`, `-`, and 32 bytes in base64"


@dataclass(frozen=True, slots=True)
class OuterKeys:
    """The key-encryption keys by their ids; the first is the one that wraps."""

    by_id: Mapping[str, bytes]

    @property
    def current(self) -> str:
        """Return the id of the key that wraps."""
        return next(iter(self.by_id))

    def wrap(self, key: bytes, *, purpose: bytes) -> bytes:
        """Return the key as only the current key-encryption key opens it."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        outer = AESGCM(self.by_id[self.current])
        return nonce + outer.encrypt(nonce, key, purpose)

    def unwrap(self, wrapped: bytes, *, outer_id: str, purpose: bytes) -> bytes:
        """Return what the key of that id has wrapped.

        Raises: KeysUnavailable, naming the id.
        """
        outer = self.by_id.get(outer_id)
        if outer is None:
            raise KeysUnavailable(f"STEPBACK_KEYS has no key {outer_id}.")
        nonce, sealed = wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:]
        try:
            return AESGCM(outer).decrypt(nonce, sealed, purpose)
        except InvalidTag:
            raise KeysUnavailable(
                f"The key {outer_id} of STEPBACK_KEYS does not open what it wrapped: "
                "it is another key under the same id, or what is stored was changed."
            ) from None


def outer_keys() -> OuterKeys:
    """Return the key-encryption keys, read now.

    Raises: KeysUnavailable where they cannot be had.
    """
    try:
        return parse(_text(settings.KEYS))
    except KeysRefused as refused:
        raise KeysUnavailable(str(refused)) from refused


def parse(text: str) -> OuterKeys:
    """Return the keys that a text has, one a line; `#` begins a comment.

    Raises: KeysRefused, which never repeats what might be a key.
    """
    found: dict[str, bytes] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key_id, key = _key(line, number)
        if key_id in found:
            raise KeysRefused(f"STEPBACK_KEYS, line {number}: there are two {key_id}.")
        found[key_id] = key
    if not found:
        raise KeysRefused(f"STEPBACK_KEYS has no key; it takes {_LINE}.")
    return OuterKeys(found)


def _key(line: str, number: int) -> tuple[str, bytes]:
    said = line.split()
    if len(said) != 2 or not _ID.fullmatch(said[0]):
        raise KeysRefused(f"STEPBACK_KEYS, line {number}: it takes {_LINE}.")
    try:
        key = base64.b64decode(said[1], validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise KeysRefused(
            f"STEPBACK_KEYS, line {number}: the key {said[0]} is not {KEY_BYTES} bytes "
            "in base64."
        )
    return said[0], key


def _text(address: str) -> str:
    kind, _, name = address.partition(":")
    if kind == "env" and name:
        text = os.environ.get(name)
        if text is None:
            raise KeysRefused(f"STEPBACK_KEYS names the variable {name}: it is unset.")
        return text
    if kind == "file" and name:
        return _file(Path(name))
    if not address:
        raise KeysRefused("STEPBACK_KEYS is not set: no key can be had.")
    raise KeysRefused("STEPBACK_KEYS is file:PATH or env:NAME.")


def _file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise KeysRefused(
            f"STEPBACK_KEYS names {path}, which cannot be read: {error.strerror}."
        ) from error
    if len(data) > LARGEST_FILE:
        raise KeysRefused(f"STEPBACK_KEYS names {path}, which is too large for keys.")
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise KeysRefused(f"STEPBACK_KEYS names {path}: it is no ASCII.") from error
