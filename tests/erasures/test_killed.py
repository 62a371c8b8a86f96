"""kill -9 of the sweeping process in each step: the next completes it, and once.

Each step is caught where it has changed something and not all, with nothing committed;
the server notices that its client is gone, and the next process goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from apps.core.notes.signed import SigningKey
from apps.erasures import journal as journals
from apps.erasures.journal import Entry
from tests.erasures.leaving import begun_erasure, done, leave, previewed
from tests.erasures.served import Caller, Sweepers, canaries, sweepers
from tests.live import Server, feed, manage, serving
from tests.worker.processes import WAITING, rows, standing_still, until

# Where a process stands still, by the step: the statement, and of which rows.
STEPS = {
    "look": ("INSERT ON erasures_target", "true"),
    "what apps keep": ("DELETE ON approvals_approval", "true"),
    "versions": ("DELETE ON timeline_version", "true"),
    "tombstones": ("INSERT ON timeline_tombstone", "true"),
    "the session": ("DELETE ON timeline_session", "true"),
    "events": ("DELETE ON audit_event", "true"),
    "memories": ("DELETE ON timeline_session", "OLD.kind = 'keyed'"),
    "details": ("UPDATE ON audit_auditrecord", "true"),
    "behind the journal": ("UPDATE ON erasures_erasure", "NEW.entry IS NOT NULL"),
    "the record of the end": (
        "INSERT ON audit_auditrecord",
        "NEW.action = 'erasure.done'",
    ),
}


@pytest.fixture(scope="module")
def house(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    key = SigningKey.made("stepback/test")
    folder = tmp_path_factory.mktemp("erasures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_ERASURES", str(folder / "erasures"))
        patch.setenv("STEPBACK_SIGNING_KEY", key.secret())
        patch.setenv("STEPBACK_VERIFIER_KEY", str(key.verifier))
        patch.setenv("STEPBACK_ROOTS", str(folder / "roots"))
        with serving(f"erased_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture(scope="module")
def admin(house: Server) -> Iterator[Caller]:
    with house.client(house.key("checkout", "--scope", "admin")) as client:
        yield Caller(client)


@pytest.fixture(scope="module")
def sweeping(house: Server) -> Iterator[Sweepers]:
    with sweepers(house) as started:
        yield started


def is_over(admin: Caller, erasure: Any) -> bool:
    found = done(admin.get(f"/v1/erasures/{erasure['id']}"))
    return bool(found["state"] == "done")


def die_at(house: Server, sweeping: Sweepers, event: str, condition: str) -> None:
    """Have a sweeping process killed where it stands still; it leaves nothing."""
    with standing_still(house.dsn, event, condition):
        process = sweeping.start()
        until(lambda: rows(house.dsn, WAITING), "nobody came there")
        sweeping.kill(process)
        end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
        until(lambda: not rows(house.dsn, end))


def test_what_is_killed_in_any_step_is_completed_and_all_of_it_verifies(
    house: Server, admin: Caller, sweeping: Sweepers
) -> None:
    erasures = {}
    for number, (event, condition) in enumerate(STEPS.values()):
        canary = f"canarybird{number}x"
        leave(admin, user=f"person-{number}", canary=canary).fork()
        assert len(canaries(house.dsn, canary)) > 10
        erasure = begun_erasure(admin, user_id=f"person-{number}")
        die_at(house, sweeping, event, condition)
        assert not is_over(admin, erasure)
        # The next step's process completes this one, before it comes to its own.
        erasures[canary] = erasure

    sweeping.start()
    until(lambda: all(is_over(admin, one) for one in erasures.values()))
    feed(house.dsn)

    for canary in erasures:
        assert canaries(house.dsn, canary) == {}
    entries = journal()
    assert [one.number for one in entries] == list(range(1, len(STEPS) + 1))
    ends = {one.certificate["id"]: one.data.decode() for one in entries}
    for erasure in erasures.values():
        found = done(admin.get(f"/v1/erasures/{erasure['id']}"))
        assert ends[found["id"]] == found["certificate"]
    assert "All of it holds" in manage(house.dsn, "verify")


def test_two_sweepers_and_two_erasures_at_once_do_it_once(
    house: Server, admin: Caller, sweeping: Sweepers
) -> None:
    before = len(journal())
    for n in range(6):
        leave(admin, user="twice", canary=f"twicebird{n}x").fork()
    first = begun_erasure(admin, user_id="twice")
    again = begun_erasure(admin, user_id="twice")

    for _ in range(3):
        sweeping.start()
    until(lambda: is_over(admin, first) and is_over(admin, again))

    assert canaries(house.dsn, "twicebird") == {}
    entries = journal()
    assert len(entries) == before + 2
    counts: dict[str, int] = {}
    for one in entries[before:]:
        for what, n in one.certificate["counts"].items():
            counts[what] = counts.get(what, 0) + n
        total = sum(one.certificate["counts"].values())
        assert one.certificate["data_points_deleted"] == total
    # 6 sessions of 3 versions and a wait, and their forks of one; and the memories.
    assert counts["turns"] == 6
    assert "All of it holds" in manage(house.dsn, "verify")


def test_an_erasure_does_not_wait_for_the_hour(
    house: Server, admin: Caller, sweeping: Sweepers
) -> None:
    leave(admin, user="soon", canary="soonbird1x")
    seen = previewed(admin, user_id="soon")
    sweeping.start()
    begun = done(
        admin.post("/v1/erasures", {"preview_id": seen["id"], "reason": "Asked"})
    )

    until(lambda: is_over(admin, begun))

    assert canaries(house.dsn, "soonbird") == {}


def journal() -> list[Entry]:
    """Return the entries of the served installation's journal."""
    with override_settings(
        ERASURES=Path(os.environ["STEPBACK_ERASURES"]),
        SIGNING_KEY=os.environ["STEPBACK_SIGNING_KEY"],
        VERIFIER_KEY=os.environ["STEPBACK_VERIFIER_KEY"],
    ):
        return list(journals.entries())
