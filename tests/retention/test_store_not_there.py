"""A folder of objects that is not there any more, as when its disk is not mounted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Project
from apps.blobs.errors import ObjectsUnavailable
from apps.core.roles.names import Role
from apps.incidents import looking
from apps.incidents.models import Member
from apps.surveys import looking as surveying
from apps.surveys import operations as surveys
from apps.surveys.models import Sampled
from apps.timeline import bodies, operations
from apps.timeline.models import Body
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.incidents.conftest import olga, person  # noqa: F401 - fixtures
from tests.incidents.make import make_incident
from tests.retention.aged import Past

pytestmark = pytest.mark.django_db(transaction=True)
DAMAGED = "There is no object"


def take_away(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def leave_empty(folder: Path) -> None:
    take_away(folder)
    folder.mkdir()


def bring_back(folder: Path) -> None:
    if folder.exists():
        folder.rmdir()
    folder.with_name("elsewhere").rename(folder)


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


@pytest.fixture
def past(project: Project, folder: Path) -> Past:
    """A session whose first versions are in the folder."""
    made = Past.of(project, [90.0 - n / 10 for n in range(34)])
    feed_all()
    with acting_as(Role.RETENTION):
        gone = operations.archive_versions(session_id=made.id, first=0, last=40)
    assert gone.versions
    bodies.cache.forget(made.id)
    return made


@pytest.mark.parametrize("lose", [take_away, leave_empty])
def test_nothing_is_called_damaged_and_the_rest_is_read(
    past: Past, admin: Any, folder: Path, lose: Callable[[Path], None]
) -> None:
    lose(folder)
    path = f"/v1/sessions/{past.id}"
    for where in ("versions/20", "verify"):
        answer = admin.get(f"{path}/{where}")
        assert (answer.status, answer.code) == (503, "service_unavailable"), where
        assert answer.headers["Retry-After"]
    assert admin.get(f"{path}/state").status == 200
    assert admin.get(f"{path}/versions/33").status == 200
    with pytest.raises(CommandError, match="1 sessions cannot be read now"):
        call_command("verify")

    bring_back(folder)
    assert admin.get(f"{path}/versions/20").status == 200
    past.require_whole()


@pytest.mark.parametrize("lose", [take_away, leave_empty])
def test_nothing_is_written_that_the_disk_would_hide(
    past: Past, admin: Any, folder: Path, lose: Callable[[Path], None]
) -> None:
    lose(folder)
    name = hashlib.sha256(b"x").hexdigest()
    assert admin.put(f"/v1/blobs/{name}", b"x").status == 503
    assert not folder.exists() or not list(folder.iterdir())
    bring_back(folder)
    assert admin.put(f"/v1/blobs/{name}", b"x").status == 201


@pytest.mark.parametrize("lose", [take_away, leave_empty])
def test_nothing_is_said_to_be_deleted(
    past: Past, folder: Path, lose: Callable[[Path], None]
) -> None:
    lose(folder)
    with pytest.raises(ObjectsUnavailable):
        operations.delete_archives(session_id=past.id)
    bring_back(folder)
    assert operations.delete_archives(session_id=past.id) == 1


def test_one_object_that_is_lost_is_damage(
    past: Past, admin: Any, folder: Path
) -> None:
    (lost,) = folder.rglob("arch_*")
    lost.unlink()
    assert Body.objects.filter(session_id=past.id).exists()
    found = admin.get(f"/v1/sessions/{past.id}/verify").body
    assert not found["valid"]
    assert DAMAGED in found["first_invalid"]["message"]


def test_a_folder_that_was_never_filled_is_made(admin: Any, folder: Path) -> None:
    name = hashlib.sha256(b"x").hexdigest()
    assert admin.put(f"/v1/blobs/{name}", b"x").status == 201


def test_a_search_finds_the_others_and_says_what_it_did_not_look_into(
    past: Past, project: Project, admin: Any, folder: Path
) -> None:
    other = Past.of(project, [90.0 - n / 10 for n in range(34)])
    feed_all()
    with acting_as(Role.RETENTION):
        for one in (past, other):
            operations.thin_session(session_id=one.id, below=31)
    take_away(folder)

    found = admin.get("/v1/search?q=ever:state.n%3D20").body
    assert [one["session_id"] for one in found["data"]] == [other.id]
    assert any("1 sessions have states in the store" in one for one in found["notices"])

    bring_back(folder)
    found = admin.get("/v1/search?q=ever:state.n%3D20").body
    assert {one["session_id"] for one in found["data"]} == {other.id, past.id}
    assert not any("in the store" in one for one in found["notices"])


@pytest.mark.parametrize("lose", [take_away, leave_empty])
def test_bisect_calls_nothing_unreadable(
    past: Past, admin: Any, folder: Path, lose: Callable[[Path], None]
) -> None:
    asked = f"/v1/sessions/{past.id}/bisect", {"check": "state.n<20"}
    lose(folder)
    answer = admin.post(*asked)
    assert (answer.status, answer.code) == (503, "service_unavailable")
    assert answer.headers["Retry-After"]

    bring_back(folder)
    found = admin.post(*asked).body
    assert (found["exact"], found["unreadable"]) == (True, [])


def test_an_incident_waits_and_does_not_call_a_session_unknown(
    past: Past,
    project: Project,
    olga: Any,  # noqa: F811
    folder: Path,
) -> None:
    incident = make_incident(project, olga, [past.id], check="state.n<20")
    take_away(folder)
    assert looking.sweep(now=timezone.now()) == 0
    member = Member.objects.of_incident(incident.id).get()
    assert member.verdict is None

    bring_back(folder)
    assert looking.sweep(now=timezone.now()) == 1
    member.refresh_from_db()
    assert (member.verdict, member.bad_number) == ("bad", 20)


def test_a_survey_waits_and_does_not_call_a_session_undecided(
    past: Past,
    project: Project,
    olga: Any,  # noqa: F811
    folder: Path,
) -> None:
    act = act_in(project, olga)
    survey = surveys.ask(act=act, check="state.n<20", query=None)
    take_away(folder)
    assert surveying.sweep(now=timezone.now()) == 0
    sampled = Sampled.objects.of_survey(survey.id).get()
    assert sampled.verdict is None

    bring_back(folder)
    assert surveying.sweep(now=timezone.now()) == 1
    sampled.refresh_from_db()
    assert (sampled.verdict, sampled.is_placed) == ("bad", True)
