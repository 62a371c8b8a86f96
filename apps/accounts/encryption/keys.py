"""Which key seals what is written, and how a key is found by its mark.

A project's data key seals what is nobody's; what is an end user's has a key of theirs,
wrapped by the data key, so that one row is all there is to destroy. Nothing is asked of
the database for a project that does not encrypt, nor while the key is in memory.
"""

from __future__ import annotations

import hmac
import threading
from functools import partial
from typing import Any

from django.db import transaction

from apps.accounts.models import DataKey, Project, SubjectKey
from apps.core import keyring, sql
from apps.core.keyring import MEMORY, Key, KeysUnavailable

_DATA = b"stepback data key 1"
_SUBJECT = b"stepback subject key 1"
_SUBJECT_ROW = """
SELECT project_id, subject_digest, mark, data_key_number, wrapped
  FROM accounts_subjectkey WHERE project_id = %s AND subject_digest = %s
"""
# Those who begin sessions of one person do not wait for each other; who destroys the
# key waits for them.
_SUBJECT_LOCKED = f"{_SUBJECT_ROW} FOR KEY SHARE"
_MOST_MARKS = 10_000
# The marks of keys by what they are of: (project, number) or (project, digest).
_marks: dict[tuple[str, int | bytes], bytes] = {}
_marks_lock = threading.Lock()


def sealing_key(
    project: Project, user_id: str | None, *, is_beginning: bool = False
) -> Key | None:
    """Return the key that seals what is written now; None where nothing is sealed.

    With `is_beginning`, in a transaction, the person's key is locked until its end:
    an erasure destroys it before, and it is made anew, or it finds the new session.

    Raises: KeysUnavailable.
    """
    if project.data_key is None:
        return None
    if user_id is None:
        return _data_key(str(project.id), project.data_key)
    digest = subject_digest(project, user_id)
    known = None if is_beginning else _known((str(project.id), digest))
    return known or _subject_key(project, digest, is_locked=is_beginning)


def is_at_hand(project: Project) -> bool:
    """Say whether the project's own data opens without asking for its key."""
    if project.data_key is None:
        return True
    return _known((str(project.id), project.data_key)) is not None


def subject_digest(project: Project, user_id: str) -> bytes:
    """Return by what a person's key is found."""
    said = b"subject:" + user_id.encode(errors="surrogatepass")
    return hmac.digest(bytes(project.index_key), said, "sha256")


def destroy_subject_key(project: Project, user_id: str) -> int:
    """Destroy a person's key, within the caller's transaction; return how many it was.

    It waits for sessions of the person that are being begun; what is begun later is
    sealed with another key. Other processes have it in memory for five minutes more.
    """
    digest = subject_digest(project, user_id)
    rows = SubjectKey.objects.filter(project_id=project.id, subject_digest=digest)
    for mark in rows.values_list("mark", flat=True):
        transaction.on_commit(partial(MEMORY.forget, bytes(mark)))
    destroyed, _ = rows.delete()
    return destroyed


def found(mark: bytes) -> Key | None:
    """Return the key with this mark, unwrapped; None where there is none.

    Raises: KeysUnavailable.
    """
    data = DataKey.objects.filter(mark=mark).first()
    if data is not None:
        return unwrapped(data, keyring.outer_keys())
    subject = SubjectKey.objects.filter(mark=mark).first()
    return None if subject is None else _unwrapped_subject(subject)


def new_data_key(project_id: str, number: int, outer: keyring.OuterKeys) -> DataKey:
    """Return a data key that is not stored yet; its caller says when it was made."""
    key = keyring.new_key(project_id)
    return DataKey(
        project_id=project_id,
        number=number,
        mark=key.mark,
        wrapped=outer.wrap(key.bytes_, purpose=_purpose(project_id, number, key.mark)),
        outer_id=outer.current,
    )


