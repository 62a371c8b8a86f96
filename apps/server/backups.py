"""Backing up the database of an installation, and restoring it into an empty one.

Refuses to restore over anybody's work, into a PostgreSQL that the programs do not
fit, or what a newer Stepback wrote or one from before the first release. What was
restored is verified by the caller.
"""

from datetime import datetime
from pathlib import Path

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader

from apps.backups.places import digest_of
from apps.core.database import line
from apps.core.notes.folder import Folder
from apps.core.notes.keys import roots_path, signing_file
from apps.core.postgres import archive
from apps.core.roles.logins import log_in_as, url_of
from apps.core.roles.names import Role
from apps.erasures import reapplying
from apps.erasures.reapplying import Reapplied
from apps.server.installation import (
    Installation,
    InstallationRefused,
    migrate,
    refuse_older,
)
from apps.witness import going_back
from apps.witness.signing import REFUSED

# pg_restore sets transaction_timeout, which older servers do not know.
OLDEST_TARGET = 17
# Where any row means that the database is somebody's.
KEPT = ("accounts_project", "accounts_user", "timeline_session", "audit_auditrecord")


def back_up(chosen: Installation, file: Path) -> int:
    """Write the running database into `file`; return its size.

    Raises: ClusterError.
    """
    return archive.write(chosen.location.binaries, url_of(Role.OWNER), file)


def verify(chosen: Installation, file: Path) -> None:
    """Read the whole file without a database, and by which migrations it was made.

    Raises: ArchiveUnusable; InstallationRefused if it is from before the first release.
    """
    archive.verify(chosen.location.binaries, file)
    rows = archive.rows(chosen.location.binaries, file, line.TABLE)
    try:
        line.refuse_older(str(file), {(row["app"], row["name"]) for row in rows})
    except line.OlderLine as older:
        raise InstallationRefused(str(older)) from older


def restore(chosen: Installation, file: Path) -> None:
    """Fill the running, empty database from `file` and bring its tables up to date.

    Raises: ClusterError, InstallationRefused or RolesRefused; the database is then as
    it was, unless the backup is that of a newer Stepback.
    """
    owner = url_of(Role.OWNER)
    with psycopg.connect(owner, connect_timeout=10) as connection:
        _refuse_old_server(connection)
        _refuse_used(connection)
        # What it has and the backup has not would stay.
        refuse_older(connection)
    archive.read(chosen.location.binaries, owner, file)
    # Also because statements prepared before know the tables that were replaced.
    log_in_as(Role.OWNER)
    _refuse_newer()
    migrate(lambda _: None)


def erase_again(*, now: datetime) -> Reapplied:
    """Erase whom the journal says was erased since the database was as it is.

    Before anybody is served, and before it is signed where histories end.

    Raises: CertificateRefused, KeyRefused, DomainError.
    """
    log_in_as(Role.RETENTION)
    try:
        return reapplying.reapply(now=now)
    finally:
        log_in_as(Role.OWNER)


def sign(file: Path, *, now: datetime) -> str:
    """Sign that what was restored is what counts now; say what that came to.

    Nobody has written since: neither the web server nor a worker runs.
    """
    why = f"manage.py restore of {file.name}, SHA-256 {digest_of(file)}"
    try:
        is_first = Folder(roots_path()).newest() == 0
        signed = going_back.went_back(why=why, now=now)
    except REFUSED as refused:
        return f"That it went back is not signed: {refused}."
    if signed is None:
        return (
            "That it went back is not signed: there is no signing key here. Notes of "
            f"before belong into {roots_path()}, and their key into "
            f"{signing_file()}, before a restore."
        )
    said = f"Signed in note {signed.first_note:,} that it went back"
    if is_first:
        return f"{said}; notes of before are not in {roots_path()}."
    said += f": {signed.heads:,} heads are earlier ones than were signed."
    if signed.contradicting:
        said += (
            f" {signed.contradicting:,} chains are others than were signed, and are "
            "not signed."
        )
    return said


def _refuse_old_server(connection: psycopg.Connection) -> None:
    found = connection.info.server_version // 10_000
    if found < OLDEST_TARGET:
        raise InstallationRefused(
            f"The database is a PostgreSQL {found}; backups are restored into "
            f"{OLDEST_TARGET} or later; docs/moving.md has the way to an older one."
        )


def _refuse_used(connection: psycopg.Connection) -> None:
    for table in KEPT:
        name = psycopg.sql.Identifier(table)
        known = connection.execute("SELECT to_regclass(%s)", [table]).fetchone()
        if known == (None,):
            continue
        query = psycopg.sql.SQL("SELECT 1 FROM {} LIMIT 1").format(name)
        if connection.execute(query).fetchone():
            raise InstallationRefused(
                f"The database is in use ({table} has rows): restore into an empty "
                "one, e.g. with a new --data-dir."
            )


def _refuse_newer() -> None:
    loader = MigrationLoader(connections[DEFAULT_DB_ALIAS])
    ours = loader.migrated_apps
    unknown = sorted(
        f"{app} {name}"
        for app, name in loader.applied_migrations
        if app in ours and (app, name) not in loader.disk_migrations
    )
    if unknown:
        raise InstallationRefused(
            f"The backup was made by a newer Stepback (it has {unknown[0]}): "
            "restored, but use it with that version."
        )
