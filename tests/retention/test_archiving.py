"""Old bodies move into objects outside the database, and are read as before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.blobs import places
from apps.core.roles.names import Role
from apps.timeline import bodies, operations
from apps.timeline.bodies import ARCHIVED
from apps.timeline.models import Body
from apps.timeline.operations import Went
from apps.timeline.verification import verify_session
from tests.acting import acting_as
from tests.feeding import feed_all
from tests.retention.aged import NOW, Past, enabled, previewed, swept, taken

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.OBJECTS = str(tmp_path / "objects")
    places._opened.cache_clear()
    yield tmp_path / "objects"
    places._opened.cache_clear()


def objects(store: Path) -> list[str]:
    return sorted(
        str(one.relative_to(store)) for one in store.rglob("*") if one.is_file()
    )


def archived(past: Past) -> list[int]:
    found = Body.objects.filter(session_id=past.id, codec__gt=ARCHIVED)
    return sorted(found.values_list("number", flat=True))


def grown(project: Project, versions: int = 70, **about: Any) -> Past:
    """A session of two key-frame groups and the beginning of a third."""
    days = [90.0 - n / 10 for n in range(versions)]
    return Past.of(project, days, **about)


def archive(past: Past, last: int = 1_000) -> Any:
    feed_all()
    with acting_as(Role.RETENTION):
        return operations.archive_versions(session_id=past.id, first=0, last=last)


def states(client: Any, past: Past) -> list[Any]:
    bodies.cache.forget(past.id)
    path = f"/v1/sessions/{past.id}/versions"
    return [client.get(f"{path}/{n}/state").body for n in past.numbers]


def test_what_is_archived_reads_as_it_did(project: Project, admin: Any, store: Path) -> None:
    past = grown(project)
    before = states(admin, past)

    gone = archive(past)

    assert (gone.outcome, gone.versions) == (Went.DONE, len(archived(past)))
    assert archived(past) == list(range(64))
    assert len(objects(store)) == 1
    assert states(admin, past) == before
    past.require_whole()
