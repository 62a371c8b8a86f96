"""What agents write and read makes no event, and is signed like anything else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.agents.models import Agent
from apps.audit import chain
from apps.audit.models import AuditRecord, Event
from apps.core.notes.folder import Folder
from apps.core.notes.reading import read as reading_note
from apps.core.notes.roots import Kind, Root
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.memory.models import Memory
from apps.timeline.operations import Document
from apps.timeline.verification import verify_session
from apps.witness import quiet, signing
from apps.witness.models import Moved, Seen
from tests.acting import acting_as
from tests.data.conftest import Store, made, store  # noqa: F401 - a fixture
from tests.witness import forging
from tests.witness.test_finding import sign, verified

pytestmark = pytest.mark.django_db(transaction=True)
CUT = "DELETE FROM audit_auditrecord WHERE stream_id = %s AND number > %s"
STORE = """
UPDATE audit_auditrecord SET actor_label = %s, leaf = %s, chain = %s
 WHERE stream_id = %s AND number = %s
"""


@pytest.fixture
def read(roots: Path, key: SigningKey) -> Any:
    """`read()` returns what the newest note says."""

    def reading() -> Root:
        folder = Folder(roots)
        return reading_note(folder, folder.newest(), [key.verifier])[0]

    return reading


@pytest.fixture
def agent(store: Store) -> Agent:  # noqa: F811
    return Agent.objects.get(external_id=store.agent)


@pytest.fixture
def document(agent: Agent) -> str:
    return Document.of_agent(agent.project, agent.id).id


def ends(root: Root) -> set[tuple[str, str, int | None]]:
    return {(head.kind.value, head.id, head.number) for head in root.heads}


def rewrite(stream_id: str, number: int) -> None:
    """Have somebody else done something; every digest from there on follows."""
    previous = chain.START
    with forging.owning() as run:
        for record in AuditRecord.objects.for_stream(stream_id).oldest_first():
            if record.number == number:
                record.actor_label = "somebody"
            leaf = chain.expected_leaf(record)
            assert leaf is not None
            previous = chain.link(previous, record.number, leaf)
            label = record.actor_label
            run(STORE, label, leaf, previous, stream_id, record.number)


def test_data_that_is_only_written_is_signed_by_the_next_sweep(
    read: Any,
    store: Store,  # noqa: F811
    agent: Agent,
    document: str,
) -> None:
    made(store.write("a", "1"))
    sign()
    events = Event.objects.count()
    made(store.write("a", "2"))
    made(store.write("b", "3"))

    written = sign()

    assert Event.objects.count() == events
    assert written == 1
    records = AuditRecord.objects.for_stream(agent.id).count()
    assert ends(read()) == {
        ("session", document, 3),
        ("record", agent.id, records),
    }


def test_what_was_only_read_is_signed_as_well(
    read: Any,
    store: Store,  # noqa: F811
    agent: Agent,
) -> None:
    made(store.write("a", "1"))
    sign()
    made(store.at("a"))

    assert [sign(), sign(), sign()] == [1, 0, 0]

    records = AuditRecord.objects.for_stream(agent.id).count()
    assert ends(read()) == {("record", agent.id, records)}


def test_a_memory_is_signed_with_the_record_of_its_document(
    read: Any,
    store: Store,  # noqa: F811
) -> None:
    sign()
    made(store.client.post("/v1/memories", {"content": "Refunds take three days."}))
    document = Memory.objects.get().document_id

    sign()

    records = AuditRecord.objects.for_stream(document).count()
    assert records > 0
    assert {("session", document, 1), ("record", document, records)} <= ends(read())


def test_more_than_one_look_notices_are_all_signed(
    roots: Path,
    store: Store,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quiet, "MOST", 2)
    sign()
    names = [f"agent-{n}" for n in range(5)]
    for name in names:
        store.client.post("/v1/agents", {"name": name, "external_id": name})
        made(Store(store.client, name).write("a", "1"))

    sign()

    streams = {one.id for one in Agent.objects.all()}
    assert streams <= set(Seen.objects.values_list("chain_id", flat=True))
    assert Seen.objects.filter(kind=Kind.SESSION).count() == 5
    assert not Moved.objects.exists()


def test_a_cut_off_tail_of_an_agents_record_is_named(
    roots: Path,
    store: Store,  # noqa: F811
    agent: Agent,
) -> None:
    made(store.write("a", "1"))
    made(store.at("a"))
    made(store.at("a"))
    sign()
    last = AuditRecord.objects.for_stream(agent.id).count()
    with forging.owning() as run:
        run(CUT, agent.id, last - 2)

    for options in ((), ("--project", agent.project.slug)):
        said, refused = verified(*options)
        ending = f"signed number {last}, and it ends at number {last - 2}"
        assert f"the record of {agent.id}: note 1 {ending}" in said + refused


def test_a_record_that_was_rewritten_with_all_its_digests_is_named(
    roots: Path,
    store: Store,  # noqa: F811
    agent: Agent,
) -> None:
    made(store.write("a", "1"))
    made(store.at("a"))
    sign()
    last = AuditRecord.objects.for_stream(agent.id).count()

    rewrite(agent.id, last - 1)
    said, refused = verified()

    assert f"the record of {agent.id}: note 1 signed number {last}" in said + refused
    assert "it was rewritten" in said + refused
    assert "does not hold" not in said


def test_a_value_that_was_rewritten_with_all_its_digests_is_named(
    roots: Path,
    store: Store,  # noqa: F811
    document: str,
) -> None:
    made(store.write("a", "1"))
    made(store.write("a", "2"))
    sign()
    forging.rewrite(document, 1)
    assert verify_session(document).is_valid

    said, refused = verified()

    assert "something in v0 to v2 was rewritten" in said + refused


def test_a_record_that_contradicts_is_not_signed_and_not_looked_at_all_the_time(
    roots: Path,
    store: Store,  # noqa: F811
    agent: Agent,
) -> None:
    made(store.write("a", "1"))
    made(store.at("a"))
    sign()
    rewrite(agent.id, 1)
    made(store.at("a"))

    assert sign() == 0
    quiet.notice(now=timezone.now())

    assert not Moved.objects.exists()
    assert "it was rewritten" in "".join(verified())


def test_what_was_not_noticed_is_signed_by_the_look_of_the_day(
    read: Any,
    store: Store,  # noqa: F811
    agent: Agent,
    document: str,
) -> None:
    sign()
    made(store.write("a", "1"))
    records = AuditRecord.objects.for_stream(agent.id).count()
    with acting_as(Role.OWNER):
        Seen.objects.all().delete()
        Seen.objects.create(kind="session", chain_id=document, number=1)
        Seen.objects.create(kind="record", chain_id=agent.id, number=records)
    assert sign() == 0

    assert signing.sweep(now=timezone.now() + timedelta(hours=25)) >= 1

    kept = Seen.objects.get(kind="record", chain_id=agent.id)
    assert kept.number == records
    assert "Signed up to v1" in verified("--session", document)[0]


def test_nothing_is_signed_that_a_crash_could_still_take_away(
    read: Any,
    store: Store,  # noqa: F811
    agent: Agent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reads are recorded without waiting for the disk; a commit behind them waits."""
    made(store.write("a", "1"))
    sign()
    made(store.at("a"))
    records = AuditRecord.objects.for_stream(agent.id).count()
    committed: list[int] = []
    write = Folder.write

    def written(folder: Folder, number: int, note: bytes) -> None:
        with ThreadPoolExecutor(1) as elsewhere:
            committed.append(elsewhere.submit(seen_of, agent.id).result())
        write(folder, number, note)

    monkeypatch.setattr(Folder, "write", written)
    sign()

    assert ends(read()) == {("record", agent.id, records)}
    assert committed == [records]


def seen_of(chain_id: str) -> int:
    try:
        return Seen.objects.get(kind="record", chain_id=chain_id).number
    finally:
        connection.close()
