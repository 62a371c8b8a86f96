"""Rolling back behind effects: what it crosses is told before, and owed after."""

from __future__ import annotations

from typing import Any

import pytest

from apps.audit.models import Event
from apps.timeline import hooks
from apps.timeline.models import Compensation, Version
from tests.timeline.effects.acting import begun, finish, finished, overdue
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
UNDO = {"tool": "unbook", "arguments": {}}


def done(run: Run, key: str, effect_class: str | None, **said: Any) -> Any:
    if effect_class in ("reversible", "compensable"):
        said = {"undo": UNDO} | said
    effect = begun(run, key=key, **{"class": effect_class}, **said)
    finished(run, effect)
    return effect


def preview(run: Run, number: int) -> Any:
    return run.get("rollback", "preview", version=number)


def crossed(run: Run, number: int) -> list[str]:
    return [one["key"] for one in preview(run, number)["effects"]]


def owed(run: Run, **query: Any) -> list[str]:
    return [one["key"] for one in run.get("compensations", **query)["data"]]


def may_differ(run: Run) -> bool:
    return bool(run.get("compensations")["outside_may_differ"])


def change(run: Run, effect: Any, status: str, **said: Any) -> Any:
    path = run.path("effects", effect["id"], "compensation")
    return run.client.post(path, {"status": status} | said)


def test_what_cannot_be_taken_back_comes_first(run: Run) -> None:
    done(run, "read", "read")
    done(run, "later", "reversible", undo_until="2990-01-01")
    done(run, "soon", "reversible", undo_until="2980-01-01")
    done(run, "refund", "compensable")
    done(run, "mail", "irreversible")
    done(run, "unsaid", None)
    finish(run, begun(run, key="nothing"), status="failed")
    begun(run, key="open")
    overdue(run, key="lost", **{"class": "reversible"}, undo=UNDO)

    found = preview(run, 1)

    keys = [one["key"] for one in found["effects"]]
    assert set(keys[:2]) == {"open", "lost"}
    assert keys[2:] == ["mail", "unsaid", "refund", "soon", "later", "read"]
    assert found["effects_crossed"] == 7
    assert "does not know of calls" in found["outside"]


def test_a_state_that_was_stored_after_an_effect_knows_of_it(run: Run) -> None:
    done(run, "before", "irreversible")  # on v2
    run.patch({"sent": True})  # v3 knows of it
    done(run, "after", "irreversible")  # on v3
    run.patch({"more": 1})

    assert crossed(run, 2) == ["before", "after"]
    assert crossed(run, 3) == ["after"]


def test_what_is_finished_on_a_later_version_is_unknown_to_the_one_before(
    run: Run,
) -> None:
    effect = begun(run)  # on v2
    run.patch({"other": 1})  # v3, by another branch
    finished(run, effect)
    run.patch({"sent": True})  # v4

    assert crossed(run, 3) == ["mail-1"]


def test_a_version_that_shows_an_earlier_state_knows_what_that_knew(run: Run) -> None:
    done(run, "mail", "irreversible")  # on v2
    run.hold("pause")  # v3 shows the state of v2
    run.hold("resume")
    run.patch({"sent": True})

    assert crossed(run, 3) == ["mail"]


def test_a_rollback_writes_down_what_it_leaves(run: Run) -> None:
    done(run, "mail", "irreversible")
    done(run, "read", "read")
    done(run, "room", "reversible")

    answer = run.rollback(0)

    assert answer["effects_crossed"] == 2
    assert owed(run) == ["mail", "room"]
    (first, _) = run.get("compensations")["data"]
    assert (first["compensation"], first["rollback_version"]) == ("open", 3)
    assert may_differ(run)


def test_a_replayed_rollback_answers_the_same(run: Run) -> None:
    done(run, "mail", "irreversible")
    body, headers = {"version": 0}, {"Idempotency-Key": "again"}

    first = run.client.post(run.path("rollback"), body, **headers)
    again = run.client.post(run.path("rollback"), body, **headers)

    assert again.body["effects_crossed"] == first.body["effects_crossed"] == 1
    assert Compensation.objects.count() == 1


