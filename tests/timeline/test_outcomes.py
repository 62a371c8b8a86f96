"""What the SQL functions decide by themselves, whatever was looked up before them.

Python looks first, so that nobody seals in vain; between that look and the call
anything may happen. Here nothing is looked up, and the functions must still be right.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.accounts.models import ApiKey, Project
from apps.agents.models import Agent
from apps.core import sql
from apps.core.actors import Actor, ActorKind
from apps.timeline.ledger import policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Write, WriteCommand
from apps.timeline.ledger.encoding import batches, calls, rows
from apps.timeline.ledger.encoding.writes import encode_write
from apps.timeline.models import Session, Version
from apps.timeline.operations.states import draft_of
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op
from tests.acts import act_in
from tests.timeline.keyed_rows import be_document
from tests.timeline.runs import Keys, Run

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
Outcome = Any
Call = Callable[..., Outcome]


def write(head: VersionRow) -> Write:
    state = {"n": head.number}
    return Write(draft=draft_of(Op.REPLACE, head, state=state, given=(), step=Step()))


def closing(head: VersionRow) -> Write:
    return Write(draft=Draft(op=Op.CLOSE, hold=Hold.CLOSED, step=Step()))


@pytest.fixture(params=["append", "batch"])
def call(request: Any, run: Run, project: Project) -> Call:
    """`call(key=..., build=..., expected=...)` calls the function at once.

    What is given besides replaces one of its arguments.
    """

    def append(
        key: str | None = None, digest: bytes = b"d", build: Any = write, **given: Any
    ) -> Outcome:
        command: dict[str, Any] = {
            "act": act_in(project, AGENT, key=key, digest=digest),
            "session_id": run.id,
            "expected": ANY_HEAD,
            "policy": policies.AGENT_WRITE,
        }
        found = fetching.HEADS, [[run.id]]
        (head,) = sql.records(VersionRow, *found)
        if request.param == "batch":
            query = calls.APPEND_BATCH
            builds = (build,) * (1 if build is closing else 2)
            made = WriteCommand(**command, build=builds)
            items = batches.encode(builds, head=head, act=made.act).items
            taken = batches.of_batch(made, head, items)
        else:
            query = calls.APPEND
            made = WriteCommand(**command, build=build)
            encoded = encode_write(build(head), head=head, act=made.act)
            taken = rows.of_write(made, head, encoded)
        (outcome,) = sql.run_prepared(query, {**taken, **given})
        return outcome

    return append


def test_what_fits_the_head_is_stored(call: Call, run: Run) -> None:
    stored = call()

    assert (stored.outcome, stored.number) == ("stored", run.head)


def test_a_session_of_another_project_is_unknown(
    call: Call, run: Run, other_project: Project
) -> None:
    assert call(project=other_project.id).outcome == "unknown"
    assert run.head == 2


def test_a_document_is_unknown(call: Call, run: Run) -> None:
    be_document(run.id)

    assert call().outcome == "unknown"
    assert Version.objects.filter(session_id=run.id).count() == 3


def test_what_its_agent_may_not_write_any_more_is_refused(call: Call) -> None:
    Agent.objects.update(status="suspended")

    assert call().outcome == "suspended"
    assert call(suspends=False).outcome == "stored"


def test_another_head_than_the_expected_is_a_conflict(call: Call, run: Run) -> None:
    for expected in (1, 3):
        refused = call(expected=expected)

        assert (refused.outcome, refused.head_number) == ("conflict", 2)
    assert run.head == 2


def test_another_chain_than_the_expected_is_a_conflict(call: Call, run: Run) -> None:
    refused = call(chain=b"\1" * 32)

    assert (refused.outcome, refused.head_number) == ("conflict", 2)
    assert run.head == 2


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ("revoked_at = created_at", "revoked"),
        ("created_at = now() - interval '2 h', expires_at = now()", "expired"),
    ],
)
def test_a_key_that_opens_no_longer_writes_nothing(
    call: Call, run: Run, columns: str, outcome: str
) -> None:
    key = ApiKey.objects.filter(last_used_at__isnull=False).get().id
    assert call(api_key=key).outcome == "stored"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts_apikey SET {columns}")
    head = Version.objects.filter(session_id=run.id).count()

    assert call(api_key=key, key="k").outcome == outcome
    assert call(api_key="key_unknown").outcome == "unknown"
    assert Version.objects.filter(session_id=run.id).count() == head


def test_a_key_of_another_project_writes_nothing(
    call: Call, run: Run, make_key: Keys, other_project: Project
) -> None:
    make_key(project=other_project)
    key = ApiKey.objects.get(project=other_project).id

    assert call(api_key=key).outcome == "unknown"
    assert run.head == 2


def test_a_version_cannot_show_a_body_that_does_not_exist(call: Call, run: Run) -> None:
    # A close shows the head's body.
    with pytest.raises(IntegrityError), transaction.atomic():
        call(build=closing, body_number=7, each_body_number=[7])
    assert run.head == 2


def test_a_held_session_is_told_before_a_conflict(call: Call, run: Run) -> None:
    run.hold("pause")

    refused = call(expected=1)

    assert (refused.outcome, refused.hold) == ("held", "paused")
    assert call(refused=[]).outcome == "stored"


def test_a_key_is_looked_for_before_everything_else(call: Call, run: Run) -> None:
    stored = call(key="k")
    run.hold("close")

    again = call(key="k", expected=0)

    assert (again.outcome, again.number) == ("replay", stored.number)


def test_a_key_of_another_request_is_told_before_everything_else(
    call: Call, run: Run
) -> None:
    call(key="k")
    run.hold("close")

    assert call(key="k", digest=b"other", expected=0).outcome == "reused"


def test_a_session_whose_end_was_recorded_is_unknown(call: Call, run: Run) -> None:
    """Also to a caller whose clock is behind: what was open in it is gone."""
    now = timezone.now()
    expires_at = now - timedelta(seconds=2)
    Session.objects.filter(id=run.id).update(expires_at=expires_at, expired_at=now)

    assert call(now=expires_at - timedelta(hours=1)).outcome == "unknown"


def test_an_expired_session_is_unknown(call: Call, run: Run) -> None:
    expires_at = timezone.now() + timedelta(hours=1)
    Session.objects.filter(id=run.id).update(expires_at=expires_at)

    assert call(now=expires_at).outcome == "unknown"
    assert call(now=expires_at - timedelta(microseconds=1)).outcome == "stored"


def test_a_deleted_session_is_unknown(call: Call, run: Run) -> None:
    run.client.delete(run.path())

    assert call().outcome == "unknown"


def test_a_suspended_agent_is_told_before_the_hold(call: Call, run: Run) -> None:
    run.hold("pause")
    agent = Session.objects.get(id=run.id).agent
    type(agent).objects.filter(id=agent.id).update(status="suspended")

    assert call().outcome == "suspended"
    assert call(suspends=False).outcome == "held"


def test_time_does_not_run_backwards(call: Call, run: Run) -> None:
    before = call().created_at

    assert call(now=before - timedelta(hours=1)).created_at == before
