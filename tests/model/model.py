"""The store as a plain program in memory: what every request must do, and answer.

Written from the contract, sharing no code with the product. An act takes the body of
a request, changes the model, and returns what the answer must say, or raises Refused.
"""

import json
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
# The head that a writer names, and whether by `If-Match`.
Expected = tuple[Any, bool]
Held = AbstractSet[str]
PARTS = ("messages", "tool_results", "model_params", "tasks", "artifacts", "facts")


class Refused(Exception):
    """The request must be refused with this status and code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.told = (status, code)


def spelled(value: Any) -> str:
    """Spell a value so that same values give the same text, whatever the key order."""
    return json.dumps(value, sort_keys=True)


@dataclass
class Version:
    number: int
    op: str
    state: Body
    hold: str
    restored: int | None = None
    # Of a merge: whose version came in.
    source: "tuple[Session, int] | None" = None
    external_id: str | None = None
    objective: str | None = None
    labels: set[str] = field(default_factory=set)
    chain: str | None = None  # remembered once it was shown
    # What a removal took; an emptied version may show a body of another still.
    is_gone: bool = False
    is_emptied: bool = False
    is_hollow: bool = False
    parts: Body = field(default_factory=dict)
    # The version of its agent's schema; none that is named is the first.
    schema: int = 0

    @property
    def asks(self) -> bool:
        """Whether it asks for a human."""
        is_waiting = (self.objective or "").startswith("WAITING_FOR")
        return is_waiting or self.state.get("escalated") is True


@dataclass(frozen=True)
class Turn:
    number: int
    said: Any
    head: int
    made_version: bool
    before: Body | None
    after: Body | None
    # Tokens of all turns up to it; None where none said any.
    spent: int | None = None


@dataclass
class Session:
    id: str
    versions: list[Version]
    external_id: str | None = None
    origin: tuple["Session", int] | None = None
    turns: list[Turn] = field(default_factory=list)
    is_deleted: bool = False
    is_thinned: bool = False
    is_removed: bool = False

    @property
    def was_taken_from(self) -> bool:
        return self.is_thinned or any(v.is_gone or v.is_emptied for v in self.versions)

    def shows(self, version: Version) -> bool:
        """Say whether the body of a version that is there was not emptied."""
        return not version.is_emptied or not version.is_hollow

    def contents_of(self, number: int | None) -> Version:
        """Return a version as `at`, for what needs all of it."""
        version = self.at(number)
        if not self.shows(version):
            raise Refused(410, "contents_erased")
        return version

    def built_on(self, number: int | None) -> Version:
        """Return a version as `contents_of`, for an act that would build on it."""
        try:
            return self.contents_of(number)
        except Refused as refused:
            status, code = refused.told
            raise Refused(409 if status == 410 else status, code) from refused

    def there_to_build_on(self, number: int) -> None:
        """Refuse a version that is gone; what it held may be."""
        try:
            self.at(number)
        except Refused as refused:
            status, code = refused.told
            raise Refused(409 if status == 410 else status, code) from refused

    @property
    def head(self) -> Version:
        return self.versions[-1]

    def at(self, number: int | None) -> Version:
        """Return the version that a request names: -1 is the one before the head."""
        self.require_there()
        number = self.head.number if number is None else number
        number = self.head.number + number if number < 0 else number
        if not 0 <= number <= self.head.number:
            raise Refused(404, "version_not_found")
        if self.versions[number].is_gone:
            raise Refused(410, "version_pruned")
        return self.versions[number]

    def require_there(self) -> None:
        if self.is_deleted:
            raise Refused(404, "session_not_found")

    def require_writable(self, refused: Held, expected: Expected) -> None:
        self.require_there()
        if self.head.hold in refused:
            is_paused = self.head.hold == "paused"
            raise Refused(423, "session_paused") if is_paused else closed()
        number, from_header = expected
        if number not in (None, self.head.number):
            mismatch = Refused(412, "version_mismatch")
            raise mismatch if from_header else Refused(409, "version_conflict")

    def require_free(self, name: str | None) -> None:
        if name is not None and name in {
            one.external_id for one in self.versions if not one.is_gone
        }:
            raise Refused(409, "external_id_taken")

    def append(self, op: str, state: Body, **fields: Any) -> Version:
        fields.setdefault("hold", self.head.hold)
        fields.setdefault("parts", self.head.parts)
        fields.setdefault("schema", self.head.schema)
        self.versions.append(Version(self.head.number + 1, op, state, **fields))
        return self.head

    def jumps(self) -> Iterator[Version]:
        """Walk back from the head: the rollbacks that led to what it is, last first."""
        number = self.head.number
        while number >= 0:
            version = self.versions[number]
            if version.restored is None:
                number -= 1
            else:
                yield version
                number = version.restored

    def setters(self, number: int, key: str) -> list[tuple[str, int]]:
        """Name the versions that set or removed a key of the state, newest first.

        What a merge took as it was in its second parent was set there.
        """
        found: list[tuple[str, int]] = []
        place: Place | None = (self, number)
        while place is not None:
            session, version = place[0], place[0].versions[place[1]]
            before = session.before(version)
            if version.restored is not None:
                before = (session, version.restored)
            elif _held(place, key) != _held(before, key):
                if version.source and _held(version.source, key) == _held(place, key):
                    before = version.source
                else:
                    found.append((session.id, version.number))
            place = before
        return found

    def before(self, version: Version) -> "Place | None":
        """Return the version before one, of a fork's first one its origin's."""
        return (self, version.number - 1) if version.number else self.origin

    def relatives(self) -> list["Session"]:
        """Return all sessions in which a value of this one may have been set."""
        found, wanted = [], [self]
        while wanted:
            session = wanted.pop()
            if not any(session is one for one in found):
                found.append(session)
                wanted += [session.origin[0]] if session.origin else []
                wanted += [v.source[0] for v in session.versions if v.source]
        return found

    def set_aside_by(self, number: int) -> int | None:
        for jump in self.jumps():
            if jump.restored is not None and jump.restored < number < jump.number:
                return jump.number
        return None

    def last_rollback(self, number: int) -> tuple[int, int | None] | None:
        for version in reversed(self.versions[: number + 1]):
            if version.restored is not None and not version.is_gone:
                return version.number, version.restored
        return None

    def open_items(self, flagged: list[int]) -> set[tuple[str, int]]:
        """Name what is open, and since which version; so many of them have flags."""
        if self.is_deleted:
            return set()
        live = [number for number in flagged if self.set_aside_by(number) is None]
        lost = [n for n in live if self.versions[n].restored is None]
        waiting = [v for v in self.versions if v.op not in ("pause", "resume")]
        found = {("flagged", number) for number in lost}
        since = {"waiting": _run(waiting, lambda version: version.asks)}
        since["held"] = _run(self.versions, lambda version: version.hold == "paused")
        if self.head.hold == "closed":
            since = {}
        return found | {(kind, at) for kind, at in since.items() if at is not None}

    def live_turns(self) -> list[Turn]:
        """Return the turns on the way to the head, newest first."""
        return [t for t in reversed(self.turns) if self.set_aside_by(t.head) is None]


Place = tuple[Session, int]


def _held(place: Place | None, key: str) -> str | None:
    return (
        None if place is None else _spelled_at(place[0].versions[place[1]].state, key)
    )


def _run(versions: list[Version], is_so: Callable[[Version], bool]) -> int | None:
    """Return the first of the last versions in a row of which it is so."""
    first = None
    for version in versions:
        first = (
            None if not is_so(version) else version.number if first is None else first
        )
    return first


def closed() -> Refused:
    return Refused(409, "session_closed")


# What stops the writes of agents; people are stopped by "closed" alone.
AGENTS = frozenset({"closed", "paused"})


@dataclass
class Store:
    """All sessions of one project; `names` are taken until their session is removed."""

    sessions: list[Session] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def create(self, body: Body) -> Session:
        self._take(body.get("external_id"))
        state, parts = body.get("initial_state") or {}, given(body)
        first = Version(0, "create", state, "open", parts=parts)
        return self._begun(Session("", [first], body.get("external_id")))

    def fork(self, origin: Session, body: Body) -> Session:
        version = origin.built_on(body.get("version"))
        self._take(body.get("external_id"))
        state = {**version.state, **(body.get("state") or {})}
        parts = version.parts | given(body)
        first = Version(0, "fork", state, "open", parts=parts, schema=version.schema)
        made = Session("", [first], body.get("external_id"), (origin, version.number))
        return self._begun(made)

    def _take(self, name: str | None) -> None:
        if name is not None:
            if name in self.names:
                raise Refused(409, "external_id_taken")
            self.names.add(name)

    def _begun(self, session: Session) -> Session:
        self.sessions.append(session)
        return session


def update(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    session.require_writable(held, expected)
    state = merged(session.head.state, body)
    name = body.get("external_id")
    session.require_free(name)
    parts = session.head.parts | given(body)
    return session.append(
        "update", state, external_id=name, parts=parts, objective=objective(body)
    )


def replace(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    session.require_writable(held, expected)
    session.require_free(body.get("external_id"))
    name = body.get("external_id")
    parts = session.head.parts | given(body)
    return session.append(
        "replace",
        body["state"],
        external_id=name,
        parts=parts,
        objective=objective(body),
    )


def batch(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> list[Version]:
    session.require_writable(held, expected)
    state, states, names = session.head.state, [], []
    for item in body["versions"]:
        is_replace = item.get("op") == "replace"
        state = item["state"] if is_replace else merged(state, item)
        name = item.get("external_id")
        if name is not None and name in names:
            raise Refused(409, "external_id_taken")
        names.append(name)
        told = {"external_id": name, "objective": objective(item)}
        states.append((item.get("op") or "update", state, given(item), told))
    for name in names:
        session.require_free(name)
    return [
        session.append(op, s, parts=session.head.parts | parts, **told)
        for op, s, parts, told in states
    ]


def add_turn(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Turn:
    session.require_writable(held, expected)
    before, after = body.get("state_before"), body.get("state_after")
    if before is not None and spelled(before) == spelled(session.head.state):
        before = session.head.state
    makes = after is not None and spelled(after) != spelled(session.head.state)
    if makes:
        session.append("turn", after)
    if after is not None:
        after = session.head.state
    number = len(session.turns) + 1
    spent = session.turns[-1].spent if session.turns else None
    if "usage" in body:
        spent = (spent or 0) + body["usage"]["input_tokens"]
    head = session.head.number
    turn = Turn(number, body["input"], head, makes, before, after, spent)
    session.turns.append(turn)
    return turn


def rollback(session: Session, body: Body, expected: Expected) -> Version:
    session.require_writable({"closed"}, expected)
    to, head = body["version"], session.head
    number = to if to >= 0 else head.number + to
    if number == head.number:
        raise Refused(409, "nothing_to_roll_back")
    if not 0 <= number < head.number:
        raise Refused(404, "version_not_found")
    hold = "paused" if body.get("hold") else head.hold
    target = session.built_on(number)
    return session.append(
        "rollback",
        target.state,
        hold=hold,
        restored=number,
        parts=target.parts,
        schema=target.schema,
    )


def migrate(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    """Add one key for each schema on the way, where there is none of its name."""
    session.require_writable(held, expected)
    head, to = session.head, int(body["to"])
    if to == head.schema:
        raise Refused(409, "nothing_to_migrate")
    if to < head.schema:
        raise Refused(409, "no_migration")
    added = {f"schema {one}": one for one in range(head.schema + 1, to + 1)}
    state = head.state | {k: v for k, v in added.items() if k not in head.state}
    return session.append("migrate", state, schema=to)


def revert(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    """Take back what some versions made of each key, where nobody changed it since."""
    session.require_writable(held, expected)
    first, last = _range(session, body)
    return _merged_by_key(session, "revert", (session, last), (session, first - 1))


def reapply(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    session.require_writable(held, expected)
    first, last = _range(session, body)
    return _merged_by_key(session, "reapply", (session, first - 1), (session, last))


def restore(
    session: Session, body: Body, expected: Expected, held: Held = AGENTS
) -> Version:
    """Set keys of the state back; pointers are of one token."""
    session.require_writable(held, expected)
    if not 0 <= body["version"] <= session.head.number:
        raise Refused(404, "version_not_found")
    then, now = session.built_on(body["version"]).state, session.head.state
    result = dict(now)
    for pointer in body["pointers"]:
        key = pointer[1:].replace("~1", "/").replace("~0", "~")
        if key not in then and key not in now:
            raise Refused(422, "unacceptable_pointer")
        if key in then:
            result[key] = then[key]
        else:
            del result[key]
    source = (session, body["version"])
    return _unlike_head(session, "restore", result, session.head.parts, source)


def _range(session: Session, body: Body) -> tuple[int, int]:
    first, last = body["first_version"], body["last_version"]
    if not 1 <= first <= last <= session.head.number:
        raise Refused(422, "unacceptable_range")
    return first, last


def promote(
    session: Session, fork: Session, expected: Expected, held: Held = AGENTS
) -> Version:
    """Merge what a fork made of each key since it began, or was promoted last."""
    session.require_writable(held, expected)
    if fork is session:
        raise Refused(422, "not_a_fork")
    fork.require_there()
    if fork.origin is None or fork.origin[0] is not session:
        raise Refused(422, "not_a_fork")
    base = fork.origin
    for version in session.versions:
        is_live = session.set_aside_by(version.number) is None
        is_promotion = version.op == "promote" and is_live and not version.is_gone
        if is_promotion and version.source and version.source[0] is fork:
            base = version.source
    return _merged_by_key(session, "promote", base, (fork, fork.head.number))


def _merged_by_key(session: Session, op: str, base: Place, theirs: Place) -> Version:
    for there, number in (base, theirs):
        there.there_to_build_on(number)
    new, was = theirs[0].built_on(theirs[1]), base[0].built_on(base[1])
    state = by_key(was.state, session.head.state, new.state)
    parts = by_key(was.parts, session.head.parts, new.parts)
    return _unlike_head(session, op, state, parts, theirs)


def by_key(was: Body, ours: Body, theirs: Body) -> Body:
    """Merge objects whose values are not looked into: two that differ clash."""
    if spelled(was) == spelled(ours):
        return theirs
    result = dict(ours)
    for key in [*was, *sorted(theirs.keys() - was.keys())]:
        before, here, there = (_spelled_at(one, key) for one in (was, ours, theirs))
        if there in (before, here):
            continue
        if here != before:
            raise Refused(409, "merge_conflict")
        if key in theirs:
            result[key] = theirs[key]
        else:
            del result[key]
    return result


def _spelled_at(state: Body, key: str) -> str | None:
    return spelled(state[key]) if key in state else None


def _unlike_head(
    session: Session, op: str, state: Body, parts: Body, source: Place
) -> Version:
    head = session.head
    if (spelled(state), spelled(parts)) == (spelled(head.state), spelled(head.parts)):
        raise Refused(409, "nothing_to_merge")
    return session.append(op, state, parts=parts, source=source)


def hold(session: Session, verb: str, body: Body, expected: Expected) -> Version:
    """Pause, resume or close."""
    session.require_writable({"closed"}, expected)
    if verb == "pause" and session.head.hold == "paused":
        raise Refused(409, "already_paused")
    if verb == "resume" and session.head.hold == "open":
        raise Refused(409, "not_paused")
    becomes = {"pause": "paused", "resume": "open", "close": "closed"}[verb]
    return session.append(verb, session.head.state, hold=becomes)


def delete(session: Session) -> None:
    session.require_there()
    session.is_deleted = True


def label(session: Session, number: int, name: str) -> Version:
    version = session.at(number)
    version.labels.add(name)
    return version


def unlabel(session: Session, number: int, name: str) -> None:
    version = session.at(number)
    if name not in version.labels:
        raise Refused(404, "label_not_found")
    version.labels.remove(name)


def objective(body: Body) -> str | None:
    return body.get("objective_status")


def given(body: Body) -> Body:
    """Return the other parts of the checkpoint that a request sends."""
    return {name: body[name] for name in PARTS if body.get(name) is not None}


def merged(state: Body, body: Body) -> Body:
    """Set the top-level keys, then remove place after place."""
    result: Body = json.loads(json.dumps({**state, **(body.get("state") or {})}))
    for place in body.get("remove") or ():
        *way, last = (
            part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]
        )
        container: Any = result
        for part in way:
            container = container[key_in(container, part)]
        del container[key_in(container, last)]
    return result


def key_in(container: Any, part: str) -> Any:
    if isinstance(container, dict) and part in container:
        return part
    if isinstance(container, list) and part in map(str, range(len(container))):
        return int(part)
    raise Refused(422, "unacceptable_json")
