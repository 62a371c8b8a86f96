"""Holds what the API shows of a session to what the model knows of it."""

import json
from typing import Any

from apps.core import sql
from apps.diffs.changes import MISSING, Change, Comparison, Kind
from apps.diffs.patch import apply
from tests.conftest import Api
from tests.model.calls import read
from tests.model.model import PARTS, Session, Turn, Version, spelled


def exactly(value: Any) -> str:
    """Spell a value with its key order; 1, 1.0 and true differ, and so do zeros."""
    return json.dumps(value)


def assert_state(shown: Any, session: Session, version: Version) -> None:
    """An answer with a state is of this version, then or now."""
    assert (shown["session_id"], shown["version"]) == (session.id, version.number)
    assert exactly(shown["state"]) == exactly(version.state)
    assert shown["hold"] == version.hold
    last = shown["last_rollback"]
    told = last and (last["version"], last["restored_version"])
    assert told == session.last_rollback(version.number)


def is_shown(session: Session, number: int) -> bool:
    """Say whether a version is there, with what it held."""
    version = session.versions[number]
    return not version.is_gone and session.shows(version)


def assert_there(api: Api, session: Session, number: int) -> None:
    """A version is what it was, or a removal took it or what it held, which is said."""
    version = session.versions[number]
    answer = api.get(f"/v1/sessions/{session.id}/versions/{number}")
    if is_shown(session, number):
        assert answer.status == 200, answer.content
        assert_version(read(answer.content), session, version)
        return
    code = "version_pruned" if version.is_gone else "contents_erased"
    assert (answer.status, answer.code) == (410, code), answer.content


def assert_version(
    shown: Any, session: Session, version: Version, *, with_state: bool = True
) -> None:
    """A version is what it always was; only its labels and its place may change."""
    number = version.number
    assert (shown["session_id"], shown["version"]) == (session.id, number)
    assert (shown["op"], shown["hold"]) == (version.op, version.hold)
    assert shown["parent_version"] == (number - 1 if number else None)
    assert shown["restored_version"] == version.restored
    assert shown["external_id"] == version.external_id
    assert sorted(shown["labels"]) == sorted(version.labels)
    assert shown["set_aside_by"] == session.set_aside_by(number)
    if with_state:
        assert exactly(shown["state"]) == exactly(version.state)
    version.chain = version.chain or shown["chain"]
    assert shown["chain"] == version.chain


def assert_turn(shown: Any, session: Session, turn: Turn) -> None:
    assert (shown["session_id"], shown["turn_number"]) == (session.id, turn.number)
    assert (shown["version"], shown["made_version"]) == (turn.head, turn.made_version)
    assert shown["input"]["content"] == turn.said
    assert exactly(shown["state_before"]) == exactly(turn.before)
    assert exactly(shown["state_after"]) == exactly(turn.after)
    if "spent" in shown:
        spent = shown["spent"]
        assert turn.spent == (None if spent is None else spent["input_tokens"])


def open_items(session: Session) -> set[tuple[str, int]]:
    """Return what the lists of what is open say of the session."""
    query = "SELECT kind, number FROM timeline_open WHERE session_id = %s"
    return {(row.kind, row.number) for row in sql.rows(query, [session.id])}


def fetched(api: Api, session: Session, path: str, **query: Any) -> Any:
    answer = api.get(f"/v1/sessions/{session.id}{path}", query or None)
    assert answer.status == 200, answer.content
    return read(answer.content)


def assert_history(api: Api, session: Session) -> None:
    """Everything that can be read of the session is what the model says."""
    if session.is_deleted:
        assert open_items(session) == set()
        answer = api.get(f"/v1/sessions/{session.id}/versions")
        assert (answer.status, answer.code) == (404, "session_not_found")
        return
    there = [one for one in session.versions if not one.is_gone]
    for version in session.versions:
        assert_there(api, session, version.number)
    is_whole = all(session.shows(version) for version in there)
    asked = {"limit": 100, "order": "asc", "include_state": is_whole}
    listed = fetched(api, session, "/versions", **asked)
    assert len(listed["data"]) == len(there)
    assert listed["current_version"] == session.head.number
    for shown, version in zip(listed["data"], there, strict=True):
        assert_version(shown, session, version, with_state=is_whole)
    flagged = [shown["version"] for shown in listed["data"] if shown["flags"]]
    assert open_items(session) == session.open_items(flagged)
    _assert_turns(api, session)
    _assert_session(api, session)
    assert_checkpoint(api, session, session.head.number)
    _assert_proof(api, session)