def test_a_second_rollback_over_the_same_span_lists_none_twice(run: Run) -> None:
    done(run, "mail", "irreversible")  # on v2
    run.rollback(1)  # v3
    run.patch({"step": 9})  # v4
    done(run, "call", "irreversible")

    assert crossed(run, 0) == ["call"]
    assert run.rollback(0)["effects_crossed"] == 1
    assert owed(run) == ["mail", "call"]
    assert Compensation.objects.count() == 2


def test_what_a_rollback_crossed_is_known_again_once_that_is_taken_back(
    run: Run,
) -> None:
    done(run, "mail", "irreversible")  # on v2
    run.patch({"sent": True})  # v3 knows
    run.rollback(1)  # v4
    assert may_differ(run)

    run.post("undo", {})  # v5 shows v3

    assert not may_differ(run)
    assert crossed(run, 1) == []
    assert run.rollback(1)["effects_crossed"] == 0
    assert may_differ(run)
    assert Compensation.objects.count() == 1


def test_an_undo_crosses_what_came_since(run: Run) -> None:
    run.rollback(1)  # v3
    done(run, "mail", "irreversible")  # on v3

    answer = run.post("undo", {})

    assert answer["effects_crossed"] == 1
    assert owed(run) == ["mail"]


def test_a_rollback_may_be_told_to_go_behind_nothing(run: Run) -> None:
    effect = done(run, "mail", "irreversible")
    body = {"version": 0, "on_effects": "refuse"}

    answer = run.client.post(run.path("rollback"), body)

    assert_refused(answer, 409, "effects_crossed", "on_effects")
    assert answer.body["error"]["effects"] == [effect["id"]]
    assert answer.body["error"]["count"] == 1
    assert run.head == 2
    assert not Compensation.objects.exists()


def test_reads_and_what_failed_are_no_reason_to_refuse(run: Run) -> None:
    done(run, "read", "read")
    finish(run, begun(run, key="nothing"), status="failed")

    answer = run.rollback(0, on_effects="refuse")

    assert answer["effects_crossed"] == 0
    assert owed(run) == []


def test_what_to_do_about_effects_is_one_of_two(run: Run) -> None:
    body = {"version": 0, "on_effects": "ask"}

    assert_refused(
        run.client.post(run.path("rollback"), body),
        400,
        "invalid_request",
        "on_effects",
    )


def test_a_rollback_that_is_refused_owes_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(run, "mail", "irreversible")
    stale = {"version": 0, "expected_version": 1}

    assert run.client.post(run.path("rollback"), stale).status == 409
    assert not Compensation.objects.exists()
    assert Version.objects.filter(session_id=run.id).count() == 3


def test_reported_calls_carry_the_class_they_were_begun_with(run: Run) -> None:
    effect = done(run, "mail", "compensable", call_id="call_7")
    for call_id in ("call_7", "call_8"):
        said = {"name": "send_mail", "arguments": {"to": "ann"}, "id": call_id}
        run.turn({"type": "tool_call", "content": "", "tool_metadata": said})

    calls = {one["id"]: one for one in preview(run, 1)["tool_calls"]}

    assert calls["call_7"]["class"] == "compensable"
    assert calls["call_7"]["effect_id"] == effect["id"]
    assert (calls["call_8"]["class"], calls["call_8"]["effect_id"]) == (None, None)


def test_what_is_owed_is_asked_for_and_done(run: Run) -> None:
    effect = done(run, "room", "reversible")
    run.rollback(0)

    asked = change(run, effect, "requested").body
    assert (asked["compensation"], asked["key"]) == ("requested", "room")
    assert may_differ(run)
    told = change(run, effect, "done", reason="Booked again.").body

    assert (told["compensation"], told["reason"]) == ("done", "Booked again.")
    assert not may_differ(run)
    actions = Event.objects.filter(action__startswith="compensation.").order_by("id")
    assert [(one.action, one.resource_id, one.details) for one in actions] == [
        (
            "compensation.requested",
            effect["id"],
            {"status": "requested", "class": "reversible"},
        ),
        (
            "compensation.finished",
            effect["id"],
            {"status": "done", "class": "reversible"},
        ),
    ]


def test_what_failed_is_still_owed(run: Run) -> None:
    effect = done(run, "room", "reversible")
    run.rollback(0)

    assert change(run, effect, "failed", reason="No room left.").status == 200

    assert may_differ(run)
    assert owed(run, status="failed") == ["room"]
    assert change(run, effect, "requested").status == 200


