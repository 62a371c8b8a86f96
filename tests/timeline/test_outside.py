"""Which tool calls a rollback's preview lists, and what it may say where it lists none.

`call, then store` is what agents do: the turn comes before the version that holds what
the call brought, and has the version before as its head.
"""

from typing import Any

import pytest

from apps.timeline.queries import listing, outside
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db


def charge(run: Run, name: str = "charge_card", **fields: Any) -> Any:
    call = {"name": name, "arguments": {"amount": 120}, "id": f"call_{name}"}
    said = {"type": "tool_call", "content": "", "tool_metadata": call}
    return run.turn(said, "ok", **fields)


def told(run: Run, version: int) -> list[tuple[Any, ...]]:
    """Return name, version, and the marks of each call that the preview lists."""
    found = run.get("rollback/preview", version=version)
    assert not found["tool_calls_truncated"]
    return [
        (
            one["name"],
            one["version"],
            *("may be part" for _ in [1] if one["may_already_be_part"]),
            *("aside" for _ in [1] if one["was_set_aside"]),
        )
        for one in found["tool_calls"]
    ]


def test_a_call_reported_on_the_version_itself_may_be_part_of_it(run: Run) -> None:
    charge(run)  # on v2
    run.patch({"paid": True})  # v3

    assert told(run, 2) == [("charge_card", 2, "may be part")]
    assert told(run, 1) == [("charge_card", 2)]
    assert run.get("rollback/preview", version=2)["tool_calls_since"] == 2


def test_a_turn_that_made_the_version_is_part_of_it(run: Run) -> None:
    charge(run, state_after={"paid": True})  # makes v3
    run.patch({"step": 4})  # v4

    assert told(run, 3) == []
    assert told(run, 2) == [("charge_card", 3)]


def test_a_turn_that_left_the_state_as_it_was_is_not(run: Run) -> None:
    charge(run, state_after={"step": 2, "city": "NYC"})  # is v2, and stays it
    run.patch({"step": 4})

    assert told(run, 2) == [("charge_card", 2, "may be part")]


def test_what_context_leaves_out_stays_what_it_was(run: Run) -> None:
    made = charge(run)
    run.patch({"paid": True})
    run.rollback(2)

    kept = run.post("context", {})["recent_turns"]

    assert [one["id"] for one in kept] == [made["id"]]


def test_a_rollback_shows_what_its_target_may_hold(run: Run) -> None:
    charge(run)  # on v2
    run.patch({"paid": True})  # v3
    charge(run, "send_mail")  # on v3
    run.rollback(2)  # v4 shows v2
    charge(run, "book")  # on v4
    run.patch({"step": 9})  # v5

    assert told(run, 4) == [
        ("charge_card", 2, "may be part"),
        ("send_mail", 3, "aside"),
        ("book", 4, "may be part"),
    ]
    assert run.get("rollback/preview", version=4)["tool_calls_since"] == 2


def test_an_undo_shows_what_was_before_the_rollback(run: Run) -> None:
    charge(run, "book")  # on v2
    run.rollback(0)  # v3
    charge(run)  # on v3
    run.rollback(2)  # v4, as an undo does
    run.patch({"step": 9})  # v5

    assert told(run, 4) == [("book", 2, "may be part"), ("charge_card", 3, "aside")]


def test_to_a_version_that_is_set_aside(run: Run) -> None:
    charge(run, "book")  # on v2
    run.rollback(0)  # v3
    charge(run)  # on v3

    assert told(run, 2) == [("book", 2, "may be part", "aside"), ("charge_card", 3)]


@pytest.mark.parametrize("verb", ["pause", "same"])
def test_a_version_without_a_state_of_its_own(run: Run, verb: str) -> None:
    charge(run)  # on v2
    if verb == "pause":
        run.hold("pause")  # v3
        run.hold("resume")  # v4
    else:
        run.patch({"step": 2})  # v3 changes nothing
        run.patch({"city": "NYC"})
    run.patch({"step": 5})  # v5

    for version in (2, 3, 4):
        assert told(run, version) == [("charge_card", 2, "may be part")]


def test_a_fork_begins_with_what_its_origin_may_hold(run: Run) -> None:
    charge(run, "search")  # on v2
    run.patch({"paid": True})  # v3
    charge(run)  # on v3
    fork = run.fork(version=3)
    charge(run, "too_late")  # on v3 of the origin, after the fork began
    charge(fork, "book")  # on v0 of the fork
    fork.patch({"step": 9})

    preview = fork.get("rollback/preview", version=0)["tool_calls"]

    assert [
        (one["name"], one["session_id"], one["version"], one["may_already_be_part"])
        for one in preview
    ] == [("charge_card", run.id, 3, True), ("book", fork.id, 0, True)]
    fork.patch({"step": 10})
    assert told(fork, 1) == []


