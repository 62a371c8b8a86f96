"""Effects: what an agent does outside is begun once, and finished once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.core.time.moments import utc_text
from apps.timeline import hooks
from apps.timeline import operations as timeline
from apps.timeline.models import Effect, EffectDue, EffectStep
from tests.timeline.effects.acting import (
    MAIL,
    SENT,
    ask,
    begun,
    finish,
    finished,
    overdue,
    read,
)
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def test_the_first_that_begins_is_to_run(run: Run) -> None:
    answer = ask(run)

    body = answer.body
    assert answer.status == 201
    assert body["run"] is True
    assert (body["status"], body["attempt"], body["number"]) == ("begun", 1, 2)
    assert body["id"].startswith("eff_")
    assert len(body["provider_key"]) == 40
    assert body["approval"] is None


def test_what_is_begun_is_not_run_twice(run: Run) -> None:
    effect = begun(run)

    answer = ask(run)

    assert_refused(answer, 409, "effect_in_progress", "key")
    assert answer.body["error"]["effect_id"] == effect["id"]
    assert EffectStep.objects.count() == 1


def test_what_is_done_answers_its_result(run: Run) -> None:
    effect = begun(run)
    finished(run, effect)

    answer = ask(run)

    assert answer.status == 200
    assert answer.body["run"] is False
    assert answer.body["result"] == {"id": "mail_17"}
    assert answer.body["external_id"] == "smtp-9"
    assert answer.body["provider_key"] == effect["provider_key"]


def test_what_failed_is_tried_again_under_the_same_key(run: Run) -> None:
    effect = begun(run)
    finished(run, effect, status="failed", result=None, external_id=None)

    again = begun(run)

    assert (again["id"], again["attempt"]) == (effect["id"], 2)
    assert again["provider_key"] == effect["provider_key"]


@pytest.mark.parametrize(
    "other",
    [
        {"arguments": {"to": "ben"}},
        {"tool": "call"},
        {"class": None},
        {"class": "read"},
    ],
)
def test_a_key_stands_for_one_call(run: Run, other: Any) -> None:
    begun(run)

    assert_refused(ask(run, **other), 422, "effect_differs", "key")


def test_equal_arguments_are_the_same_call_in_any_order(run: Run) -> None:
    begun(run, arguments={"a": 1, "b": [1.0]})

    one = ask(run, arguments={"b": [1.0], "a": 1})
    other = ask(run, arguments={"b": [1], "a": 1})

    assert one.code == "effect_in_progress"
    assert other.code == "effect_differs"


def test_keys_are_each_sessions_own(run: Run, begin: Begin) -> None:
    begun(run)

    assert begun(begin({}))["attempt"] == 1


def test_what_nobody_finishes_in_time_is_unknown(run: Run) -> None:
    effect = overdue(run)

    assert read(run, effect)["status"] == "unknown"
    assert_refused(ask(run), 409, "effect_unknown", "key")
    assert run.get("effects", status="begun")["data"] == []
    assert [one["id"] for one in run.get("effects", status="unknown")["data"]] == [
        effect["id"]
    ]


@pytest.mark.parametrize("said", [{"class": "read"}, {"takes_provider_key": True}])
def test_what_cannot_be_done_twice_is_tried_again_where_it_is_unknown(
    run: Run, said: Any
) -> None:
    effect = overdue(run, **said)

    again = begun(run, **said)

    assert (again["id"], again["attempt"]) == (effect["id"], 2)
    assert again["provider_key"] == read(run, effect)["provider_key"]


def test_the_sweep_tells_once_what_became_unknown(run: Run) -> None:
    effect = overdue(run)
    now = timezone.now()

    told = [timeline.tell_unknown_effects(actor=SYSTEM, now=now) for _ in range(2)]

    (event,) = Event.objects.filter(action="effect.unknown")
    assert told == [1, 0]
    assert (event.resource_id, event.number) == (effect["id"], 2)
    assert event.details == {"status": "unknown", "attempt": 1, "class": "irreversible"}
    assert not EffectDue.objects.exists()
    assert read(run, effect)["updated_by"] == SYSTEM.label


def test_the_sweep_leaves_alone_what_is_not_over(run: Run) -> None:
    begun(run)

    assert timeline.tell_unknown_effects(actor=SYSTEM, now=timezone.now()) == 0
    assert EffectDue.objects.count() == 1


def test_the_sweep_says_nothing_of_a_session_that_is_gone(run: Run) -> None:
    overdue(run)
    run.client.send("DELETE", run.path())

    told = timeline.tell_unknown_effects(actor=SYSTEM, now=timezone.now())

    assert told == 0
    assert not EffectDue.objects.exists()
    assert not Event.objects.filter(action="effect.unknown").exists()


@pytest.mark.parametrize("is_told", [False, True])
def test_who_comes_late_may_still_say_what_happened(run: Run, is_told: bool) -> None:
    effect = overdue(run)
    if is_told:
        timeline.tell_unknown_effects(actor=SYSTEM, now=timezone.now())

    assert finished(run, effect)["status"] == "done"
    assert ask(run).body["result"] == {"id": "mail_17"}


def test_a_finish_is_repeated_with_the_same_words_alone(run: Run) -> None:
    effect = begun(run)
    first = finished(run, effect)

    assert finished(run, effect) == first
    assert_refused(finish(run, effect, external_id="x"), 409, "effect_finished")
    assert_refused(finish(run, effect, status="failed"), 409, "effect_finished")
    assert EffectStep.objects.count() == 2


def test_another_attempt_than_the_newest_cannot_finish(run: Run) -> None:
    effect = begun(run)
    finished(run, effect, status="failed")
    begun(run)

    late = finish(run, effect)

    assert_refused(late, 409, "effect_attempt", "attempt")
    assert late.body["error"]["attempt"] == 2
    assert finish(run, effect, status="failed").status == 200  # said before


def test_what_an_agent_does_not_know_is_told_as_unknown(run: Run) -> None:
    effect = begun(run)

    body = finished(run, effect, status="unknown", result=None, external_id=None)

    assert body["status"] == "unknown"
    assert Event.objects.filter(action="effect.unknown").count() == 1
    assert_refused(ask(run), 409, "effect_unknown")
    assert finished(run, effect)["status"] == "done"


def test_a_held_session_begins_nothing_and_hears_what_happened(run: Run) -> None:
    effect = begun(run)
    run.hold("pause")

    assert_refused(ask(run, key="mail-2"), 423, "session_paused")
    assert finished(run, effect)["status"] == "done"
    assert ask(run).body["run"] is False


def test_a_closed_session_hears_what_happened(run: Run) -> None:
    effect = begun(run)
    run.hold("close")

    assert_refused(ask(run, key="mail-2"), 409, "session_closed")
    assert finished(run, effect)["status"] == "done"


def test_what_was_decided_on_what_is_set_aside_does_not_begin(run: Run) -> None:
    run.rollback(0)  # v3: v1 and v2 are set aside

    for number in (1, 2):
        answer = ask(run, number=number)
        assert_refused(answer, 409, "version_set_aside", "number")
        assert answer.body["error"]["head"] == 3
    assert begun(run, number=0)["number"] == 0
    assert begun(run, key="mail-2", number=3)["number"] == 3
    assert_refused(ask(run, key="mail-3", number=4), 404, "version_not_found", "number")


def test_what_is_brought_back_counts_again(run: Run) -> None:
    run.rollback(0)
    run.post("undo", {})  # v4 shows v2

    assert begun(run, number=2)["number"] == 2
    assert_refused(ask(run, key="mail-2", number=3), 409, "version_set_aside")


def test_a_suspended_agent_begins_nothing(run: Run) -> None:
    effect = begun(run)
    assert run.client.post("/v1/agents/travel/suspend").status == 200

    assert_refused(ask(run, key="mail-2"), 403, "agent_suspended")
    assert finished(run, effect)["status"] == "done"


def test_a_deleted_session_has_no_effects(run: Run) -> None:
    effect = begun(run)
    run.client.send("DELETE", run.path())

    for answer in (
        ask(run, key="mail-2"),
        finish(run, effect),
        run.client.get(run.path("effects")),
        run.client.get(run.path("effects", effect["id"])),
    ):
        assert_refused(answer, 404, "session_not_found")
    assert Effect.objects.count() == 1


def test_an_effect_is_answered_as_it_was_said(run: Run) -> None:
    later = utc_text(timezone.now() + HOUR)
    said = {"class": "reversible", "call_id": "call_7", "undo_until": later}
    undo = {"tool": "unsend", "arguments": {"id": 1}}
    effect = begun(run, **said, undo=undo, deadline=later)

    body = read(run, effect)

    assert (body["class"], body["class_declared"]) == ("reversible", True)
    assert (body["call_id"], body["key"]) == ("call_7", "mail-1")
    assert body["arguments"] == {"to": "ann"}
    assert body["undo"] == {"tool": "unsend", "arguments": {"id": 1}}
    assert (body["undo_until"], body["deadline"]) == (later, later)


def test_without_a_class_it_counts_as_irreversible(run: Run) -> None:
    effect = begun(run, **{"class": None})

    body = read(run, effect)

    assert (body["class"], body["class_declared"]) == ("irreversible", False)
    assert len(run.get("effects", **{"class": "irreversible"})["data"]) == 1
    assert run.get("effects", **{"class": "read"})["data"] == []


def test_effects_are_listed_newest_first_by_pages(run: Run) -> None:
    made = [begun(run, key=f"mail-{n}")["id"] for n in range(5)]

    first = run.get("effects", limit=2)
    second = run.get("effects", limit=3, starting_after=first["last_id"])

    ids = [one["id"] for page in (first, second) for one in page["data"]]
    assert ids == made[::-1]
    assert (first["has_more"], second["has_more"]) == (True, False)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"status": "running"}, "status"),
        ({"class": "safe"}, "class"),
        ({"limit": 0}, "limit"),
        ({"tool": "send_mail"}, "tool"),
    ],
)
def test_a_filter_that_is_not_understood_is_refused(
    run: Run, query: Any, param: str
) -> None:
    answer = run.client.get(run.path("effects"), query)

    assert answer.status == 400
    assert answer.param == param


@pytest.mark.parametrize(
    ("said", "status", "param"),
    [
        ({"key": ""}, 400, "key"),
        ({"key": "k" * 201}, 400, "key"),
        ({"tool": "t" * 201}, 400, "tool"),
        ({"tool": "a\0b"}, 400, "tool"),
        ({"class": "safe"}, 400, "class"),
        ({"arguments": [1]}, 422, "/arguments"),
        ({"number": 2**60}, 400, "number"),
        ({"number": -1}, 400, "number"),
        ({"deadline": "soon"}, 400, "deadline"),
        ({"deadline": "2020-01-01"}, 422, "deadline"),
        ({"deadline": "2999-01-01"}, 400, "deadline"),
        ({"undo": {"tool": "unsend"}}, 400, "undo"),
        ({"undo_until": "2999-01-01"}, 400, "undo_until"),
        ({"class": "reversible", "undo": {}}, 400, "undo.tool"),
        (
            {
                "class": "reversible",
                "undo": {"tool": "u", "arguments": {"a": "x" * 17_000}},
            },
            413,
            "undo",
        ),
        (
            {"class": "reversible", "undo": {"tool": "u"}, "undo_until": "2020-01-01"},
            422,
            "undo_until",
        ),
        ({"klass": "read"}, 400, "klass"),
        ({"class": "reversible", "undo": {"tool": "u", "by": 1}}, 400, "undo.by"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    run: Run, said: Any, status: int, param: str
) -> None:
    answer = ask(run, **said)

    assert (answer.status, answer.param) == (status, param), answer.content
    assert not Effect.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (b'{"a": NaN}', 400, "malformed_json"),
        (b'{"a": 1e400}', 422, "unacceptable_json"),
        (b'{"a": 1' + b"0" * 5_000 + b"}", 422, "unacceptable_json"),
        (b'{"a":' + b"[" * 130 + b"]" * 130 + b"}", 422, "unacceptable_json"),
        (b'{"a": "' + b"x" * (16 * 1024 * 1024) + b'"}', 413, "payload_too_large"),
    ],
)
def test_arguments_are_held_to_the_rules_of_states(
    run: Run, arguments: bytes, status: int, code: str
) -> None:
    body = b'{"key": "k", "tool": "t", "arguments": ' + arguments + b"}"

    answer = run.client.post(run.path("effects"), body)

    assert (answer.status, answer.code) == (status, code)
    assert not Effect.objects.exists()


def test_large_arguments_are_compared_and_not_kept(run: Run) -> None:
    effect = begun(run, arguments={"a": "x" * 300_000})

    body = read(run, effect)
    assert body["arguments"] is None
    assert body["arguments_size"] == 300_008
    assert ask(run, arguments={"a": "x" * 300_000}).code == "effect_in_progress"
    assert ask(run, arguments={"a": "y" * 300_000}).code == "effect_differs"


@pytest.mark.parametrize(
    ("said", "status", "param"),
    [
        ({"status": "begun"}, 400, "status"),
        ({"attempt": 0}, 400, "attempt"),
        ({"attempt": 2}, 409, "attempt"),
        ({"result": "x" * 262_143}, 413, "result"),
        ({"result": None, "result_reference": "s3"}, 400, "result_reference"),
        ({"result_reference": "s3", "result_digest": "d"}, 400, "result_reference"),
        ({"external_id": "e" * 201}, 400, "external_id"),
        ({"external_id": "a\0"}, 400, "external_id"),
    ],
)
def test_what_cannot_have_come_of_it_is_refused(
    run: Run, said: Any, status: int, param: str
) -> None:
    effect = begun(run)

    answer = finish(run, effect, **said)

    assert (answer.status, answer.param) == (status, param), answer.content
    assert EffectStep.objects.count() == 1


@pytest.mark.parametrize("result", ["x" * 262_142, 0, False, [], {}, 1e22])
def test_any_result_comes_back_exactly(run: Run, result: Any) -> None:
    finished(run, begun(run), result=result)

    assert ask(run).body["result"] == result


def test_a_larger_result_is_named_by_its_place(run: Run) -> None:
    kept = {"result": None, "result_reference": "s3://b/1", "result_digest": "sha256:1"}
    finished(run, begun(run), **kept)

    body = ask(run).body

    assert {name: body[name] for name in kept} == kept


def test_nothing_is_known_of_an_effect_of_another_session(
    run: Run, begin: Begin
) -> None:
    effect = begun(run)
    other = begin({})

    assert_refused(finish(other, effect), 404, "effect_not_found")
    answer = other.client.get(other.path("effects", effect["id"]))
    assert_refused(answer, 404, "effect_not_found")


APPROVAL = {"object": "approval", "id": "appr_1", "status": "pending"}


def test_an_effect_that_waits_for_an_approval_is_not_begun(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[hooks.BeginAsked] = []

    def gate(one: hooks.BeginAsked) -> Any:
        assert connection.in_atomic_block
        asked.append(one)
        return APPROVAL

    monkeypatch.setitem(hooks.BEGIN, "test", gate)

    answer = ask(run)

    assert answer.status == 202
    assert (answer.body["run"], answer.body["approval"]) == (False, APPROVAL)
    assert (answer.body["id"], answer.body["status"]) == (None, None)
    (one,) = asked
    assert (one.tool, one.effect_class, one.arguments, one.key) == (
        *("send_mail", "irreversible", {"to": "ann"}, "mail-1"),
    )
    assert (one.head_number, one.number, one.attempt) == (2, 2, 1)
    assert not Effect.objects.exists()


def test_a_gate_is_asked_only_of_what_would_run(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(run, begun(run))
    other = begun(run, key="mail-2")
    asked: list[hooks.BeginAsked] = []
    monkeypatch.setitem(hooks.BEGIN, "test", asked.append)

    assert ask(run).status == 200
    assert ask(run, key="mail-2").code == "effect_in_progress"
    assert asked == []
    finished(run, other, status="failed")
    assert begun(run, key="mail-2")["attempt"] == 2
    assert [one.attempt for one in asked] == [2]


def test_what_is_said_of_effects_is_in_no_event(run: Run) -> None:
    finished(run, begun(run))

    told = Event.objects.filter(resource_type="effect").order_by("id")

    assert [(one.action, one.details) for one in told] == [
        (f"effect.{verb}", {"status": status, "attempt": 1, "class": "irreversible"})
        for verb, status in (("begun", "begun"), ("finished", "done"))
    ]


def test_another_process_is_answered_as_the_first_where_its_answer_was_lost(
    run: Run,
) -> None:
    headers = {"Idempotency-Key": "one-try"}

    first = run.client.post(run.path("effects"), MAIL, **headers)
    again = run.client.post(run.path("effects"), MAIL, **headers)

    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert EffectStep.objects.count() == 1


def test_a_result_is_sent_once(run: Run) -> None:
    effect = begun(run)
    headers = {"Idempotency-Key": "one-finish"}
    path = run.path("effects", effect["id"], "finish")
    body = {"attempt": 1} | SENT

    first = run.client.post(path, body, **headers)
    again = run.client.post(path, body, **headers)

    assert again.content == first.content
    assert EffectStep.objects.count() == 2
