"""`GET /v1/sessions/{id}/verify`: the verdict, part by part."""

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.core.roles import protection
from apps.core.roles.names import Role
from apps.core.roles.powers import ONE_ROLE, SEPARATE
from apps.timeline.verification import verify_session
from tests.acting import acting_as, tampering
from tests.timeline import runs
from tests.timeline.damage import damage, make_history, place_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def history(begin: runs.Begin) -> runs.Run:
    return make_history(begin)


def test_the_api_answers_with_the_verdict(history: runs.Run) -> None:
    report = verify_session(history.id)

    verdict = history.get("verify")

    assert verdict.pop("verified_at")
    assert verdict == {
        "object": "verification",
        "session_id": history.id,
        "valid": True,
        "versions_checked": 12,
        "bodies_checked": 5,
        "last_version": 11,
        "has_more": False,
        "chain_start": report.chain_start.hex(),
        "chain_end": history.get("versions", 11)["chain"],
        "findings": 0,
        "first_invalid": None,
        "derived": {"valid": True, "findings": 0, "first_invalid": None},
        "signatures": {
            "status": "none",
            "signed_to": None,
            "unsigned_from": None,
            "message": "There are no signatures.",
            "verifier_keys": [],
        },
        "protection": SEPARATE,
    }


def test_it_says_so_where_there_is_one_role(
    history: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protection.VERDICT, "_kept", None)

    with acting_as(Role.OWNER):
        verdict = history.get("verify")

    assert (verdict["valid"], verdict["protection"]) == (True, ONE_ROLE)


def test_the_api_names_the_first_broken_version(history: runs.Run) -> None:
    damage(place_of(history, "version", 6, "actor_id"), "somebody")
    damage(place_of(history, "version", 9, "actor_id"), "somebody")
    with tampering("timeline_change"), connection.cursor() as cursor:
        cursor.execute("UPDATE timeline_change SET kind = 9 WHERE number = 3")

    verdict = history.get("verify")

    assert (verdict["valid"], verdict["findings"]) == (False, 2)
    assert verdict["first_invalid"] == {
        "version": 6,
        "kind": "leaf",
        "message": "its leaf does not follow from what it claims",
    }
    assert verdict["derived"]["valid"] is False
    assert verdict["derived"]["first_invalid"]["version"] == 3


def test_the_api_verifies_part_by_part(history: runs.Run) -> None:
    first = history.get("verify", limit=7)
    second = history.get("verify", limit=7, after=first["last_version"])
    nothing = history.get("verify", after=11)

    assert (first["versions_checked"], first["has_more"]) == (7, True)
    assert (second["versions_checked"], second["has_more"]) == (5, False)
    assert second["chain_start"] == first["chain_end"]
    assert (nothing["versions_checked"], nothing["valid"]) == (0, True)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"after": "-1"}, "after"),
        ({"after": "x"}, "after"),
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
    ],
)
def test_the_api_refuses_what_is_no_part(
    run: runs.Run, query: dict[str, str], param: str
) -> None:
    answer = run.client.get(run.path("verify"), query)

    runs.assert_refused(answer, 400, "invalid_request", param)


def test_the_api_knows_no_part_after_an_unknown_version(run: runs.Run) -> None:
    answer = run.client.get(run.path("verify"), {"after": 3})

    runs.assert_refused(answer, 404, "version_not_found", "after")


def test_a_stranger_verifies_nothing(
    run: runs.Run, api: runs.Clients, make_key: runs.Keys, other_project: Project
) -> None:
    for secret in (make_key(project=other_project), make_key(agents=["other"])):
        runs.assert_refused(
            api(secret).get(run.path("verify")), 404, "session_not_found"
        )
