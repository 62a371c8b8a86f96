"""One request as data, so that it can be sent again, and as the model sees it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.conftest import Answer, Api
from tests.model.model import Refused, Session

REPLAYED = "Idempotent-Replayed"


@dataclass(frozen=True)
class Call:
    """A write: `act` does it to the model, `check` holds the answer to what that gave.

    `shown_by` is the session that its answer is read from: once that is deleted, a
    repetition is told so. A write that begins a session keeps its key even if refused
    for a name.
    """

    method: str
    path: str
    body: Any
    headers: dict[str, str]
    act: Callable[[], Any]
    check: Callable[[Answer, Any], None]
    status: int = 200
    shown_by: Callable[[], Session | None] = field(default=lambda: None)
    begins: bool = False

    @property
    def key(self) -> str | None:
        return self.headers.get("Idempotency_Key")

    @property
    def identity(self) -> tuple[Any, ...]:
        return (self.method, self.path, written(self.body), *self.headers.items())

    def send(self, api: Api) -> Answer:
        body = None if self.body is None else written(self.body)
        return api.send(self.method, self.path, body, self.headers)


def written(value: Any) -> bytes:
    """Write JSON with integers of any size."""
    return json.dumps(value).encode()


def read(content: bytes) -> Any:
    """Parse with another parser than the product's."""
    return json.loads(content)


@dataclass
class Desk:
    """Sends calls, and knows what each key was used for and answered."""

    api: Api
    stored: dict[str, tuple[Call, Answer]] = field(default_factory=dict)
    claimed: dict[str, Call] = field(default_factory=dict)
    keyed: list[Call] = field(default_factory=list)

    def send(self, call: Call) -> Any:
        """Send the call; return what the model made of it, None if it was refused."""
        answer = call.send(self.api)
        used = self.claimed.get(call.key or "")
        if used and used.identity != call.identity:
            self._refused(answer, 422, "idempotency_key_reused")
            return None
        if call.key in self.stored:
            self._replayed(call, answer)
            return None
        try:
            made = call.act()
        except Refused as refused:
            self._refused(answer, *refused.told)
            if call.key and call.begins and refused.told[1] == "external_id_taken":
                self._claim(call)
            elif call.key:
                self.keyed.append(call)
            return None
        assert answer.status == call.status, answer.content
        assert REPLAYED not in answer.headers
        if call.key:
            self._claim(call)
            self.stored[call.key] = (call, answer)
        call.check(answer, made)
        return made

    def forget(self, session: Session) -> None:
        """Send nothing again of a session that lost versions: their keys went too."""
        path = f"/v1/sessions/{session.id}"
        self.keyed = [
            call
            for call in self.keyed
            if not call.path.startswith(path) and call.shown_by() is not session
        ]
        for key, call in list(self.claimed.items()):
            if call.path.startswith(path) or call.shown_by() is session:
                del self.claimed[key]
                self.stored.pop(key, None)

    def _claim(self, call: Call) -> None:
        assert call.key is not None
        self.claimed[call.key] = call
        self.keyed.append(call)

    def _replayed(self, call: Call, answer: Answer) -> None:
        """A repetition is told what was stored then, byte for byte."""
        assert call.key is not None
        first_call, first = self.stored[call.key]
        shown_by = first_call.shown_by()
        if shown_by is not None and shown_by.is_deleted:
            self._refused(answer, 404, "session_not_found")
            return
        assert answer.status == first.status, answer.content
        assert answer.content == first.content
        assert answer.headers[REPLAYED] == "true"

    def _refused(self, answer: Answer, status: int, code: str) -> None:
        assert (answer.status, answer.code) == (status, code), answer.content
