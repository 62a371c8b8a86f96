"""The chain: whatever is changed, left out or moved is found."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from apps.audit import chain
from apps.audit.models import AuditRecord

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def make_record(number=1, previous=chain.START, **facts):
    record = AuditRecord(
        stream_id="proj_1",
        project_id="proj_1",
        number=number,
        event_id=f"trace_{number}",
        action="key.created",
        resource_type="key",
        resource_id="key_1",
        actor_kind="user",
        actor_id="user_1",
        actor_label="alice",
        details={"name": "bot"},
        created_at=NOW,
    )
    for name, value in facts.items():
        setattr(record, name, value)
    record.leaf = chain.leaf(record)
    record.chain = chain.link(previous, record.number, record.leaf)
    return record


def make_chain(length):
    records, previous = [], chain.START
    for number in range(1, length + 1):
        records.append(make_record(number, previous))
        previous = records[-1].chain
    return records


def test_an_untouched_chain_is_intact():
    records = make_chain(4)

    verdict = chain.verify(records)

    assert verdict.is_intact
    assert (verdict.count, verdict.chain) == (4, records[-1].chain)


def test_an_empty_chain_is_intact():
    assert chain.verify([]).is_intact


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("action", "key.revoked"),
        ("actor_id", "user_2"),
        ("actor_label", "mallory"),
        ("resource_id", "key_2"),
        ("details", {"name": "other"}),
        ("created_at", NOW + timedelta(microseconds=1)),
        ("event_id", "trace_9"),
        ("project_id", "proj_2"),
        # What this format has no use for is empty, and the stream is the project's.
        ("stream_id", "proj_2"),
        ("format", 2),
        ("result", "allowed"),
        ("rule", "policy:block_pii"),
        ("version", 1),
        ("salt", b""),
        ("resource_digest", b""),
    ],
)
def test_every_changed_fact_is_found(fact, value):
    records = make_chain(3)
    setattr(records[1], fact, value)

    assert chain.verify(records).broken_at == 2


def test_a_missing_record_is_found():
    records = make_chain(3)
    del records[1]

    assert chain.verify(records).broken_at == 2


def test_a_record_with_a_recomputed_leaf_breaks_the_next_link():
    records = make_chain(3)
    records[1] = make_record(2, records[0].chain, actor_label="mallory")

    assert chain.verify(records).broken_at == 3


def test_text_cannot_wander_from_one_field_to_the_next():
    left = make_record(actor_id="ab", actor_label="c")
    right = make_record(actor_id="a", actor_label="bc")

    assert left.leaf != right.leaf


def test_the_leaf_depends_on_the_instant_and_not_on_the_zone():
    elsewhere = NOW.astimezone(timezone(timedelta(hours=5)))

    assert make_record(created_at=elsewhere).leaf == make_record().leaf
