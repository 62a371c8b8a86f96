"""Every call of the client against a real server, by both clients."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import Conflict, NotFound, errors

HUGE = int("7" * 4000)


def test_values_come_back_exactly_as_they_were_sent(sb: Any, agent_id: str) -> None:
    state = {
        "big": HUGE,
        "float": 0.1,
        "nul": "a\x00b",
        "none": None,
        "ä/~": ["€", {"z": 1, "a": 2}],
    }

    made = sb.sessions.create(agent_id=agent_id, initial_state=state)

    read = sb.sessions.get_state(made.id)
    assert read.state == state
    assert list(read.state["ä/~"][1]) == ["z", "a"]


def test_what_is_no_json_is_refused_before_it_is_sent(sb: Any, session: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        sb.sessions.update_state(session.id, {"n": float("nan")})

    assert sb.sessions.get_state(session.id).version == 5


def test_null_is_stored_and_remove_removes(sb: Any, session: Any) -> None:
    nulled = sb.sessions.update_state(session.id, {"n": None})
    removed = sb.sessions.update_state(session.id, remove=["/n"])
    replaced = sb.sessions.replace_state(session.id, {"whole": 1})

    assert (nulled.state, removed.state) == ({"n": None}, {})
    assert replaced.state == {"whole": 1}


def test_a_stale_write_tells_the_head_and_what_changed(sb: Any, session: Any) -> None:
    with pytest.raises(Conflict) as caught:
        sb.sessions.update_state(session.id, {"m": 1}, expected_version=3)

    assert isinstance(caught.value, errors.VersionConflict)
    assert (caught.value.expected_version, caught.value.head) == (3, 5)
    assert caught.value.changed_paths == ("/n",)
    assert caught.value.head_written_by
    assert caught.value.head_written_at.endswith("Z")
    assert sb.sessions.get_state(session.id).state == {"n": 5}
    on_it = sb.sessions.update_state(
        session.id, {"m": 1}, expected_version=caught.value.head
    )
    assert on_it.version == 6


def test_a_stale_write_becomes_a_fork_where_that_is_wanted(
    sb: Any, session: Any
) -> None:
    head = sb.sessions.update_state(session.id, {"step": 1})

    for write in (sb.sessions.update_state, sb.sessions.replace_state):
        written = write(
            session.id, {"late": True}, expected_version=0, on_conflict="fork"
        )

        assert written.session_id != session.id
        assert (written.forked_from, written.forked_version) == (session.id, 0)
        assert written.state["late"] is True
    assert sb.sessions.get_state(session.id).version == head.version


def test_a_json_patch_is_made_whole_or_not_at_all(sb: Any, session: Any) -> None:
    add = {"op": "add", "path": "/list", "value": [1]}

    made = sb.sessions.update_state(session.id, operations=[add], reasoning="why")
    with pytest.raises(errors.PatchFailed) as caught:
        sb.sessions.update_state(
            session.id,
            operations=[
                {"op": "remove", "path": "/list/0"},
                {"op": "test", "path": "/list", "value": [1]},
            ],
        )

    assert made.state["list"] == [1]
    assert made.forked_from is None
    assert (caught.value.operation, caught.value.pointer) == (1, "/list")
    assert sb.sessions.get_state(session.id).state["list"] == [1]


@pytest.mark.parametrize("verb", ["replace_state", "rollback", "add_turn", "batch"])
def test_every_write_can_name_the_head_it_builds_on(
    sb: Any, session: Any, verb: str
) -> None:
    given: dict[str, tuple[Any, ...]] = {
        "replace_state": (session.id, {}),
        "rollback": (session.id, 1),
        "add_turn": (session.id, "in", "out"),
        "batch": (session.id, [{"state": {"n": 6}}]),
    }
    method = getattr(sb.sessions, {"batch": "append_batch"}.get(verb, verb))

    with pytest.raises(Conflict):
        method(*given[verb], expected_version=2)


def test_the_same_key_is_one_write(sb: Any, session: Any) -> None:
    key = f"key-{session.id}"

    first = sb.sessions.update_state(session.id, {"m": 1}, idempotency_key=key)
    again = sb.sessions.update_state(session.id, {"m": 1}, idempotency_key=key)

    assert first == again
    with pytest.raises(errors.IdempotencyKeyReused):
        sb.sessions.update_state(session.id, {"m": 2}, idempotency_key=key)


def test_a_batch_is_all_or_none(sb: Any, session: Any) -> None:
    made = sb.sessions.append_batch(
        session.id,
        [{"state": {"m": 1}, "reasoning": "one"}, {"op": "replace", "state": {"k": 2}}],
        expected_version=5,
    )

    assert (made.first_version, made.last_version, made.state) == (6, 7, {"k": 2})
    with pytest.raises(errors.BadRequest):
        sb.sessions.append_batch(session.id, [{"state": {"m": 1}}, {"op": "lose"}])
    assert sb.sessions.get_state(session.id).version == 7


def test_rolling_back_with_a_preview_holds_the_agent(sb: Any, session: Any) -> None:
    preview = sb.sessions.preview_rollback(session.id, 2)

    done = sb.sessions.rollback(
        session.id,
        2,
        "destination lost",
        reason_code="bad_tool",
        hold=True,
        expected_version=preview.head,
    )

    assert (preview.versions_set_aside, preview.changes[0]["after"]) == (3, 2)
    assert (done.restored_from_version, done.rolled_back_from_version) == (2, 5)
    assert done.verified is True
    assert (done.hold, done.reason, done.reason_code) == (
        "paused",
        "destination lost",
        "bad_tool",
    )
    with pytest.raises(errors.SessionPaused):
        sb.sessions.update_state(session.id, {"n": 9})
    assert sb.sessions.resume(session.id, "looked into").hold == "open"


def test_pausing_and_closing(sb: Any, session: Any) -> None:
    assert sb.sessions.pause(session.id).hold == "paused"
    sb.sessions.resume(session.id)
    assert sb.sessions.close(session.id, "done").hold == "closed"

    with pytest.raises(errors.SessionClosed):
        sb.sessions.update_state(session.id, {"n": 9})


def test_a_fork_takes_another_state_and_knows_where_it_parted(
    sb: Any, session: Any
) -> None:
    fork = sb.sessions.fork(
        session.id, 3, state={"m": "tried"}, external_id=f"fork-{session.id}"
    )
    sb.sessions.update_state(fork.id, {"n": 30})

    parted = sb.sessions.divergence(fork.id)
    changes = sb.sessions.diff(session.id, 5, 1, other=fork.id)

    assert (fork.state, fork.forked_version) == ({"n": 3, "m": "tried"}, 3)
    assert (parted.common_session_id, parted.common_version) == (session.id, 3)
    (first,) = (one for one in parted.first_differences if one.kind == "state")
    assert first.step is not None
    assert (first.step["version"], first.pointer) == (1, "/n")
    assert parted.read_all
    assert {one["pointer"] for one in changes.changes} == {"/m", "/n"}


def test_a_check_says_of_a_version_whether_it_holds(sb: Any, session: Any) -> None:
    now = sb.sessions.check(session.id, "state.n>=3")
    then = sb.sessions.check(session.id, "state.n>=3", version=0)

    assert (now.holds, now.pointers) == (True, ["/n"])
    assert (then.holds, then.version) == (False, 0)
    with pytest.raises(errors.InvalidRequest):
        sb.sessions.check(session.id, "n>=3")


def test_a_bisect_tells_which_versions_turned_a_check(sb: Any, session: Any) -> None:
    found = sb.sessions.bisect(session.id, "state.n>=3")
    part = sb.sessions.bisect(
        session.id, {"not": {"test": "there", "place": "state/n"}}, from_version=3
    )

    assert [(one["version"], one["holds"]) for one in found.data] == [(3, True)]
    assert (found.exact, found.next, found.first["version"]) == (True, None, 0)
    assert found.first_bad is not None
    assert (part.data, part.first["version"], part.last_good) == ([], 3, None)
    with pytest.raises(errors.UnacceptableRange):
        sb.sessions.bisect(session.id, "state.n>=3", from_version=3, to_version=1)
    with pytest.raises(errors.InvalidRequest):
        sb.sessions.bisect(session.id, "n>=3")


def test_a_name_leads_to_its_session_and_is_given_once(sb: Any, agent_id: str) -> None:
    made = sb.sessions.create(agent_id=agent_id, external_id=f"order-{agent_id}")

    found = sb.sessions.list(external_id=f"order-{agent_id}")

    assert [one.id for one in found.data] == [made.id]
    with pytest.raises(errors.ExternalIdTaken) as caught:
        sb.sessions.create(agent_id=agent_id, external_id=f"order-{agent_id}")
    assert caught.value.session_id == made.id


def test_lists_go_on_page_by_page(sb: Any, agent_id: str) -> None:
    made = [sb.sessions.create(agent_id=agent_id).id for _ in range(3)]

    first = sb.sessions.list(agent_id=agent_id, limit=2)
    rest = sb.sessions.list(
        agent_id=agent_id, limit=2, starting_after=first.last_id, metadata={}
    )

    assert [one.id for one in (*first.data, *rest.data)] == made[::-1]
    assert (first.has_more, rest.has_more) == (True, False)


def test_a_title_is_set_left_and_removed(sb: Any, agent_id: str) -> None:
    made = sb.sessions.create(agent_id=agent_id, title="Rebook")
    kept = sb.sessions.update(made.id, metadata={"tier": 1})
    changed = sb.sessions.update(made.id, title="Cancel")
    removed = sb.sessions.update(made.id, title=None)
    fork = sb.sessions.fork(made.id, title="Replay")

    titles = [one.title for one in (made, kept, changed, removed, fork)]
    assert titles == ["Rebook", "Rebook", "Cancel", None, "Replay"]
    assert sb.sessions.get(made.id).title is None


def test_metadata_and_lifetime_change_without_a_version(sb: Any, session: Any) -> None:
    changed = sb.sessions.update(session.id, metadata={"tier": 1}, ttl_seconds=60)

    assert changed.metadata == {"tier": 1}
    assert changed.ttl_expires_at is not None
    assert sb.sessions.get(session.id).version == 5


def test_a_deleted_session_is_gone_for_agents(sb: Any, session: Any) -> None:
    sb.sessions.delete(session.id)

    for read in (sb.sessions.get, sb.sessions.get_state, sb.sessions.get_context):
        with pytest.raises(NotFound) as caught:
            read(session.id)
        assert isinstance(caught.value, errors.SessionNotFound)


def test_a_whole_checkpoint_is_written_and_read(sb: Any, session: Any) -> None:
    sb.sessions.update_state(
        session.id,
        {"n": 6},
        "A step",
        messages=[{"role": "user", "content": "hi"}],
        tool_results={"call_1": {"ok": True}},
        model_params={"model": "m", "seed": 7},
        tasks=[{"id": "t", "status": "pending"}],
        artifacts=["s3://bucket/x"],
        step_number=6,
        objective_status="In Progress",
        trace_id="trace-of-mine",
    )

    found = sb.sessions.checkpoint(session.id)
    before = sb.sessions.checkpoint(session.id, 5)

    assert found.messages == [{"role": "user", "content": "hi"}]
    assert (found.tool_results, found.step_number) == ({"call_1": {"ok": True}}, 6)
    assert (found.reasoning, found.trace_id) == ("A step", "trace-of-mine")
    assert (before.version, before.messages) == (5, None)


def test_blame_and_patches(sb: Any, session: Any) -> None:
    sb.sessions.update_state(session.id, {"m": 1}, "something else")

    blame = sb.sessions.blame(session.id, "/n")
    patch = sb.sessions.diff(session.id, 4, 5, format="patch")

    assert (blame.data[0]["version"], blame.value) == (5, 5)
    assert patch.patch == [{"op": "replace", "path": "/n", "value": 5}]
    with pytest.raises(errors.PointerNotFound):
        sb.sessions.blame(session.id, "/never")


def test_turns_tool_calls_and_notes(sb: Any, session: Any) -> None:
    said = sb.sessions.add_turn(session.id, "Hello", "Hi", {"latency_ms": 3}, "why not")
    called = sb.sessions.add_tool_call(
        session.id, "book", {"flight": "UA1"}, {"ok": True}, call_id="c1"
    )
    note = sb.sessions.add_note(session.id, "Look here", version=5)

    turns = sb.sessions.list_turns(session.id, order="asc").data
    assert [one.id for one in turns] == [said.id, called.id]
    assert sb.sessions.get_turn(session.id, said.id).reasoning == "why not"
    assert called.input["tool_metadata"]["name"] == "book"
    preview = sb.sessions.preview_rollback(session.id, 1)
    assert [one["name"] for one in preview.tool_calls] == ["book"]
    assert (preview.tool_calls_since, preview.tool_calls_truncated) == (1, False)
    assert [one.text for one in sb.sessions.list_notes(session.id).data] == [note.text]


def test_turns_are_summarised_and_contexts_go_on_from_there(
    sb: Any, session: Any
) -> None:
    for word in ("one", "two", "three"):
        sb.sessions.add_turn(session.id, word, "Yes", state_after={"said": word})
    first = sb.sessions.add_summary(session.id, 1, 1, "Counted to one.")
    second = sb.sessions.add_summary(session.id, 1, 2, "Counted to two.")

    context = sb.sessions.get_context(session.id, older_summaries=1)

    assert context.summary == second.raw
    assert [one["id"] for one in context.older_summaries] == [first.id]
    assert [one["turn_number"] for one in context.recent_turns] == [3]
    alone = sb.sessions.get_context(session.id, include_summary=False)
    assert (alone.summary, len(alone.recent_turns)) == (None, 3)
    back = sb.sessions.rollback(session.id, first.version)
    assert sb.sessions.get_summary(session.id, second.id).set_aside_by == back.version
    listed = sb.sessions.list_summaries(session.id).data
    assert [one.set_aside_by for one in listed] == [back.version, None]
    with pytest.raises(errors.SummaryNotFound):
        sb.sessions.get_summary(session.id, "sum_0")


def test_a_session_is_reviewed_and_scored(sb: Any, session: Any) -> None:
    scored = sb.sessions.score(session.id, "reward", 0.25)
    reviewed = sb.sessions.review(session.id, "failed", "No refund.")

    found = sb.sessions.list(review="failed", score="reward<0.5").data
    read = sb.sessions.get(session.id)
    assert (scored.name, scored.value) == ("reward", 0.25)
    assert (reviewed.outcome, reviewed.why) == ("failed", "No refund.")
    assert (read.review, dict(read.scores)) == ("failed", {"reward": 0.25})
    assert session.id in [one.id for one in found]
    with pytest.raises(errors.InvalidRequest):
        sb.sessions.review(session.id, "good")


def test_the_proof_and_the_history_are_read(sb: Any, session: Any) -> None:
    first = sb.sessions.verify(session.id, limit=3)
    rest = sb.sessions.verify(
        session.id, after=first.last_version, after_turn=first.last_turn
    )
    history = sb.sessions.history(session.id, limit=2)

    assert (first.valid, first.has_more, rest.valid, rest.has_more) == (
        True,
        True,
        True,
        False,
    )
    assert rest.chain_start == first.chain_end
    assert (first.last_turn, rest.last_turn) == (0, 0)
    assert (history.current_version, len(history.data)) == (5, 2)
    assert history.traces


def test_labels_traces_and_search(sb: Any, session: Any) -> None:
    sb.labels.add(session.id, 3, "last good/one")

    by_label = sb.search('label:"last good/one"', kind="versions")
    traces = sb.traces.list(session_id=session.id, limit=1)

    assert (session.id, 3) in [(one.session_id, one.version) for one in by_label.data]
    assert traces.data[0].action == "version.labelled"
    assert sb.traces.get(traces.data[0].id).session_id == session.id
    sb.labels.remove(session.id, 3, "last good/one")
    with pytest.raises(errors.LabelNotFound):
        sb.labels.remove(session.id, 3, "last good/one")


def test_agents_are_reached_by_name_also_with_a_slash(sb: Any, agent_id: str) -> None:
    name = f"team/{agent_id}"
    sb.agents.create("Named", external_id=name)
    made = sb.sessions.create(agent_id=name)

    suspended = sb.agents.suspend(name)

    assert suspended.status == "suspended"
    with pytest.raises(errors.AgentSuspended):
        sb.sessions.update_state(made.id, {"n": 1})
    assert sb.agents.activate(name).status == "active"
    assert sb.agents.update(name, metadata={"k": 1}).metadata == {"k": 1}
    assert sb.agents.get(name).id in [one.id for one in sb.agents.list().data]


def test_the_server_tells_how_it_is(sb: Any) -> None:
    assert sb.health()["status"] == "healthy"


def test_a_key_that_is_none_is_told(connect: Any) -> None:
    with pytest.raises(errors.AuthenticationFailed):
        connect(api_key="sb_nobody").sessions.get("sess_x")


def test_a_rollback_is_taken_back_and_counts_as_none(
    sb: Any, agent_id: str, session: Any
) -> None:
    sb.sessions.rollback(session.id, 1)

    undone = sb.sessions.undo(session.id, reason="it was fine", expected_version=6)

    assert (undone.version, undone.state) == (7, {"n": 5})
    assert sb.sessions.get_version(session.id, 7).undo_of == 6
    figures = sb.metrics.summary(agent_id=agent_id).figures
    assert (figures["rollbacks"], figures["undone"]) == (1, 1)
    with pytest.raises(Conflict):
        sb.sessions.undo(session.id, 6, expected_version=6)


def test_the_rollback_rate_is_counted_by_the_server(
    sb: Any, agent_id: str, session: Any
) -> None:
    sb.sessions.rollback(session.id, 1, reason_code="bad_tool")

    summary = sb.metrics.summary(agent_id=agent_id, window="24h")
    series = sb.metrics.series(agent_id=agent_id)
    ranked = sb.metrics.agents(limit=100)
    reasons = sb.metrics.breakdown("reason", agent_id=agent_id)

    assert summary.figures["rollbacks"] == 1
    assert summary.figures["rollback_rate"] == 1.0
    assert sum(one["rollbacks"] for one in series.data) == 1
    assert agent_id in [one["agent_id"] for one in ranked.data]
    assert reasons.data


def test_what_was_handed_off_is_adopted_if_it_verifies(sb: Any, session: Any) -> None:
    handoff = sb.sessions.hand_off(session.id, 3, to_agent="reviewer")

    adopted = sb.sessions.adopt(handoff, external_id=f"adopted-{session.id}")

    assert (adopted.state, adopted.forked_version) == ({"n": 3}, 3)
    with pytest.raises(errors.HandoffNotVerified):
        sb.sessions.adopt({**handoff, "version": 4})
