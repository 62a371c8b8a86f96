"""Archives in an S3-compatible store, and when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.blobs import places
from apps.core.objects import opened
from apps.core.roles.names import Role
from apps.timeline import bodies, operations
from apps.timeline.bodies.archives import named
from apps.timeline.operations import Went
from tests.acting import acting_as
from tests.feeding import feed_all
from tests.retention.aged import Past
from tests.s3 import Proxy, running

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    with running() as proxy:
        yield proxy


@pytest.fixture
def proxy(
    server: Proxy, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Proxy]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    settings.OBJECTS = server.store(tmp_path.name)
    # So long nobody has to wait in a test.
    hasty = partial(opened, timeout=timedelta(seconds=1), retries=0)
    monkeypatch.setattr(places, "opened", hasty)
    yield server
    server.fault, server.times = "", -1


def archive(past: Past) -> operations.Gone:
    feed_all()
    with acting_as(Role.RETENTION):
        return operations.archive_versions(session_id=past.id, first=0, last=40)


def archives() -> list[str]:
    return [name for name in places.store().list("archives") if named(name)]


@pytest.mark.parametrize("fault", ["500", "hang", "cut", "lost"])
def test_a_store_that_fails_leaves_no_row_without_its_object(
    project: Project, admin: Any, proxy: Proxy, fault: str
) -> None:
    past = Past.of(project, [90.0 - n / 10 for n in range(34)])
    proxy.fault = fault
    gone = archive(past)
    assert gone.outcome is Went.AWAY
    past.require_whole()
    proxy.fault = ""
    left = len(archives())
    assert left <= 1

    gone = archive(past)
    assert (gone.outcome, gone.versions) == (Went.DONE, 32)
    assert len(archives()) == left + 1
    past.require_whole()
    path = f"/v1/sessions/{past.id}/versions"
    state = admin.get(f"{path}/20").body["state"]
    proxy.fault = fault
    bodies.cache.forget(past.id)
    refused = admin.get(f"{path}/20")
    assert (refused.status, refused.code) == (503, "service_unavailable")
    assert refused.headers["Retry-After"]
    assert admin.get(f"{path}/33").status == 200
    proxy.fault = ""
    assert admin.get(f"{path}/20").body["state"] == state
    later = timezone.now() + timedelta(days=2)
    assert operations.sweep_archives(now=later) == left
    assert len(archives()) == 1
    past.require_whole()
