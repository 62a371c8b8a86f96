"""What somebody does who owns the database: rewrites, cuts, chains anew."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace

from django.db import connection

from apps.core.notes.folder import Folder
from apps.core.notes.reading import read
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.timeline.verification import rows
from apps.timeline.versions import proof
from apps.timeline.versions.proof import Claim
from tests.acting import acting_as, tampering

SET = "UPDATE timeline_version SET {} = %s WHERE session_id = %s AND number = %s"
CUT = "DELETE FROM {} WHERE session_id = %s AND number > %s"
TABLES = ("timeline_version", "timeline_change", "timeline_body")
LISTED = "UPDATE timeline_session SET head_number = %s WHERE id = %s"


def rewrite(session_id: str, number: int, actor_id: str = "somebody") -> None:
    """Have somebody else have made a version; every digest from there on follows."""
    store("actor_id", actor_id, session_id, number)
    before = rows.versions(session_id, after=number - 2, limit=1) if number else []
    chain = before[0].chain if before else proof.NO_CHAIN
    for version in rows.versions(session_id, after=number - 1, limit=1_000):
        claim = Claim(**{one.name: getattr(version, one.name) for one in fields(Claim)})
        chain = proof.chain(chain, version.number, claim.leaf())
        store("leaf", claim.leaf(), session_id, version.number)
        store("chain", chain, session_id, version.number)


def store(column: str, value: object, session_id: str, number: int) -> None:
    with tampering("timeline_version"), connection.cursor() as cursor:
        cursor.execute(SET.format(column), [value, session_id, number])
        assert cursor.rowcount == 1


def cut(session_id: str, after: int) -> None:
    """Have nothing after that version ever been written."""
    with owning() as run:
        for table in TABLES:
            run(CUT.format(table), session_id, after)
        run(LISTED, after, session_id)


def remove(session_id: str) -> None:
    """Have the session never been there."""
    cut(session_id, -1)
    with owning() as run:
        run("DELETE FROM timeline_session WHERE id = %s", session_id)


@contextmanager
def owning() -> Iterator[Callable[..., None]]:
    """Run statements as the owner, with no trigger and no constraint in the way."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            yield lambda query, *values: cursor.execute(query, values)
        finally:
            cursor.execute("SET session_replication_role = DEFAULT")


def write_as_before_trees(folder: Folder, number: int, key: SigningKey) -> None:
    """Have a note be one of format 1, as they were before there were trees."""
    root, _ = read(folder, number, [key.verifier])
    folder.file_of(number).write_bytes(key.sign(replace(root, tree=None).text()))
    for leaves in folder.path.rglob(f"{number:012d}.*.leaves"):
        leaves.unlink()
    (folder.path / "index.sqlite3").unlink()
