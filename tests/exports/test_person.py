"""All that is kept of a person: what an erasure takes, and nothing of others."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.exports.kinds import beside, person
from apps.exports.kinds import made as making_of
from apps.exports.making import sweeping
from apps.timeline.queries import contents
from tests.conftest import Api
from tests.erasures.leaving import CANARY, leave
from tests.exports.reading import Entries, Sweep, entries, left_out, made, objects
from tests.memory.conftest import Mind, done
from tests.retention.aged import enabled, swept
from tests.timeline import runs

pytestmark = pytest.mark.django_db
# Where a person's words are, by what they left.
PLACES = {
    "state": "versions/",
    "turns": "turns/",
    "effects": "effects/",
    "notes": "notes.jsonl",
    "labels": "labels.jsonl",
    "approvals": "kept/approvals_approval",
    "memories of the session": "memories/",
}


def of_person(admin: Api, sweep: Sweep, user: str, **said: Any) -> Entries:
    return entries(admin, made(admin, sweep, "person", user_id=user, **said))


def test_it_has_what_the_person_left_everywhere(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    run = leave(api(), user="ann")

    found = of_person(admin, sweep, "ann")

    for what, place in PLACES.items():
        there = objects(found, f"sessions/{run.id}/{place}")
        assert CANARY in str(there), what
    assert CANARY in str(objects(found, "memories/"))
    (session,) = objects(found, f"sessions/{run.id}/session.json")
    assert session["user_id"] == "ann"
    (manifest,) = objects(found, "manifest.json")
    assert (manifest["user_id"], manifest["left_out"]) == ("ann", {})


def test_it_has_nothing_of_others(api: runs.Clients, admin: Api, sweep: Sweep) -> None:
    leave(api(), user="ann")
    leave(api(), user="anna", canary="otherbird")
    admin.post("/v1/exports", {"kind": "person", "user_id": "otherbird-person"})

    found = of_person(admin, sweep, "ann", unmasked=True)

    assert b"otherbird" not in b"".join([*found.values(), *map(str.encode, found)])
    assert objects(of_person(admin, sweep, "nobody"), "sessions/") == []


def test_forks_of_others_are_counted_and_left_out(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    run = leave(api(), user="ann")
    own = run.fork().id
    other = run.fork(user_id="ben").id

    export = made(admin, sweep, "person", user_id="ann")
    found = entries(admin, export)

    sessions = {name.split("/")[1] for name in found if name.startswith("sessions/")}
    assert sessions == {run.id, own}
    assert other not in sessions
    assert left_out(export) == {person.FORKS: 1}


def test_many_sessions_go_in_steps(
    api: runs.Clients, admin: Api, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making_of, "STEP_BYTES", 1)
    monkeypatch.setattr(sweeping, "AT_ONCE", 7)
    ids = [leave(api(), user="ann", canary=f"bird{n}").id for n in range(3)]

    found = of_person(admin, sweep, "ann")

    told = objects(found, "sessions/")
    assert {one["id"] for one in told if one.get("object") == "session"} == set(ids)
    for n, id in enumerate(ids):
        assert f"bird{n}" in str(objects(found, f"sessions/{id}/versions/"))


def test_nothing_that_opens_something_is_in_it(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    leave(api(), user="ann")

    found = of_person(admin, sweep, "ann", unmasked=True)

    everything = b"".join(found.values())
    for secret in (b'"salt"', b'"provider_key"', b'"secret"'):
        assert secret not in everything


@pytest.fixture
def tea(admin: Api) -> str:
    """A memory of Ann's with four versions, of which the first two are to go."""
    mind = Mind(admin)
    id = str(mind.add("Likes tea", user_id="ann")["id"])
    for content in ("Likes coffee", "Likes water", "Likes milk"):
        done(mind.patch(id, content=content))
    return id


def later() -> datetime:
    return timezone.now() + timedelta(days=400)


def told_of(found: Entries, memory_id: str) -> list[Any]:
    """Return the versions, and the first and last of what was removed of a memory."""
    return [
        one.get("version") or (one["object"], one["first_version"], one["last_version"])
        for one in objects(found, f"memories/{memory_id}")
    ]


@pytest.mark.parametrize("at_once", [1, 2, 1_000])
def test_what_a_policy_has_pruned_of_a_memory_is_named(
    admin: Api,
    project: Project,
    sweep: Sweep,
    tea: str,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
) -> None:
    monkeypatch.setattr(beside, "PAST_AT_ONCE", at_once)
    enabled(project, prune_days=7, keep_last=2)
    swept(now=later())

    found = of_person(admin, sweep, "ann")

    assert told_of(found, tea) == [4, 3, ("removed", 1, 2)]


def test_what_is_pruned_while_it_is_written_is_named_as_well(
    admin: Api,
    project: Project,
    sweep: Sweep,
    tea: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enabled(project, prune_days=7, keep_last=2)
    acts = [lambda: swept(now=later())]

    def behind(*given: Any) -> Any:
        if acts:
            acts.pop()()
        return contents(*given)

    monkeypatch.setattr(beside, "contents", behind)

    found = of_person(admin, sweep, "ann")

    assert told_of(found, tea) == [4, 3, ("removed", 1, 2)]
