"""Promoting, reverting, applying again and restoring, by both clients."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import Conflict, errors


def test_a_fork_is_promoted_with_what_was_chosen(sb: Any, agent_id: str) -> None:
    made = sb.sessions.create(agent_id=agent_id, initial_state={"n": 0, "m": 0})
    fork = sb.sessions.fork(made.id)
    sb.sessions.update_state(fork.id, {"n": 1, "m": 1})
    sb.sessions.update_state(made.id, {"n": 2})
    shown = sb.sessions.preview_promote(made.id, fork.id)
    assert (shown.head, shown.conflict_count, shown.result) == (1, 1, None)

    with pytest.raises(errors.MergeConflict) as refused:
        sb.sessions.promote(made.id, fork.id, expected_version=shown.head)
    (conflict,) = refused.value.conflicts
    with pytest.raises(errors.ChoiceRefused):
        sb.sessions.promote(
            made.id,
            fork.id,
            expected_version=1,
            choices={conflict["id"]: "ours_theirs"},
        )
    done = sb.sessions.promote(
        made.id,
        fork.id,
        expected_version=shown.head,
        choices={conflict["id"]: {"value": 3}},
        reasoning="Between the two",
    )

    assert done.state == {"n": 3, "m": 1}
    version = sb.sessions.get_version(made.id, done.version)
    assert (version.source_session_id, version.source_version) == (fork.id, 1)
    with pytest.raises(errors.NothingToMerge):
        sb.sessions.promote(made.id, fork.id, expected_version=2)
    with pytest.raises(errors.NotAFork):
        sb.sessions.promote(fork.id, made.id, expected_version=1)
    with pytest.raises(Conflict) as moved:
        sb.sessions.promote(made.id, fork.id, expected_version=1)
    assert moved.value.details["preview"]["head"] == 2


def test_versions_are_reverted_and_applied_again(sb: Any, agent_id: str) -> None:
    made = sb.sessions.create(agent_id=agent_id, initial_state={"n": 0, "m": 0})
    sb.sessions.update_state(made.id, {"n": 1})
    sb.sessions.update_state(made.id, {"m": 1})
    assert sb.sessions.preview_revert(made.id, 1, 1).changes_taken_count == 1

    reverted = sb.sessions.revert(made.id, 1, 1, expected_version=2)
    again = sb.sessions.preview_reapply(made.id, 1, 1)
    applied = sb.sessions.reapply(made.id, 1, 1, expected_version=again.head)

    assert (reverted.state, applied.state) == ({"n": 0, "m": 1}, {"n": 1, "m": 1})
    with pytest.raises(errors.UnacceptableRange):
        sb.sessions.revert(made.id, 2, 1, expected_version=4)


def test_places_are_restored(sb: Any, agent_id: str) -> None:
    made = sb.sessions.create(agent_id=agent_id, initial_state={"a": {"b": 0, "c": 0}})
    sb.sessions.update_state(made.id, {"a": {"b": 1, "c": 1}})
    shown = sb.sessions.preview_restore(made.id, 0, ["/a/b"])

    done = sb.sessions.restore(made.id, 0, ["/a/b"], expected_version=shown.head)

    assert done.state == {"a": {"b": 0, "c": 1}}
    with pytest.raises(errors.UnacceptablePointer):
        sb.sessions.restore(made.id, 0, ["/never"], expected_version=2)
