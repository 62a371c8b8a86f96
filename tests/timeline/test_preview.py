"""A rollback's preview: what it would do, exactly, with nothing done."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.timeline.bodies import Part
from apps.timeline.models import Version
from apps.timeline.queries import outside
from apps.timeline.queries.calls import Call, calls_in_turn, made_since, merged
from apps.timeline.queries.preview import preview_rollback, without
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db


def previewed(run: Run, version: int) -> Any:
    return run.get("rollback/preview", version=version)


def test_it_tells_what_the_rollback_then_does(run: Run) -> None:
    told = previewed(run, 0)
    before = Version.objects.count(), Event.objects.count()

    done = run.rollback(0, expected_version=told["head"])

    assert before == (3, Event.objects.count() - 1)
    made = run.get("versions", done["version"])
    assert told["changes"] == made["changes"]
    assert told["summary"] == "city changed from NYC to Rome; step changed from 2 to 0"
    assert (told["version"], told["head"], told["hold"]) == (0, 2, "open")
    assert (told["versions_set_aside"], told["versions_brought_back"]) == (2, 0)
    assert "cannot undo" in told["outside"]
    aside = [one for one in run.get("versions")["data"] if one.get("set_aside_by")]
    assert len(aside) in (0, told["versions_set_aside"])


def test_what_is_set_aside_already_is_not_counted_again(run: Run) -> None:
    run.rollback(1)  # v3 sets v2 aside
    run.patch({"step": 9})  # v4

    told = previewed(run, 0)

    assert (told["versions_set_aside"], told["versions_brought_back"]) == (3, 0)


def test_a_version_set_aside_can_be_brought_back(run: Run) -> None:
    run.rollback(0)  # v3 sets v1 and v2 aside

    told = previewed(run, 2)

    assert (told["versions_set_aside"], told["versions_brought_back"]) == (1, 2)


def test_a_negative_version_counts_back_from_the_head(run: Run) -> None:
    assert previewed(run, -1)["version"] == 1


def test_it_names_the_calls_that_turns_report(run: Run) -> None:
    call = {"name": "charge_card", "arguments": {"amount": 120}, "id": "call_7"}
    said = {"type": "tool_call", "tool_metadata": call}
    run.post("turns", {"input": said, "output": "ok"})
    run.post(
        "turns",
        {
            "input": "and mail it",
            "output": {
                "content": "",
                "tool_calls": [
                    {
                        "id": "call_8",
                        "function": {"name": "send_email", "arguments": '{"to":"a"}'},
                    }
                ],
            },
        },
    )

    told = previewed(run, 1)
    earlier = [(one["name"], one["arguments"], one["id"]) for one in told["tool_calls"]]

    assert earlier == [
        ("charge_card", {"amount": 120}, "call_7"),
        ("send_email", {"to": "a"}, "call_8"),
    ]
    assert [one["version"] for one in told["tool_calls"]] == [2, 2]
    assert told["turns_set_aside"] == 2
    assert not told["tool_calls_truncated"]


def test_it_names_the_calls_among_messages_and_results(begin: Begin) -> None:
    def asked(call_id: str, name: str) -> dict[str, Any]:
        return {
            "role": "assistant",
            "tool_calls": [{"id": call_id, "function": {"name": name}}],
        }

    run = begin({"n": 0}, messages=[asked("c1", "search")])
    run.patch(
        {"n": 1},
        messages=[asked("c1", "search"), asked("c2", "book")],
        tool_results={"c2": {"content": "ok"}, "c3": {"tool": "notify"}},
    )

    told = previewed(run, 0)["tool_calls"]

    assert [(one["id"], one["name"]) for one in told] == [
        ("c2", "book"),
        ("c3", "notify"),
    ]


def test_it_names_the_calls_on_versions_that_a_rollback_set_aside_before(
    run: Run,
) -> None:
    call = {"name": "charge_card", "arguments": {"amount": 120}, "id": "call_7"}
    said = {"type": "tool_call", "tool_metadata": call}
    run.post("turns", {"input": said, "output": "ok"})  # at v2
    run.rollback(1)  # v3
    later = {**call, "name": "send_email", "id": "call_8"}
    run.post(
        "turns", {"input": {**said, "tool_metadata": later}, "output": "ok"}
    )  # at v3

    told = previewed(run, 0)

    assert [
        (one["name"], one["version"], one["was_set_aside"])
        for one in told["tool_calls"]
    ] == [("charge_card", 2, True), ("send_email", 3, False)]
    assert told["turns_set_aside"] == 1


def test_it_names_the_calls_of_a_checkpoint_that_a_rollback_left(begin: Begin) -> None:
    run = begin({"n": 0})
    run.patch({"n": 1}, tool_results={"c1": {"tool": "book"}})
    run.patch({"n": 2}, tool_results={"c1": {"tool": "book"}, "c2": {"tool": "pay"}})
    run.rollback(0)
    run.patch({"n": 3}, tool_results={"c3": {"tool": "notify"}})

    told = previewed(run, 0)["tool_calls"]

    assert [(one["id"], one["name"]) for one in told] == [
        ("c1", "book"),
        ("c2", "pay"),
        ("c3", "notify"),
    ]


def test_more_rollbacks_than_are_looked_into_are_told(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "LEFT_LOOKED_INTO", 1)
    monkeypatch.setattr(outside, "CHECKPOINTS_LOOKED_INTO", 1)
    run = begin({"n": 0})
    run.patch({"n": 1}, tool_results={"c1": {"tool": "book"}})
    run.rollback(0)
    run.patch({"n": 2}, tool_results={"c2": {"tool": "pay"}})
    run.rollback(0)
    run.patch({"n": 3})

    told = previewed(run, 0)

    assert [one["id"] for one in told["tool_calls"]] == ["c1", "c2"]
    assert not told["tool_calls_truncated"]
    monkeypatch.setattr(outside, "CHECKPOINTS_LOOKED_INTO", 0)
    assert previewed(run, 0)["tool_calls_truncated"]


def test_it_names_forks_and_labels_on_what_is_set_aside(run: Run) -> None:
    kept = run.post("fork", {"version": 0})["id"]
    touched = run.post("fork", {"version": 2})["id"]
    run.post("versions/1/labels", {"label": "known-good"})
    run.post("versions/0/labels", {"label": "start"})

    told = previewed(run, 0)

    assert told["forks"] == [{"session_id": touched, "version": 2}]
    assert kept not in str(told["forks"])
    assert told["labels"] == [{"label": "known-good", "version": 1}]


def test_a_fork_of_a_hidden_agent_is_not_told(
    run: Run, api: Any, make_key: Any
) -> None:
    run.post("fork", {"version": 2, "agent_id": "somebody-else"})

    limited = api(make_key(agents=["travel"]))
    told = limited.get(run.path("rollback/preview"), {"version": 0}).body

    assert told["forks"] == []


def test_it_recommends_a_hold_only_to_a_session_in_motion(
    run: Run, project: Project
) -> None:
    scope, now = Scope(project), timezone.now()

    assert preview_rollback(scope, run.id, 0, now=now).recommends_hold
    later = now + timedelta(minutes=6)
    assert not preview_rollback(scope, run.id, 0, now=later).recommends_hold
    run.post("pause", {})
    assert not preview_rollback(scope, run.id, 0, now=now).recommends_hold


@pytest.mark.parametrize(
    ("version", "status", "code"),
    [
        (2, 409, "nothing_to_roll_back"),
        (3, 404, "version_not_found"),
        (-3, 404, "version_not_found"),
        (None, 400, "invalid_request"),
    ],
)
def test_it_refuses_what_the_rollback_would(
    run: Run, version: Any, status: int, code: str
) -> None:
    query = {} if version is None else {"version": version}

    answer = run.client.get(run.path("rollback/preview"), query)

    assert_refused(answer, status, code)


@pytest.mark.parametrize(
    ("ranges", "others", "left"),
    [
        ([range(10)], [], [range(10)]),
        ([range(10)], [range(4)], [range(4, 10)]),
        ([range(8, 10), range(4)], [range(5)], [range(8, 10)]),
        ([range(10)], [range(6, 8), range(2)], [range(8, 10), range(2, 6)]),
        ([range(6, 8), range(2)], [range(10)], []),
    ],
)
def test_ranges_are_subtracted(ranges: Any, others: Any, left: Any) -> None:
    assert without(ranges, others) == left


@pytest.mark.parametrize(
    "said",
    [
        b'{"content": null, "tool_calls": [1, {"function": 5}, {"name": 7}]}',
        b'{"type": "tool_call", "tool_metadata": "x"}',
        b'{"tool_calls": {"a": 1}}',
        b'{"content": {"tool_calls": [[]]}}',
    ],
)
def test_what_is_no_call_is_not_taken_for_one(said: bytes) -> None:
    assert calls_in_turn({"input": said, "output": b"{}"}) == []


def test_calls_without_an_id_are_each_one_of_their_own() -> None:
    ping = Call(name="ping")

    assert merged([ping, ping]) == [ping, ping]


def test_a_broken_part_is_no_call() -> None:
    broken = Part("tool_results", "application/json", b"{")

    assert made_since([], [[broken]]) == []
