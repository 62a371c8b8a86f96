"""An erased person is in no archive, whatever became of who wrote it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.ids import new_id
from apps.core.objects import Objects, ObjectsAway
from apps.core.roles.names import Role
from apps.timeline import operations
from apps.timeline.models import Session
from tests.acting import acting_as
from tests.conftest import Api
from tests.erasures.leaving import begun_erasure, done
from tests.feeding import feed_all
from tests.memory.conftest import Mind
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


def archived(client: Any, user: str) -> runs.Run:
    made = runs.begin(client, {"step": 0, "name": user}, user_id=user)
    for step in range(1, 34):
        made.patch({"step": step})
    feed_all()
    with acting_as(Role.RETENTION):
        gone = operations.archive_versions(session_id=made.id, first=0, last=31)
    assert gone.versions == 32
    return made


def sessions(store: Path) -> set[str]:
    return {one.parent.name for one in store.rglob("arch_*")}


def test_the_archives_of_a_person_go_and_those_of_others_stay(
    api: runs.Clients, erase: Any, store: Path
) -> None:
    ann, ben = archived(api(), "ann"), archived(api(), "ben")
    left = f"archives/{ann.id}/{new_id('arch', now=timezone.now())}-5"
    (store / left).write_bytes(b"of who was killed")
    assert sessions(store) == {ann.id, ben.id}

    erase(user_id="ann")

    assert sessions(store) == {ben.id}
    assert ben.get("versions", 3)["state"]["step"] == 3


def test_what_was_archived_of_memories_goes_with_them(
    api: runs.Clients, erase: Any, store: Path
) -> None:
    mind = Mind(api())
    for user in ("ann", "ben"):
        id = str(mind.add(text(f"{user} 0"), user_id=user)["id"])
        for n in (1, 2):
            done(mind.patch(id, content=text(f"{user} {n}")))
    documents = Session.with_documents.filter(kind="keyed")
    for document in documents.values_list("id", flat=True):
        with acting_as(Role.RETENTION):
            gone = operations.archive_entries(
                document_id=document, first=0, last=3, shown_from=3
            )
        assert gone.versions
    both = sessions(store)
    assert len(both) == 2

    erase(user_id="ann")

    assert sessions(store) < both
    assert sessions(store) == set(documents.values_list("id", flat=True))


def text(word: str) -> str:
    """Return a text that nobody compresses."""
    return " ".join(sha256(b"%d" % n + word.encode()).hexdigest() for n in range(9))


def test_it_is_not_over_before_the_store_says_so(
    api: runs.Clients,
    admin: Api,
    sweep: Callable[[], int],
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann = archived(api(), "ann")
    erasure = begun_erasure(admin, user_id="ann")

    def refuse(self: Objects, *args: Any) -> Any:
        raise ObjectsAway("nobody answers")

    monkeypatch.setattr(Objects, "delete", refuse)
    assert sweep() == 0
    path = f"/v1/erasures/{erasure['id']}"
    assert done(admin.get(path))["state"] != "done"
    assert sessions(store) == {ann.id}
    monkeypatch.undo()
    assert sweep() == 1
    assert done(admin.get(path))["state"] == "done"
    assert sessions(store) == set()