def assert_changes(api: Api, session: Session, start: int, end: int) -> None:
    """The changes from one version to another, applied to the one, give the other."""
    shown = fetched(api, session, "/changes", **{"from": start, "to": end})
    before, after = session.versions[start].state, session.versions[end].state
    changes = tuple(
        Change(
            one["pointer"],
            Kind(one["kind"]),
            one.get("before", MISSING),
            one.get("after", MISSING),
            one.get("from_pointer"),
        )
        for one in shown["changes"]
    )
    assert shown["change_count"] == len(changes)
    assert bool(changes) == (spelled(before) != spelled(after))
    carried = apply(before, Comparison(before, after, changes, ()))
    assert spelled(carried) == spelled(after)


def assert_checkpoint(api: Api, session: Session, number: int) -> None:
    """All parts of a checkpoint are those of the version; what never was is null."""
    shown = fetched(api, session, "/checkpoint", version=number)
    version = session.versions[number]
    assert (shown["session_id"], shown["version"]) == (session.id, number)
    assert exactly(shown["state"]) == exactly(version.state)
    for name in PARTS:
        assert exactly(shown[name]) == exactly(version.parts.get(name)), name


def assert_blame(api: Api, session: Session, number: int, key: str) -> None:
    """A key of the state is blamed on who set it, along rollbacks and forks."""
    setters = session.setters(number, key)
    pointer = "/" + key.replace("~", "~0").replace("/", "~1")
    asked = {"pointer": pointer, "version": number, "limit": 50}
    answer = api.get(f"/v1/sessions/{session.id}/blame", asked)
    if not setters:
        assert (answer.status, answer.code) == (404, "pointer_not_found")
        return
    assert answer.status == 200, answer.content
    shown = read(answer.content)["data"]
    assert [(one["session_id"], one["version"]) for one in shown] == setters[:50]


def _assert_turns(api: Api, session: Session) -> None:
    if not session.turns or session.was_taken_from:
        return
    listed = fetched(api, session, "/turns", limit=100, order="asc")["data"]
    for shown, turn in zip(listed, session.turns, strict=True):
        assert_turn(shown, session, turn)
    for everything in (False, True):
        body = {"turn_limit": 50, "include_set_aside": everything}
        answer = api.post(f"/v1/sessions/{session.id}/context", body)
        context = read(answer.content)
        assert context["version"] == session.head.number
        assert exactly(context["state"]) == exactly(session.head.state)
        wanted = session.turns[::-1] if everything else session.live_turns()
        for shown, turn in zip(context["recent_turns"], wanted, strict=True):
            assert_turn(shown, session, turn)


def _assert_session(api: Api, session: Session) -> None:
    shown = fetched(api, session, "")
    status = {"open": "active"}.get(session.head.hold, session.head.hold)
    rollbacks = [one for one in session.versions if one.op == "rollback"]
    assert (shown["version"], shown["status"]) == (session.head.number, status)
    assert shown["external_id"] == session.external_id
    assert shown["turn_count"] == len(session.turns)
    assert shown["rollback_count"] == len(rollbacks)
    forked = (session.origin[0].id, session.origin[1]) if session.origin else None
    told = (shown["forked_from"], shown["forked_version"])
    assert told == (forked or (None, None))


def _assert_proof(api: Api, session: Session) -> None:
    """The proof holds, and a fork's goes on from its origin's at that version."""
    proof = fetched(api, session, "/verify")
    assert proof["valid"], proof["first_invalid"]
    assert proof["derived"]["valid"], proof["derived"]["first_invalid"]
    there = [one for one in session.versions if not one.is_gone]
    turns = [one for one in session.turns if not session.versions[one.head].is_gone]
    assert proof["versions_checked"] == len(there)
    assert proof["turns"]["turns_checked"] == len(turns)
    assert proof["chain_end"] == session.head.chain
    if session.origin:
        origin, number = session.origin
        known = origin.versions[number].chain
        assert known in (None, proof["chain_start"])
