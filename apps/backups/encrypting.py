"""Encrypting backups for somebody who alone can read them, in the format age.

Who makes backups has the recipient and not the identity: what was stolen, be it this
machine with its settings, opens none of them. https://age-encryption.org/v1
"""

from __future__ import annotations

from pathlib import Path

import pyrage

from apps.backups.errors import BackupsMisconfigured, BackupUnreadable

MAGIC = b"age-encryption.org/v1"
IDENTITY = "AGE-SECRET-KEY-"


def require_recipient(text: str) -> None:
    """Raises: BackupsMisconfigured unless it is a recipient of age's."""
    _recipient(text)


def encrypt(plain: Path, encrypted: Path, recipient: str) -> None:
    """Write a file anew so that only the recipient's identity opens it.

    Raises: BackupsMisconfigured, OSError.
    """
    encrypted.touch(mode=0o600)
    pyrage.encrypt_file(str(plain), str(encrypted), [_recipient(recipient)])


def is_encrypted(file: Path) -> bool:
    """Say whether a file is one of age's. Raises: OSError."""
    with file.open("rb") as opened:
        return opened.read(len(MAGIC)) == MAGIC


def decrypt(encrypted: Path, plain: Path, identities: Path) -> None:
    """Write a file as it was before, into a new one for its owner alone.

    A file that was cut gives what is left of it before it is known to be cut: so what
    was written counts only once this has returned, and is deleted if it does not.

    Raises: BackupUnreadable, OSError.
    """
    known = _identities(identities)
    plain.touch(mode=0o600, exist_ok=False)
    try:
        pyrage.decrypt_file(str(encrypted), str(plain), known)
    except Exception as error:
        plain.unlink(missing_ok=True)
        # Of what was cut it says so without a number of the system's.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise BackupUnreadable(
            f"{encrypted} cannot be decrypted with {identities}: {error}."
        ) from error


def _recipient(text: str) -> pyrage.x25519.Recipient:
    try:
        return pyrage.x25519.Recipient.from_str(text.strip())
    except pyrage.RecipientError as error:
        raise BackupsMisconfigured(
            f"STEPBACK_BACKUP_RECIPIENT is no recipient of age's (age1…): {error}."
        ) from error


def _identities(file: Path) -> list[pyrage.x25519.Identity]:
    """Read a file as age-keygen writes it: a line an identity, comments behind #."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()
        said = [one.strip() for one in lines if one.strip().startswith(IDENTITY)]
        found = [pyrage.x25519.Identity.from_str(one) for one in said]
    except (UnicodeDecodeError, pyrage.IdentityError) as error:
        raise BackupUnreadable(f"{file} holds no identity of age's.") from error
    if not found:
        raise BackupUnreadable(f"{file} holds no identity of age's ({IDENTITY}…).")
    return found
