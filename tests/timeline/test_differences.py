"""Rollbacks of large states: what is recorded is what the whole comparison tells."""

import random
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.diffs.compare import compare
from apps.diffs.flags import flags
from apps.timeline import bodies
from apps.timeline.bodies import Cache
from apps.timeline.ledger.encoding import differences
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.facts import index
from apps.timeline.verification import Limits, verify_session
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow
from tests.timeline.runs import Begin, Run

# Decoded bodies, and so their outlines, are kept when a transaction ends.
pytestmark = pytest.mark.django_db(transaction=True)
KEYS = ["step", "items", "plan", "~/", "é", "nested"]
LEAF: list[Any] = [None, True, 1, 1.0, -0.0, 2**64, "", "a", "x" * 300, [], {}]


@pytest.fixture(autouse=True)
def outlined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state counts as large, and every test begins with an empty cache."""
    monkeypatch.setattr(differences, "OUTLINED_BYTES", 0)
    monkeypatch.setattr(bodies, "cache", Cache())


def value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(4 if depth < 3 else 2)
    if kind == 2:
        return {key: value(chance, depth + 1) for key in chance.sample(KEYS, 2)}
    if kind == 3:
        ids = chance.sample(range(6), chance.randrange(5))
        if chance.random() < 0.5:
            return [{"id": one, "v": value(chance, depth + 1)} for one in ids]
        return [value(chance, depth + 1) for _ in ids]
    return chance.choice(LEAF)


def state(chance: random.Random) -> dict[str, Any]:
    return {key: value(chance) for key in chance.sample(KEYS, chance.randrange(6))}


def act(run: Run, chance: random.Random, head: int) -> None:
    if chance.random() < 0.2:
        bodies.cache.forget(run.id)
    kind = chance.randrange(4)
    if kind == 0:
        run.put(state(chance))
    elif kind == 1:
        run.patch(state(chance))
    else:
        run.rollback(chance.randrange(head))


def recorded(found: Difference, project: Project) -> Any:
    """Return all that is recorded of a difference."""
    return (
        index.shown(found.comparison),
        index.change_rows(found.comparison, project),
        flags(found.comparison, 1000, 400),
        repr(found.before),
        repr(found.after),
    )


def whole(before: VersionRow, after: VersionRow) -> Difference:
    one, other = reading.parsed(before), reading.parsed(after)
    return Difference(
        compare(one, other),
        differences.facets.leaves(one),
        differences.facets.leaves(other),
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_histories_with_rollbacks_verify(
    begin: Begin, project: Project, seed: int
) -> None:
    chance = random.Random(seed)
    run = begin(state(chance))
    for head in range(14):
        act(run, chance, head) if head else run.put(state(chance))

    report = verify_session(run.id, Limits())

    assert (report.is_valid, report.derived) == (True, 0), report
    versions = fetching.versions_at(run.id, range(15))
    for before in versions:
        for after in versions:
            if before.body_number != after.body_number:
                told = differences.between(before, after)
                assert recorded(told, project) == recorded(
                    whole(before, after), project
                )


def test_neither_state_is_parsed_again_to_roll_back(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.rollback(0)
    run.rollback(2)

    def refuse(version: VersionRow) -> Any:
        raise AssertionError(f"Version {version.number} was parsed.")

    monkeypatch.setattr(reading, "parsed", refuse)
    answer = run.rollback(0)

    assert answer["state"] == {"step": 0, "city": "Rome"}
    monkeypatch.undo()
    assert {c["pointer"] for c in run.get("versions", 5)["changes"]} == {
        "/step",
        "/city",
    }
    assert run.get("verify")["valid"] is True


def test_it_works_without_any_outline(
    begin: Begin, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"big": 2**70, "step": 0})
    run.patch({"step": 1})
    run.rollback(0)

    head = fetching.head(Scope(project), run.id, now=timezone.now())
    assert [change["pointer"] for change in head.changes] == ["/step"]
