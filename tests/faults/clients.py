"""Clients that write while the fault happens, and know what must be stored.

Each has sessions of its own, so that it can say beforehand which number and state its
next request makes; one session more is shared by all of them. A request that was not
answered is repeated with its key until it is: nobody goes on with an open question.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from random import Random
from threading import Event
from typing import Any

from tests.faults.journal import Journal, Violation
from tests.races.traffic import Answer, Line

PATIENCE_SECONDS = 180
LONGEST = 400  # versions of a session, then another one is begun
SESSIONS = 3
BATCHES = (2, 3, 5, 8, 13, 40, 100)
UNDONE = {503: "service_unavailable", 507: "insufficient_storage"}

WEIGHTS = {
    "patch": 32,
    "shared": 10,
    "put": 10,
    "turn": 12,
    "batch": 12,
    "rollback": 10,
    "hold": 4,
    "fork": 5,
    "create": 2,
    "again": 3,
}
# The same, with more of what makes many versions at once.
MANY = WEIGHTS | {"batch": 60}


@dataclass
class Known:
    """A session of one client, as it must be."""

    id: str
    states: list[dict[str, Any]]

    @property
    def head(self) -> dict[str, Any]:
        return self.states[-1]

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"


@dataclass
class Client:
    """One client: `url` may be that of a proxy."""

    name: str
    random: Random
    url: str
    secret: str = field(repr=False)
    journal: Journal
    stop: Event
    shared: str
    weights: dict[str, int] = field(default_factory=lambda: WEIGHTS)
    make_key: Callable[[Client, int], str] = lambda client, n: f"{client.name}-{n}"
    sessions: list[Known] = field(default_factory=list)
    last: tuple[str, str, Any, str, Answer] | None = None

    def __post_init__(self) -> None:
        self.line = Line(self.url, self.secret)
        self.serial = count()

    def run(self) -> None:
        """Write until told to stop; every request is settled then."""
        try:
            while not self.stop.is_set():
                self.step()
        finally:
            self.line.close()

    def step(self) -> None:
        while len(self.sessions) < SESSIONS:
            self._create()
        (verb,) = self.random.choices([*self.weights], [*self.weights.values()])
        session = self.random.choice(self.sessions)
        getattr(self, f"_{verb}")(session)
        if len(session.states) > LONGEST and session in self.sessions:
            self.sessions.remove(session)

    # -- one verb each

    def _create(self, _: Known | None = None) -> None:
        state = {"by": self.name, "n": 0}
        body = {"agent_id": self.journal.agent, "initial_state": state}
        key, answer = self._settled("POST", "/v1/sessions", body)
        self._begun("create", key, answer, state)

    def _fork(self, session: Known) -> None:
        number = self.random.randrange(len(session.states))
        body = {"version": number, "state": {"forked": number}}
        key, answer = self._settled("POST", f"{session.path}/fork", body)
        self._begun("fork", key, answer, session.states[number] | body["state"])

    def _patch(self, session: Known) -> None:
        given = self._news()
        body = {"state": given, "reasoning": f"step {given['n']}"}
        if self.random.random() < 0.3:
            body["expected_version"] = len(session.states) - 1
        self._write("patch", session, "PATCH", "state", body, [session.head | given])

    def _put(self, session: Known) -> None:
        state = self._news() | {"by": self.name}
        self._write("put", session, "PUT", "state", {"state": state}, [state])

    def _turn(self, session: Known) -> None:
        after = session.head | self._news()
        body = {"input": "go on", "output": "done", "state_after": after}
        self._write("turn", session, "POST", "turns", body, [after])

    def _batch(self, session: Known) -> None:
        items, states, state = [], [], session.head
        for _ in range(self.random.choice(BATCHES)):
            given = self._news()
            if self.random.random() < 0.3:
                state = given
                items.append({"op": "replace", "state": state})
            else:
                state = state | given
                items.append({"state": given})
            states.append(state)
        body = {"versions": items}
        self._write("batch", session, "POST", "versions", body, states)

    def _rollback(self, session: Known) -> None:
        if len(session.states) < 2:
            return
        number = self.random.randrange(len(session.states) - 1)
        body = {"version": number, "reason": "went wrong"}
        state = session.states[number]
        self._write("rollback", session, "POST", "rollback", body, [state])

    def _hold(self, session: Known) -> None:
        for verb in ("pause", "resume"):
            self._write(verb, session, "POST", verb, {}, [session.head])

    def _shared(self, _: Known) -> None:
        """Merge into the session of all; only the answer says what it made."""
        given = {self.name: next(self.serial)}
        path = f"/v1/sessions/{self.shared}/state"
        key, answer = self._settled("PATCH", path, {"state": given})
        body = answer.body
        if body["state"].get(self.name) != given[self.name]:
            raise Violation(f"{key}: the answer does not show what was written")
        states = {body["version"]: body["state"]}
        self.journal.stored("shared", key, self.shared, states, turns=0)

    def _again(self, _: Known) -> None:
        """Repeat the last request: it is told the same again, and nothing is done."""
        if self.last is None:
            return
        method, path, body, key, before = self.last
        answer = self._answered(method, path, body, key)
        if not answer.is_replay or answer.content != before.content:
            raise Violation(f"{key}: a repetition was answered otherwise")

    # -- what they share

    def _news(self) -> dict[str, Any]:
        n = next(self.serial)
        size = self.random.choice([10, 100, 1000])
        text = self.random.randbytes(size // 2).hex()
        return {"n": n, f"k{self.random.randrange(8)}": {"at": n, "text": text}}

    def _begun(self, verb: str, key: str, answer: Answer, state: Any) -> None:
        body = answer.body
        self._require(key, (body["version"], body["state"]), (0, state))
        self.sessions.append(Known(body["id"], [state]))
        self.journal.stored(verb, key, body["id"], {0: state}, turns=0)
        if len(self.sessions) > SESSIONS:
            self.sessions.pop(0)

    def _write(
        self,
        verb: str,
        session: Known,
        method: str,
        path: str,
        body: dict[str, Any],
        made: list[dict[str, Any]],
    ) -> None:
        """Send it; it must make these states, in the versions after the head."""
        first = len(session.states)
        key, answer = self._settled(method, f"{session.path}/{path}", body)
        told = answer.body
        state = told["state_after"] if verb == "turn" else told["state"]
        last = first + len(made) - 1
        self._require(key, (told["version"], state), (last, made[-1]))
        session.states += made
        numbered = dict(enumerate(made, first))
        turns = int(verb == "turn")
        self.journal.stored(verb, key, session.id, numbered, turns=turns)

    def _require(self, key: str, told: Any, known: Any) -> None:
        if told != known:
            raise Violation(f"{key}: told {told!r:.300}, but it must be {known!r:.300}")

    def _settled(self, method: str, path: str, body: Any) -> tuple[str, Answer]:
        """Send the request until it is answered with what it did."""
        key = self.make_key(self, next(self.serial))
        answer = self._answered(method, path, body, key)
        if answer.status not in (200, 201):
            raise Violation(f"{key}: {answer.status} {answer.content[:500]!r}")
        self.journal.answered(key, is_replay=answer.is_replay)
        self.last = (method, path, body, key, answer)
        return key, answer

    def _answered(self, method: str, path: str, body: Any, key: str) -> Answer:
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = 0.05
        while (answer := self._sent(method, path, body, key)) is None:
            if time.monotonic() > deadline:
                raise Violation(f"{key}: not resolved in {PATIENCE_SECONDS} s")
            time.sleep(pause)
            pause = min(2 * pause, 1.0)
        return answer

    def _sent(self, method: str, path: str, body: Any, key: str) -> Answer | None:
        """Send it once; None if that leaves its outcome open."""
        try:
            answer = self.line.send(method, path, body, Idempotency_Key=key)
        except (OSError, HTTPException) as error:
            self.line.close()
            self.journal.failed(key, type(error).__name__)
            return None
        if answer.status not in UNDONE:
            return answer
        self._require_documented(key, answer)
        self.journal.failed(key, str(answer.status))
        return None

    def _require_documented(self, key: str, answer: Answer) -> None:
        """A refusal for a while has the one error body, and says when to come back."""
        try:
            code = answer.error["code"]
        except (json.JSONDecodeError, KeyError, TypeError):
            code = None
        if code != UNDONE[answer.status] or "retry-after" not in answer.headers:
            raise Violation(
                f"{key}: undocumented {answer.status} {answer.content!r:.300}"
            )
