"""What was archived in clear is sealed by the sweep, and leaves no object in clear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.timeline import bodies, operations
from apps.timeline.models import Body
from apps.timeline.verification import verify_session
from tests.acting import acting_as
from tests.encryption.conftest import forget
from tests.encryption.test_older import begin_encrypting, seal, told
from tests.feeding import project_all
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)
# What does not compress, so that it would be found as it is.
CANARY = "canary0f9a3c5d1e77b2"


@pytest.fixture
def run(api: runs.Clients, keys: Path, tmp_path: Path, settings: Any) -> runs.Run:
    """A session whose first versions stand in an archive."""
    settings.OBJECTS = str(tmp_path / "objects")
    made = runs.begin(api(), {"step": 0, "said": CANARY}, user_id="u_1")
    for step in range(1, 34):
        made.patch({"step": step})
    project_all()
    archive(made, 31)
    return made


def archive(run: runs.Run, last: int) -> None:
    with acting_as(Role.RETENTION):
        gone = operations.archive_versions(session_id=run.id, first=0, last=last)
    assert gone.versions


def codecs(run: runs.Run) -> set[int]:
    found = Body.objects.filter(session_id=run.id)
    return set(found.values_list("codec", flat=True))


def objects(folder: Path) -> list[bytes]:
    found = (folder / "objects").rglob("arch_*")
    return [one.read_bytes() for one in found]


def test_it_comes_back_sealed_and_is_archived_sealed(
    run: runs.Run, project: Project, tmp_path: Path
) -> None:
    before = told(run)
    assert codecs(run) & {33, 34, 35}
    assert len(objects(tmp_path)) == 1
    begin_encrypting(project)

    seal(project, run.id)

    assert codecs(run) <= {17, 18, 19}
    assert objects(tmp_path) == []
    archive(run, 31)
    assert codecs(run) & {49, 50, 51}
    assert not any(CANARY.encode() in one for one in objects(tmp_path))
    bodies.cache.forget(run.id)
    forget()
    assert told(run) == before
    report = verify_session(run.id)
    assert (report.first_broken, report.first_derived) == (None, None)