def rewrap(row: DataKey, outer: keyring.OuterKeys) -> None:
    """Wrap a data key with the current key-encryption key; its caller stores it.

    Raises: KeysUnavailable.
    """
    key = unwrapped(row, outer)
    purpose = _purpose(row.project_id, row.number, key.mark)
    row.wrapped = outer.wrap(key.bytes_, purpose=purpose)
    row.outer_id = outer.current


def unwrapped(row: DataKey, outer: keyring.OuterKeys) -> Key:
    """Return the data key of a row.

    Raises: KeysUnavailable, naming the key-encryption key.
    """
    mark = bytes(row.mark)
    bare = outer.unwrap(
        bytes(row.wrapped),
        outer_id=row.outer_id,
        purpose=_purpose(row.project_id, row.number, mark),
    )
    return Key(mark, row.project_id, bare)


def _purpose(project_id: str, number: int, mark: bytes) -> bytes:
    return b"\0".join((_DATA, project_id.encode(), b"%d" % number, mark))


def _known(name: tuple[str, int | bytes]) -> Key | None:
    mark = _marks.get(name)
    return None if mark is None else MEMORY.known(mark)


def _remember(name: tuple[str, int | bytes], key: Key) -> None:
    with _marks_lock:
        if len(_marks) >= _MOST_MARKS:
            _marks.clear()
        _marks[name] = key.mark
    MEMORY.keep(key)


def _data_key(project_id: str, number: int) -> Key:
    """Raises: KeysUnavailable."""
    name = (project_id, number)
    key = _known(name)
    if key is None:
        row = DataKey.objects.filter(project_id=project_id, number=number).first()
        if row is None:
            raise KeysUnavailable(f"Data key {number} of this project is not there.")
        key = unwrapped(row, keyring.outer_keys())
        # A rollback takes a key that was made in its transaction back.
        transaction.on_commit(partial(_remember, name, key))
    return key


def _subject_key(project: Project, digest: bytes, *, is_locked: bool) -> Key:
    """Return the person's key; the first who asks makes it.

    Raises: KeysUnavailable.
    """
    name = (str(project.id), digest)
    asked = [project.id, digest]
    query = _SUBJECT_LOCKED if is_locked else _SUBJECT_ROW
    row = next(iter(sql.rows(query, asked)), None)
    while row is None:
        SubjectKey.objects.bulk_create(
            [_new_subject(project, digest)], ignore_conflicts=True
        )
        # Whoever was first has made it, unless an erasure has taken it since.
        row = next(iter(sql.rows(query, asked)), None)
    known = MEMORY.known(bytes(row.mark))
    key = known or _unwrapped_subject(row)
    transaction.on_commit(partial(_remember, name, key))
    return key


def _new_subject(project: Project, digest: bytes) -> SubjectKey:
    number = project.data_key
    if number is None:
        raise TypeError("This project does not encrypt.")
    key = keyring.new_key(str(project.id))
    outer = _data_key(str(project.id), number)
    return SubjectKey(
        project_id=project.id,
        subject_digest=digest,
        mark=key.mark,
        data_key_number=number,
        wrapped=outer.seal(key.bytes_, _SUBJECT, digest, key.mark),
    )


def _unwrapped_subject(row: Any) -> Key:
    """Raises: KeysUnavailable."""
    mark = bytes(row.mark)
    outer = _data_key(row.project_id, row.data_key_number)
    bare = outer.open(bytes(row.wrapped), _SUBJECT, bytes(row.subject_digest), mark)
    if bare is None:
        raise KeysUnavailable("The key of a person does not open: it was changed.")
    return Key(mark, row.project_id, bare)


def forget() -> None:
    """Forget which key is of what: the database they were found in is another's."""
    with _marks_lock:
        _marks.clear()


def require_keys() -> None:
    """Refuse to go on with key-encryption keys that do not open all data keys.

    Nothing is asked where no project encrypts.

    Raises: KeysUnavailable, naming the key-encryption key.
    """
    rows = list(DataKey.objects.order_by("project_id", "number"))
    if rows:
        outer = keyring.outer_keys()
        for row in rows:
            unwrapped(row, outer)
