"""Random histories of one project over the API, step by step beside the model.

A rule makes a call from what was drawn and from where the model stands; the desk sends
it and compares. What was refused must have left the head; at the end all is read. The
laws of the store are among it: a rollback to n differs from n in nothing, a fork's
proof goes on from its origin's, and no verb changes the chain of an old version.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.conftest import Answer, Api
from tests.model import histories, model
from tests.model.calls import Call, Desk, read
from tests.model.comparing import (
    assert_blame,
    assert_changes,
    assert_checkpoint,
    assert_history,
    assert_state,
    assert_there,
    assert_turn,
    assert_version,
    fetched,
    is_shown,
)
from tests.model.encrypting import Encrypting
from tests.model.model import Refused, Session, Turn, Version
from tests.model.removing import Removing

CLOSES_AFTER = 8  # steps: a session that has ended early tells little
DELETES_AFTER = 14
MOST_SESSIONS = 4
SCHEMAS = 3  # as many migrations lead from the first to the last
_serial = count()

which, places, sights = histories.which, histories.places, histories.sights
flags = st.booleans()
# A merge names the head that was shown.
shown = st.sampled_from(["right", "right", "right", "stale", "ahead"])


class Histories(Removing, Encrypting, RuleBasedStateMachine):
    """One history: its sessions, its keys, and how far it has come."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api
        self.desk = Desk(api)
        self.store = model.Store()
        self.steps = 0
        # Names are unique in a project, which all histories share.
        self.name = f"h{next(_serial)}"

    # -- writes to a session

    @initialize(state=histories.states, items=histories.batches, keyed=flags)
    def begin(self, state: Any, items: Any, keyed: bool) -> None:
        """Begin with some versions, so that there is something to go back to."""
        self._begin("", {"agent_id": "agent", "initial_state": state}, keyed)
        said = {"sight": "right", "header": False, "keyed": keyed}
        self._write(0, "POST", "versions", {"versions": items}, model.batch, **said)

    @precondition(lambda self: len(self.store.sessions) < MOST_SESSIONS)
    @rule(
        state=histories.states, parts=histories.parts, name=histories.names, keyed=flags
    )
    def create(self, state: Any, parts: Any, name: str | None, keyed: bool) -> None:
        body = {"agent_id": "agent", "initial_state": state, **parts}
        self._begin("", body | self._named(name), keyed)

    @rule(at=which, item=histories.updates, sight=sights, header=flags, keyed=flags)
    def patch(self, at: int, item: Any, **said: Any) -> None:
        self._write(at, "PATCH", "state", item, model.update, **said)

    @rule(at=which, item=histories.updates, sight=sights, header=flags, keyed=flags)
    def put(self, at: int, item: Any, **said: Any) -> None:
        item.pop("remove", None)
        self._write(at, "PUT", "state", item, model.replace, **said)

    @rule(at=which, items=histories.batches, sight=sights, header=flags, keyed=flags)
    def batch(self, at: int, items: Any, **said: Any) -> None:
        self._write(at, "POST", "versions", {"versions": items}, model.batch, **said)

    @rule(
        at=which,
        before=st.sampled_from(["none", "head", "other"]),
        after=st.one_of(st.none(), st.just("head"), histories.states),
        other=histories.states,
        sight=sights,
        header=flags,
        keyed=flags,
    )
    def turn(self, at: int, before: str, after: Any, other: Any, **said: Any) -> None:
        head = self._session(at).head.state
        body = {"input": f"said at step {self.steps}", "output": "ok"}
        befores = {"none": {}, "head": {"state_before": head}}
        body |= befores.get(before, {"state_before": other})
        if after is not None:
            body["state_after"] = head if after == "head" else after
        if self.steps % 3:
            body["usage"] = {"input_tokens": self.steps, "output_tokens": 0}
        self._write(at, "POST", "turns", body, model.add_turn, **said)

    @rule(
        at=which,
        to=places,
        hold=st.sampled_from([False, False, True]),
        sight=sights,
        header=flags,
        keyed=flags,
        is_relative=flags,
    )
    def rollback(
        self, at: int, to: int, hold: bool, is_relative: bool, **said: Any
    ) -> None:
        session = self._session(at)
        # One beyond the head at most, and the head itself: both are refused.
        number = to % (session.head.number + 2)
        version = -number - 1 if is_relative else number
        body = {"version": version} | ({"hold": True} if hold else {})
        made = self._write(at, "POST", "rollback", body, model.rollback, **said)
        if made:
            asked = {"from": made.restored, "to": made.number}
            assert fetched(self.api, session, "/changes", **asked)["change_count"] == 0

    @rule(
        at=which,
        verb=st.sampled_from(["revert", "reapply"]),
        ends=st.tuples(places, places),
        sight=shown,
        header=flags,
        keyed=flags,
    )
    def merge(self, at: int, verb: str, ends: Any, **said: Any) -> None:
        head = self._session(at).head.number
        first, last = sorted(end % (head + 1) for end in ends)
        body = {"first_version": first, "last_version": last}
        act = {"revert": model.revert, "reapply": model.reapply}[verb]
        if not self._clashes(at, act, body):
            self._write(at, "POST", verb, body, act, **said)

    @rule(
        at=which,
        place=places,
        pointers=st.lists(histories.pointers, min_size=1, max_size=2, unique=True),
        sight=shown,
        header=flags,
        keyed=flags,
    )
    def restore(self, at: int, place: int, pointers: Any, **said: Any) -> None:
        version = place % (self._session(at).head.number + 1)
        keys = [one for one in pointers if one.count("/") == 1]
        if keys:
            body = {"version": version, "pointers": keys}
            self._write(at, "POST", "restore", body, model.restore, **said)

    @precondition(lambda self: len(self.store.sessions) > 1)
    @rule(at=which, of=which, sight=shown, header=flags, keyed=flags)
    def promote(self, at: int, of: int, **said: Any) -> None:
        fork = self._session(of)

        def act(session: Session, body: Any, expected: Any) -> Version:
            return model.promote(session, fork, expected)

        body = {"fork": fork.id}
        if not self._clashes(at, act, body):
            self._write(at, "POST", "promote", body, act, **said)

    @rule(at=which, to=st.integers(0, SCHEMAS), sight=sights, header=flags, keyed=flags)
    def migrate(self, at: int, to: int, **said: Any) -> None:
        body = {"to": str(to), "from": "0"}
        self._write(at, "POST", "state/migrate", body, model.migrate, **said)

    def _clashes(self, at: int, act: Callable[..., Version], body: Any) -> bool:
        """Say whether both sides changed one key: the model looks into no value."""
        session = self._session(at)
        kept = list(session.versions)
        try:
            act(session, body, (None, False))
        except Refused as refused:
            return refused.told == (409, "merge_conflict")
        session.versions[:] = kept
        return False

    @rule(at=which, verb=histories.verbs, sight=sights, header=flags, keyed=flags)
    def hold(self, at: int, verb: str, **said: Any) -> None:
        """Pause, resume or close; `turn` the pause on or off, whichever it is not."""
        if verb == "close" and self.steps < CLOSES_AFTER:
            verb = "turn"
        if verb == "turn":
            is_paused = self._session(at).head.hold == "paused"
            verb = "resume" if is_paused else "pause"
        self._write(at, "POST", verb, {}, partial(_hold, verb), **said)

    @precondition(lambda self: self.steps >= DELETES_AFTER)
    @rule(at=which, keyed=flags)
    def delete(self, at: int, keyed: bool) -> None:
        session = self._session(at)
        act = partial(model.delete, session)
        self._send("DELETE", session, "", None, act, _nothing, keyed, status=204)

    @precondition(lambda self: len(self.store.sessions) < MOST_SESSIONS)
    @rule(
        at=which,
        place=places,
        patch=st.one_of(st.none(), histories.states),
        parts=histories.parts,
        name=histories.names,
        keyed=flags,
    )
    def fork(
        self,
        at: int,
        place: int,
        patch: Any,
        parts: Any,
        name: str | None,
        keyed: bool,
    ) -> None:
        origin = self._session(at)
        version = place % (origin.head.number + 4) - 2
        body = {"version": version} | ({} if patch is None else {"state": patch})
        body |= parts
        self._begin(f"/{origin.id}/fork", body | self._named(name), keyed, origin)

    @rule(at=which, place=places, name=histories.labels, keyed=flags, is_taken=flags)
    def mark(self, at: int, place: int, name: str, keyed: bool, is_taken: bool) -> None:
        mark = self._unlabel if is_taken else self._label
        mark(self._session(at), place, name, keyed)

    def _label(self, session: Session, place: int, name: str, keyed: bool) -> None:
        number = place % (session.head.number + 2)

        def check(answer: Answer, version: Version) -> None:
            assert (answer.body["version"], answer.body["label"]) == (number, name)

        act = partial(model.label, session, number, name)
        path = f"versions/{number}/labels"
        body = {"label": name}
        self._send("POST", session, path, body, act, check, keyed, status=201)

    def _unlabel(self, session: Session, place: int, name: str, keyed: bool) -> None:
        labelled = [(v.number, label) for v in session.versions for label in v.labels]
        number = place % (session.head.number + 2)
        if labelled and place % 4:
            number, name = sorted(labelled)[place % len(labelled)]
        act = partial(model.unlabel, session, number, name)
        path = f"versions/{number}/labels/{quote(name)}"
        self._send("DELETE", session, path, None, act, _nothing, keyed, status=204)

    # -- requests that were sent before

    @precondition(lambda self: self.desk.keyed)
    @rule(place=places, is_other=st.sampled_from([False, False, True]))
    def send_again(self, place: int, is_other: bool) -> None:
        """The same request, or another body under a key that was used."""
        if is_other and self.desk.claimed:
            claimed = list(self.desk.claimed.values())
            call = claimed[-1 - place % len(claimed)]
            other = {**(call.body or {}), "trace_id": "another"}
            self._done(None, replace(call, body=other))
        else:
            self._done(None, self.desk.keyed[-1 - place % len(self.desk.keyed)])

    # -- reads

    @rule(at=which, start=places, end=places)
    def look(self, at: int, start: int, end: int) -> None:
        session = self._session(at)
        start, end = (place % len(session.versions) for place in (start, end))
        if session.is_deleted:
            return
        for number in (start, end):
            assert_there(self.api, session, number)
        if all(is_shown(session, number) for number in (start, end)):
            shown = fetched(self.api, session, f"/versions/{start}")
            assert_version(shown, session, session.versions[start])
            assert_changes(self.api, session, start, end)
            assert_checkpoint(self.api, session, end)

    @rule(at=which, place=places, key=histories.keys)
    def blame(self, at: int, place: int, key: str) -> None:
        session = self._session(at)
        number = place % len(session.versions)
        # What an origin set that may not be seen any more is told otherwise, and so is
        # what a removal took: see tests/timeline/keeping.
        way = session.relatives()
        if not any(one.is_deleted or one.was_taken_from for one in way):
            assert_blame(self.api, session, number, key)

    def teardown(self) -> None:
        self.seal_everything()
        for session in self.store.sessions:
            assert_history(self.api, session)
        self.begin_in_clear()

    # -- how a call is made

    def _session(self, at: int) -> Session:
        return self.store.sessions[at % len(self.store.sessions)]

    def _named(self, name: str | None) -> dict[str, str]:
        return {} if name is None else {"external_id": f"{self.name}-{name}"}

    def _headers(self, keyed: bool) -> dict[str, str]:
        return {"Idempotency_Key": f"k{next(_serial)}"} if keyed else {}

    def _begin(
        self, path: str, body: Any, keyed: bool, origin: Session | None = None
    ) -> None:
        made: list[Session] = []

        def act() -> Session:
            begun = self.store.fork(origin, body) if origin else self.store.create(body)
            made.append(begun)
            return begun

        def check(answer: Answer, session: Session) -> None:
            shown = read(answer.content)
            session.id = shown["id"]
            assert (shown["version"], shown["state"]) == (0, session.head.state)
            assert shown.get("external_id") == session.external_id

        call = Call(
            "POST",
            f"/v1/sessions{path}",
            body,
            self._headers(keyed),
            act,
            check,
            status=201,
            shown_by=lambda: made[0] if made else None,
            begins=True,
        )
        self._done(origin, call)

    def _write(
        self,
        at: int,
        method: str,
        path: str,
        body: Any,
        verb: Callable[..., Any],
        *,
        sight: str,
        header: bool,
        keyed: bool,
    ) -> Any:
        """Send a write that may say which head it saw."""
        session = self._session(at)
        head = session.head.number
        seen = {"right": head, "stale": max(head - 1, 0), "ahead": head + 1}.get(sight)
        headers: dict[str, str] = {}
        if seen is not None and header:
            headers = {"If_Match": f'"v{seen}"'}
        elif seen is not None:
            body = body | {"expected_version": seen}
        act = partial(verb, session, body, (seen, header))
        check = partial(_check_write, session)
        status = 201 if path in ("turns", "versions") else 200
        return self._send(
            method, session, path, body, act, check, keyed, status, headers
        )

    def _send(
        self,
        method: str,
        session: Session,
        path: str,
        body: Any,
        act: Callable[[], Any],
        check: Callable[[Answer, Any], None],
        keyed: bool,
        status: int,
        headers: dict[str, str] | None = None,
    ) -> Any:
        place = f"/v1/sessions/{session.id}/{path}".rstrip("/")
        # Acts of their own table keep their answers, whatever becomes of the session.
        is_kept = method == "DELETE" or "/labels" in path
        call = Call(
            method,
            place,
            body,
            (headers or {}) | self._headers(keyed),
            act,
            check,
            status=status,
            shown_by=lambda: None if is_kept else session,
        )
        return self._done(session, call)

    def _done(self, session: Session | None, call: Call) -> Any:
        made = self.desk.send(call)
        self.steps += 1
        # What was stored has answered with the head; a refusal must have left it.
        if made is None and session is not None and not session.is_deleted:
            shown = fetched(self.api, session, "/state")
            assert_state(shown, session, session.head)
        return made


def _hold(verb: str, session: Session, body: Any, expected: Any) -> Version:
    return model.hold(session, verb, body, expected)


def _nothing(answer: Answer, made: Any) -> None:
    assert answer.content == b""


def _check_write(session: Session, answer: Answer, made: Any) -> None:
    shown = read(answer.content)
    if isinstance(made, Turn):
        assert_turn(shown, session, made)
        return
    if isinstance(made, list):
        numbers = [one["version"] for one in shown["versions"]]
        assert numbers == [version.number for version in made]
        assert shown["first_version"] == made[0].number
        made = made[-1]
    assert_state(shown, session, made)