def test_what_is_waived_says_why_and_stays(run: Run) -> None:
    effect = done(run, "mail", "irreversible")
    run.rollback(0)

    assert_refused(change(run, effect, "waived"), 400, "invalid_request", "reason")
    assert change(run, effect, "waived", reason="She knows.").status == 200

    assert not may_differ(run)
    assert change(run, effect, "waived", reason="She knows.").status == 200
    assert_refused(change(run, effect, "done"), 409, "compensation_closed")
    assert Event.objects.filter(action="compensation.finished").count() == 1


@pytest.mark.parametrize("status", ["open", "undone", ""])
def test_a_status_that_cannot_be_said_is_refused(run: Run, status: str) -> None:
    effect = done(run, "mail", "irreversible")
    run.rollback(0)

    assert_refused(change(run, effect, status), 400, "invalid_request", "status")


def test_nothing_is_owed_before_a_rollback(run: Run, begin: Begin) -> None:
    effect = done(run, "mail", "irreversible")

    assert_refused(change(run, effect, "done"), 404, "compensation_not_found")
    run.rollback(0)
    other = begin({})
    answer = change(other, effect, "done")
    assert_refused(answer, 404, "compensation_not_found")


def test_a_gate_may_refuse_to_ask(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.timeline.effects.test_gates import refuse

    effect = done(run, "room", "reversible")
    run.rollback(0)
    monkeypatch.setitem(hooks.COMPENSATION, "test", refuse)

    assert_refused(change(run, effect, "requested"), 403, "permission_denied")
    assert owed(run, status="open") == ["room"]
    assert change(run, effect, "done").status == 200


def test_what_is_owed_is_listed_by_pages(run: Run) -> None:
    for number in range(5):
        done(run, f"mail-{number}", "irreversible")
    run.rollback(0)

    first = run.get("compensations", limit=3)
    second = run.get("compensations", limit=3, starting_after=first["last_id"])

    keys = [one["key"] for page in (first, second) for one in page["data"]]
    assert keys == [f"mail-{number}" for number in range(5)]
    assert (first["has_more"], second["has_more"]) == (True, False)


def test_more_than_a_preview_lists_is_counted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.queries.preview.LISTED", 2)
    done(run, "read", "read")
    for number in range(3):
        done(run, f"mail-{number}", "irreversible")
    begun(run, key="open")

    found = preview(run, 1)

    assert [one["key"] for one in found["effects"]] == ["open", "mail-0"]
    assert found["effects_crossed"] == 4
    assert found["effects_truncated"] is True
    monkeypatch.setattr("apps.timeline.queries.preview.LISTED", 5)
    assert preview(run, 1)["effects_truncated"] is False
    assert run.rollback(1)["effects_crossed"] == 4


def test_a_call_carries_its_class_though_its_effect_is_not_listed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.queries.preview.LISTED", 1)
    done(run, "mail", "irreversible")
    effect = done(run, "room", "reversible")
    said = {"name": "book_room", "arguments": {}, "id": "room"}
    run.turn({"type": "tool_call", "content": "", "tool_metadata": said})

    found = preview(run, 1)

    assert [one["key"] for one in found["effects"]] == ["mail"]
    (call,) = found["tool_calls"]
    assert (call["effect_id"], call["class"]) == (effect["id"], "reversible")


def test_a_call_whose_id_no_effect_can_have_is_listed(run: Run) -> None:
    done(run, "mail", "irreversible")
    said = {"name": "send_mail", "arguments": {}, "id": "a\0b"}
    run.turn({"type": "tool_call", "content": "", "tool_metadata": said})

    (call,) = preview(run, 1)["tool_calls"]

    assert (call["name"], call["effect_id"]) == ("send_mail", None)


def test_what_is_still_owed_is_counted_without_what_is_closed(run: Run) -> None:
    mail, room = done(run, "mail", "irreversible"), done(run, "room", "reversible")
    run.patch({"step": 2})  # v3 knows of both
    run.rollback(1)

    assert change(run, mail, "waived", reason="She knows.").status == 200
    assert may_differ(run)
    assert change(run, room, "failed").status == 200
    assert may_differ(run)
    assert change(run, room, "done").status == 200

    assert not may_differ(run)
