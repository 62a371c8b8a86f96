"""Where the keys of an installation come from.

The private one is in a file of the data folder that its owner alone can read, and in
the environment of the worker alone. Everybody else has the verifier key, which proves
and cannot sign: from the environment, where `up` puts it, or from a file.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.conf import settings

from apps.core.notes.errors import KeyRefused
from apps.core.notes.signed import SigningKey, VerifierKey
from apps.core.postgres.folders import give_to_owner_of, sync_folder
from apps.core.postgres.secret import kept_secret, made_secret

SIGNING_VARIABLE = "STEPBACK_SIGNING_KEY"
VERIFIER_VARIABLE = "STEPBACK_VERIFIER_KEY"
READABLE = 0o644


def roots_path() -> Path:
    """Return where the notes of this installation are."""
    said: Path | None = settings.ROOTS
    return said or _data_dir() / "roots"


def erasures_path() -> Path:
    """Return where the journal of erasures of this installation is."""
    said: Path | None = settings.ERASURES
    return said or _data_dir() / "erasures"


def signing_file() -> Path:
    return _data_dir() / "signing_key"


def verifier_file() -> Path:
    return _data_dir() / "verifier_key"


def signing_key() -> SigningKey | None:
    """Return the key to sign with: for the worker, and for commands of an operator.

    Raises: KeyRefused, naming where it was.
    """
    said = settings.SIGNING_KEY or kept_secret(signing_file())
    if not said:
        return None
    where = SIGNING_VARIABLE if settings.SIGNING_KEY else str(signing_file())
    try:
        return SigningKey.parse(said)
    except KeyRefused as refused:
        raise KeyRefused(f"{where}: {refused}") from refused


def verifier_keys() -> list[VerifierKey]:
    """Return the keys that are believed: several after one was replaced.

    Raises: KeyRefused, naming where it was.
    """
    said = settings.VERIFIER_KEY or kept_secret(verifier_file()) or ""
    where = VERIFIER_VARIABLE if settings.VERIFIER_KEY else str(verifier_file())
    try:
        return [VerifierKey.parse(one) for one in said.split()]
    except KeyRefused as refused:
        raise KeyRefused(f"{where}: {refused}") from refused


def made_keys() -> SigningKey:
    """Return the installation's key, making it if there is none; publish the other.

    A key that took the place of another is believed beside it.

    Raises: KeyRefused, DataFolderUnusable, OSError.
    """
    found = signing_key()
    if found is None:
        name = f"stepback/{secrets.token_hex(8)}"
        made_secret(signing_file(), make=lambda: SigningKey.made(name).secret())
        found = SigningKey.parse(kept_secret(signing_file()) or "")
    believed = verifier_keys()
    if found.verifier in believed:
        return found
    if settings.VERIFIER_KEY:
        raise KeyRefused(f"{VERIFIER_VARIABLE} lacks the key that signs.")
    _publish(verifier_file(), [*believed, found.verifier])
    return found


def _publish(file: Path, known: list[VerifierKey]) -> None:
    own = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READABLE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        give_to_owner_of(file.parent, descriptor)
        opened.writelines(f"{key}\n" for key in known)
        opened.flush()
        os.fsync(descriptor)
    own.replace(file)
    sync_folder(file.parent)


def _data_dir() -> Path:
    folder: Path = settings.LOCATION.data_dir
    return folder