def test_a_fork_of_a_fork_and_of_a_rollback(run: Run) -> None:
    charge(run)  # on v2
    run.patch({"paid": True}, tool_results={"c9": {"tool": "notify"}})  # v3
    run.rollback(2)  # v4
    first = run.fork(version=4)
    charge(first, "book")
    second = first.fork(version=0)
    second.patch({"step": 9})

    assert told(second, 0) == [
        ("charge_card", 2, "may be part"),
        ("notify", None),
        ("book", 0, "may be part"),
    ]


def test_a_fork_with_a_state_of_its_own_begins_there(run: Run) -> None:
    charge(run)
    fork = run.fork(version=2, state={"step": 7})
    fork.patch({"step": 9})

    assert told(fork, 0) == []


def test_an_origin_that_is_hidden_is_not_looked_into(
    run: Run, api: Any, make_key: Any
) -> None:
    charge(run)
    fork = run.fork(version=2, agent_id="somebody-else")
    fork.patch({"step": 9})
    limited = api(make_key(agents=["somebody-else"]))

    found = limited.get(fork.path("rollback/preview"), {"version": 0}).body

    assert found["tool_calls"] == []
    assert found["tool_calls_truncated"]
    assert run.id not in str(found["tool_calls"])


def test_calls_that_a_later_checkpoint_has_dropped(begin: Begin) -> None:
    said = {"role": "assistant", "tool_calls": [{"id": "c1", "name": "book"}]}
    run = begin({"n": 0}, messages=[])
    run.patch({"n": 1}, messages=[said])
    run.patch({"n": 2}, messages=[{"role": "system", "content": "A summary."}])

    assert told(run, 0) == [("book", None)]


def test_checkpoints_that_were_not_looked_into_are_told(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"n": 0}, messages=[])
    for n in range(1, 4):
        run.patch({"n": n}, messages=[{"role": "user", "content": str(n)}])
    assert told(run, 0) == []

    monkeypatch.setattr(outside, "CHECKPOINTS_LOOKED_INTO", 1)
    assert run.get("rollback/preview", version=0)["tool_calls_truncated"]
    monkeypatch.setattr(outside, "CHECKPOINTS_LOOKED_INTO", 200)
    monkeypatch.setattr(listing, "PAGE_BYTES", 1)
    assert run.get("rollback/preview", version=0)["tool_calls_truncated"]


def test_a_session_of_states_alone_is_looked_into_whole(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No checkpoint between can tell of a call where the last of them has no part."""
    monkeypatch.setattr(outside, "CHECKPOINTS_LOOKED_INTO", 0)

    assert told(run, 0) == []


def test_more_turns_than_are_looked_into_are_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge(run)
    run.turn()
    run.turn()
    monkeypatch.setattr(outside, "TURNS_LOOKED_INTO", 2)

    found = run.get("rollback/preview", version=1)

    assert found["tool_calls"] == []
    assert found["tool_calls_truncated"]


def test_a_tool_that_the_metadata_of_a_turn_names(run: Run) -> None:
    """The dashboard counts these as calls, so the preview cannot say there is none."""
    run.turn(metadata={"tool_used": "search_flights"})
    charge(run, metadata={"tool_name": "charge_card"})

    assert told(run, 1) == [("search_flights", 2), ("charge_card", 2)]


def test_ids_that_begin_anew_in_each_turn_are_several_calls(run: Run) -> None:
    for name, amount in (("pay", 1), ("pay", 2), ("mail", 2), ("mail", 2)):
        call = {"id": "call_0", "name": name, "arguments": {"amount": amount}}
        run.turn({"content": "", "tool_calls": [call]}, "ok")

    assert [name for name, *_ in told(run, 1)] == ["pay", "pay", "mail"]


def test_the_same_call_once_more_without_an_id(begin: Begin) -> None:
    ping = {"role": "assistant", "tool_calls": [{"name": "ping"}]}
    run = begin({"n": 0}, messages=[ping])
    run.patch({"n": 1}, messages=[ping, ping])
    run.patch({"n": 2}, messages=[{"role": "system"}, ping, ping, ping])

    assert told(run, 0) == [("ping", None), ("ping", None)]
