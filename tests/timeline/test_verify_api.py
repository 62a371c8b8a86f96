"""`GET /v1/sessions/{id}/verify`: the verdict, part by part."""

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.core.admission import work
from apps.core.roles import protection
from apps.core.roles.names import Role
from apps.core.roles.powers import ONE_ROLE, SEPARATE
from apps.timeline.verification import verify_session
from apps.timeline.verification.turns import walk as turns
from tests.acting import acting_as, tampering
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.damage import Place, damage, make_history, place_of

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
        "turns": {
            "turns_checked": 2,
            "unchained": 0,
            "last_turn": 2,
            "chain_start": report.turns.chain_start.hex(),
            "chain_end": report.turns.chain_end.hex(),
        },
        "findings": 0,
        "first_invalid": None,
        "derived": {"valid": True, "findings": 0, "first_invalid": None},
        "records": {
            "valid": True,
            "rows_checked": 0,
            "recorded_before": 0,
            "has_more": False,
            "findings": 0,
            "first_invalid": None,
        },
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


def test_it_holds_labels_notes_and_metadata_against_their_records(
    history: runs.Run, begin: runs.Begin
) -> None:
    history.client.post(history.path("versions", 3, "labels"), {"label": "good"})
    history.post("notes", {"text": "Wrong city."})
    changed = history.client.patch(history.path(), {"metadata": {"owner": "ann"}})
    assert changed.status == 200
    other = begin({})
    assert history.get("verify")["records"]["rows_checked"] == 3
    with tampering("timeline_label"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM timeline_label")
    damage(Place("timeline_session", history.id, None, "metadata", None), b"{}")

    verdict = history.get("verify")

    records = verdict["records"]
    assert (verdict["valid"], records["valid"], records["findings"]) == (True, False, 2)
    first = records["first_invalid"]
    assert first["resource"] == f"label 'good' on v3 of {history.id}"
    assert "left it there, and it is missing" in first["message"]
    assert other.get("verify")["records"]["valid"] is True
    # Once, with the last part.
    assert history.get("verify", limit=5)["records"] is None
    assert history.get("verify", after=4)["records"]["findings"] == 2


def test_the_api_names_the_first_broken_version(history: runs.Run) -> None:
    damage(place_of(history, "version", 6, "actor_id"), "somebody")
    damage(place_of(history, "version", 9, "actor_id"), "somebody")
    project_all()
    with tampering("timeline_change"), connection.cursor() as cursor:
        cursor.execute("UPDATE timeline_change SET kind = 9 WHERE number = 3")

    verdict = history.get("verify")

    assert (verdict["valid"], verdict["findings"]) == (False, 2)
    assert verdict["first_invalid"] == {
        "version": 6,
        "turn": None,
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
    # Turns come after the last version.
    assert [one["turns"]["turns_checked"] for one in (first, second)] == [0, 2]
    assert (nothing["versions_checked"], nothing["valid"]) == (0, True)


def test_the_api_names_the_first_broken_turn(history: runs.Run) -> None:
    damage(place_of(history, "turn", 2, "actor_id"), "somebody")

    verdict = history.get("verify")

    assert (verdict["valid"], verdict["findings"]) == (False, 1)
    assert verdict["first_invalid"] == {
        "version": None,
        "turn": 2,
        "kind": "leaf",
        "message": "its leaf does not follow from what it claims",
    }


def test_many_turns_are_verified_part_by_part(
    run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        run.turn()
    monkeypatch.setattr(turns, "TURN", work.PAGE)
    parts, after = [], {}
    while not parts or parts[-1]["has_more"]:
        parts.append(run.get("verify", **after))
        last = parts[-1]
        after = {
            "after": last["last_version"],
            "after_turn": last["turns"]["last_turn"],
        }
    said = [part["turns"] for part in parts]

    assert [part["versions_checked"] for part in parts] == [3, 0, 0]
    assert [part["turns_checked"] for part in said] == [1, 1, 1]
    assert [one["chain_start"] for one in said[1:]] == [
        one["chain_end"] for one in said[:-1]
    ]
    assert all(part["valid"] and part["derived"]["valid"] for part in parts)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"after": "-1"}, "after"),
        ({"after": "x"}, "after"),
        ({"after_turn": "-1"}, "after_turn"),
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


def test_the_api_knows_no_part_after_an_unknown_turn(run: runs.Run) -> None:
    answer = run.client.get(run.path("verify"), {"after_turn": 3})

    runs.assert_refused(answer, 404, "turn_not_found", "after_turn")


def test_a_stranger_verifies_nothing(
    run: runs.Run, api: runs.Clients, make_key: runs.Keys, other_project: Project
) -> None:
    for secret in (make_key(project=other_project), make_key(agents=["other"])):
        runs.assert_refused(
            api(secret).get(run.path("verify")), 404, "session_not_found"
        )
