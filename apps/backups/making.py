"""Making a backup: dumped, read, encrypted, stored, read back, then older ones go."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection

from apps.backups import encrypting, journal
from apps.backups.errors import (
    BackupFailed,
    BackupRunning,
    BackupsMisconfigured,
    BackupUnreadable,
)
from apps.backups.models import Attempt, Backup
from apps.backups.names import name_of
from apps.backups.places import Place, digest, digest_of, place
from apps.backups.rotation import kept as staying
from apps.backups.rotation import newest, outdated

EVERY = timedelta(days=1)
WORK = "stepback-backup-"
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('stepback backups', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('stepback backups', 0))"

# Writes the database into a new file, which was read back; raises what it raises.
Dump = Callable[[Path], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Where backups go, and for whom they are encrypted; empty: for nobody."""

    where: str
    recipient: str = ""

    @classmethod
    def of_settings(cls) -> Wanted | None:
        """Return what the settings say; None where no backups are wanted.

        Raises: BackupsMisconfigured.
        """
        where, recipient = settings.BACKUPS, settings.BACKUP_RECIPIENT
        if recipient:
            encrypting.require_recipient(recipient)
        if not where:
            if recipient:
                raise BackupsMisconfigured(
                    "STEPBACK_BACKUP_RECIPIENT is set and STEPBACK_BACKUPS is not."
                )
            return None
        place(where)
        return cls(where=where, recipient=recipient)


def make_if_due(wanted: Wanted, dump: Dump, *, now: datetime) -> Backup | None:
    """Make a backup unless there is one of the last day; copy the journal anyway.

    What a killed or failed run has not done, the next one does.

    Raises: BackupFailed.
    """
    with _alone(), _noted(now):
        kept = place(wanted.where)
        journal.copy_to(kept)
        last = newest(_read_back(wanted, kept.names()))
        if last is not None and now - last < EVERY:
            _clear(wanted, kept, now)
            return None
        return _made(wanted, kept, dump, now)


def make(wanted: Wanted, dump: Dump, *, now: datetime) -> Backup:
    """Make a backup now. Raises: BackupFailed."""
    with _alone(), _noted(now):
        kept = place(wanted.where)
        journal.copy_to(kept)
        return _made(wanted, kept, dump, now)


@contextmanager
def opened(file: Path, identity: str | None) -> Iterator[Path]:
    """Give a backup as it was before it was encrypted, as long as it is needed.

    Raises: BackupUnreadable, BackupFailed.
    """
    try:
        is_encrypted = encrypting.is_encrypted(file)
    except OSError as error:
        raise BackupUnreadable(f"Cannot read {file}: {error.strerror}.") from error
    if not is_encrypted:
        yield file
        return
    if identity is None:
        raise BackupUnreadable(
            f"{file} is encrypted: name the file of its identity with --identity."
        )
    with _work() as folder:
        plain = folder / "plain"
        try:
            encrypting.decrypt(file, plain, Path(identity).expanduser())
        except OSError as error:
            why = f"{error.strerror}, {error.filename or plain}"
            raise BackupUnreadable(f"Cannot decrypt {file}: {why}.") from error
        yield plain


def _made(wanted: Wanted, kept: Place, dump: Dump, now: datetime) -> Backup:
    name = name_of(now, is_encrypted=bool(wanted.recipient))
    if name in kept.names():
        raise BackupFailed(f"There is a backup {name} already.")
    with _work() as folder:
        file = _written(folder, dump, wanted.recipient)
        told = digest_of(file), file.stat().st_size
        kept.put(name, file)
    if digest(kept, name) != told:
        kept.delete(name)
        raise BackupFailed(
            f"{name} was not read back from {wanted.where} as it was written; it was "
            "deleted there."
        )
    sha256, size = told
    made = Backup.objects.create(
        name=name,
        place=wanted.where,
        made_at=now,
        bytes=size,
        sha256=sha256,
        is_encrypted=bool(wanted.recipient),
    )
    # Only now, when there is a newer one that can be read.
    _clear(wanted, kept, now)
    return made


def _written(folder: Path, dump: Dump, recipient: str) -> Path:
    plain = folder / "plain"
    dump(plain)
    if not recipient:
        return plain
    encrypted = folder / "encrypted"
    encrypting.encrypt(plain, encrypted, recipient)
    plain.unlink()
    return encrypted


def _read_back(wanted: Wanted, names: Iterable[str]) -> list[str]:
    """Return those of these names that were read back: others may not be whole."""
    known = Backup.objects.kept().at(wanted.where).filter(name__in=list(names))
    return list(known.values_list("name", flat=True))


def _clear(wanted: Wanted, kept: Place, now: datetime) -> None:
    """Delete what is outdated, and note what is there no more, whoever deleted it.

    What was not read back, because its maker was killed, takes nobody's place.
    """
    names = kept.names()
    stay = staying(_read_back(wanted, names))
    for name in outdated(names):
        if name not in stay:
            kept.delete(name)
    for where in Backup.objects.kept().places():
        _note_gone(where, kept if where == wanted.where else None, now)


def _note_gone(where: str, kept: Place | None, now: datetime) -> None:
    """Note which are there no more; of a place that is away nobody knows."""
    try:
        here = (kept or place(where)).names()
    except BackupFailed:
        if kept is not None:
            raise
        return
    gone = Backup.objects.kept().at(where).exclude(name__in=here)
    gone.update(removed_at=now)


@contextmanager
def _work() -> Iterator[Path]:
    """Give a folder that goes again, with what one that was killed left of its own."""
    parent: Path = settings.LOCATION.data_dir
    parent = parent if parent.is_dir() else Path(tempfile.gettempdir())
    for left in parent.glob(f"{WORK}*"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        folder = tempfile.TemporaryDirectory(prefix=WORK, dir=parent)
    except OSError as error:
        raise BackupFailed(f"Cannot write to {parent}: {error.strerror}.") from error
    with folder as name:
        yield Path(name)


@contextmanager
def _alone() -> Iterator[None]:
    """Raises: BackupRunning while another process makes one of this database."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK)
        if cursor.fetchone() != (True,):
            raise BackupRunning("Another process makes a backup at this moment.")
        try:
            yield
        finally:
            cursor.execute(_UNLOCK)


@contextmanager
def _noted(now: datetime) -> Iterator[None]:
    """Write down how a try went, for whoever asks about health."""
    try:
        yield
    except BackupFailed as failed:
        _note(now, str(failed))
        raise
    except OSError as error:
        why = f"Cannot make a backup: {error.strerror or error}."
        _note(now, why)
        raise BackupFailed(why) from error
    _note(now, "")


def _note(now: datetime, error: str) -> None:
    Attempt.objects.update_or_create(id=1, defaults={"at": now, "error": error})
