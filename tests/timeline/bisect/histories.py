"""Random histories of a session and its forks, and what reading all of it says."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from apps.checks import Outcome, evaluate, names_before, read_text
from tests.timeline.runs import Begin, Run

# Of objects, keyed and unkeyed lists, what may be both, the whole, and what was before.
CHECKS = (
    "state.a=1",
    "NOT state.a=null",
    "state.o.x=1 OR state.o.y.z>1",
    "there:state.o.y.z",
    "type:state.o=object",
    "size:state.o>1",
    "size:state>3",
    "state.items.0.n>1",
    "state.items.1.id=b",
    "EACH state.items (item.n>0)",
    "sum:state.items(item.n)>3",
    "unique:state.items(item.id)",
    "state.plain.1=2 AND state.a>0",
    "state.plain CONTAINS 3",
    "state.either.0=1",
    "state.a>was.a",
    "state.items.0.n=was.items.0.n",
    "size:state.wide>10",
    "state.wide.k7=1",
    "there:state.nothing",
)


class Step(NamedTuple):
    """A version on the way, with its state and the one with the number before."""

    session_id: str
    number: int
    state: Any
    before: Any


def random_state(draw: random.Random, was: dict[str, Any]) -> dict[str, Any]:
    """Return a state that differs in a few places, some of them in lists."""
    state = dict(was)
    for _ in range(draw.randint(1, 2)):
        name = draw.choice(["a", "o", "items", "plain", "either", "noise", "wide"])
        state[name] = _value(draw, name)
        if draw.random() < 0.15:
            state.pop(name)
    return state


def _value(draw: random.Random, name: str) -> Any:
    few = draw.randint(0, 3)
    if name == "o":
        inner: dict[str, Any] = {"x": few, "y": {"z": draw.randint(0, 3)}}
        return draw.choice([inner, {"x": few}, {"y": inner}, few, [], {}])
    if name == "items":
        ids = draw.sample("abc", draw.randint(0, 3))
        return [{"id": one, "n": draw.randint(0, 3)} for one in ids]
    if name == "plain":
        return [draw.randint(0, 3) for _ in range(few)]
    if name == "either":
        return draw.choice([[few], {"0": few}, [[few]], {"1": few}])
    if name == "wide":
        width = draw.choice([0, 5, 400])
        return {f"k{n}": draw.randint(0, 1) for n in range(width)}
    return draw.choice([few, few, None, "text"])


def random_run(draw: random.Random, begin: Begin) -> Run:
    """Return a session, or a fork of one, with updates, rollbacks and holds."""
    state = random_state(draw, {"a": 1, "items": []})
    run = begin(state)
    for _ in range(draw.randint(2, 6)):
        state = _go_on(draw, run, state)
    for _ in range(draw.choice([0, 0, 1, 2])):
        version = draw.randint(0, run.head)
        edit = {"state": {"a": draw.randint(0, 3)}} if draw.random() < 0.5 else {}
        run = run.fork(version=version, **edit)
        state = run.state
        for _ in range(draw.randint(0, 2)):
            state = _go_on(draw, run, state)
    return run


def _go_on(draw: random.Random, run: Run, state: dict[str, Any]) -> dict[str, Any]:
    if draw.random() < 0.35 and run.head:
        target = draw.randint(0, run.head - 1)
        if run.get("versions", target)["state"] != state:
            run.rollback(target)
            return dict(run.state)
    if draw.random() < 0.15:
        run.hold("pause")
        run.hold("resume")
    versions = []
    for _ in range(draw.randint(1, 6)):
        state = random_state(draw, state)
        versions.append({"op": "replace", "state": state})
    run.post("versions", {"versions": versions})
    return state


def passed(run: Run, *, is_live: bool) -> list[Step]:
    """Read every version that leads to the head, or all by number; the oldest first."""
    steps: list[Step] = []
    top: int | None = None
    run_id: str | None = run.id
    while run_id is not None:
        versions = _versions(run, run_id)
        head = max(versions) if top is None else top
        numbers = _lineage(versions, head) if is_live else list(range(head + 1))
        steps = [
            Step(run_id, n, versions[n]["state"], versions.get(n - 1, {}).get("state"))
            for n in numbers
        ] + steps
        session = run.client.get(f"/v1/sessions/{run_id}").body
        run_id, top = session["forked_from"], session["forked_version"]
    return steps


def _versions(run: Run, session_id: str) -> dict[int, Any]:
    asked = {"limit": 100, "include_state": "true"}
    answer = run.client.get(f"/v1/sessions/{session_id}/versions", asked).body
    assert not answer["has_more"]
    return {one["version"]: one for one in answer["data"]}


def _lineage(versions: dict[int, Any], head: int) -> list[int]:
    numbers, at = [], head
    while at >= 0:
        numbers.append(at)
        restored = versions[at]["restored_version"]
        at = at - 1 if restored is None else restored
    return numbers[::-1]


def scanned(steps: list[Step], check: str) -> list[Outcome]:
    """Return what comes of a check at every step."""
    read = read_text(check)
    looks_back = names_before(read)
    return [
        evaluate(read, one.state, before=one.before).outcome
        if looks_back and one.number
        else evaluate(read, one.state).outcome
        for one in steps
    ]


def turned(steps: list[Step], outcomes: list[Outcome]) -> list[tuple[str, int, str]]:
    """Return at which versions that is another than at the one before."""
    return [
        (one.session_id, one.number, outcome.value)
        for one, outcome, was in zip(steps[1:], outcomes[1:], outcomes, strict=False)
        if outcome is not was
    ]
