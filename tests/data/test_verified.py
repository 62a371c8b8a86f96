"""Agents' checkpoints are held against their records, and against what history had."""

from __future__ import annotations

import random
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.agents.models import Agent
from apps.audit.comparing import Tally
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from apps.data import operations as data
from apps.data.models import Checkpoint
from apps.timeline import hooks
from tests.audit.rows.looking import run
from tests.data.conftest import AGENT, Store, made


def findings() -> list[str]:
    agent = Agent.objects.select_related("project").get(external_id=AGENT)
    found = hooks.differences(agent.project, agent.id, Tally())
    return [str(one) for one in found]


def verified(*arguments: str) -> str:
    out = StringIO()
    call_command("verify", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def record_of(checkpoint: Any, action: str = "checkpoint.create") -> int:
    """Return the number of the record of what was done with a checkpoint."""
    one = AuditRecord.objects.get(action=action, resource_id=checkpoint["id"])
    return int(one.number)


@pytest.fixture
def kept(store: Store) -> Any:
    """A checkpoint of two keys and a config, between others."""
    made(store.configure({"a": 1}))
    made(store.write("a", "12"))
    made(store.checkpoint("first"))
    made(store.write("b", "345"))
    one = made(
        store.checkpoint("kept", description="d", metadata={"n": 1.5e20, "m": [-0.0]})
    )
    made(store.write("a", "6"))
    made(store.configure({"a": 2}))
    made(store.checkpoint("last"))
    return one


def test_what_was_made_holds_and_is_counted(store: Store, kept: Any) -> None:
    assert findings() == []
    assert "3 checkpoint" in verified()


FORGED = {
    "number": ("number = 2", "number"),
    "config_ordinal": ("config_ordinal = 0", "config_ordinal"),
    "keys": ("keys = 3", "keys"),
    "bytes": ("bytes = 4", "bytes"),
    "ordinal": ("ordinal = 9", "ordinal"),
    "label": ("label = 'other'", "label"),
    "no label": ("label = NULL", "label"),
    "description": ("description = 'other'", "description"),
    "metadata": ("metadata = '{\"n\": 2}'", "metadata"),
    "actor_kind": ("actor_kind = 'user'", "actor_kind"),
    "actor_id": ("actor_id = 'key_other'", "actor_id"),
    "actor_label": ("actor_label = 'other'", "actor_label"),
    "created_at": ("created_at = created_at - interval '1 second'", "created_at"),
    "id": ("id = 'cp_' || repeat('0', 26)", "id"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_each_column_that_is_changed_is_found_and_named(
    store: Store, kept: Any, forged: str
) -> None:
    setting, name = FORGED[forged]

    tamper(kept, setting)

    left = f": its {name} is not what record {record_of(kept)} left"
    assert any(left in one for one in findings()), findings()
    with pytest.raises(CommandError) as error:
        verified()
    assert left in str(error.value)


def tamper(checkpoint: Any, setting: str) -> None:
    statement = f"UPDATE data_checkpoint SET {setting} WHERE id = %s"
    run("data_checkpoint", statement, checkpoint["id"])


def test_a_restore_to_a_forged_number_does_not_say_it_is_verified(
    store: Store, kept: Any
) -> None:
    tamper(kept, "number = 2")
    answer = made(store.restore(kept))
    assert answer["verified"] is False
    assert answer["verified_why"].startswith("The checkpoint is not what the record")


@pytest.mark.parametrize(
    ("setting", "finding"),
    [
        ("session_id = 'doc_other'", "record {made} left it there, and it is missing"),
        ("event_id = 'trace_other'", "it is there, and no record says who made it"),
        ("hidden_at = now()", "it is hidden, and no record says by what"),
        ("created_at = 'infinity'", "a column holds what it cannot have"),
    ],
)
def test_a_row_that_no_record_accounts_for_is_found(
    store: Store, kept: Any, setting: str, finding: str
) -> None:
    tamper(kept, setting)
    sentence = finding.format(made=record_of(kept))
    assert any(one.endswith(sentence) for one in findings()), findings()


def test_one_that_is_gone_or_was_added_is_found(store: Store, kept: Any) -> None:
    columns = ", ".join(
        one.column for one in Checkpoint._meta.local_concrete_fields if one.column
    )
    added = columns.replace(" id,", " 'cp_added' AS id,")
    added = added.replace("ordinal, number", "9 AS ordinal, number")
    added = added.replace("event_id", "'trace_added' AS event_id")
    statement = f"INSERT INTO data_checkpoint ({columns}) SELECT {added}"
    run(
        "data_checkpoint",
        f"{statement} FROM data_checkpoint WHERE id = %s",
        kept["id"],
    )
    run("data_checkpoint", "DELETE FROM data_checkpoint WHERE id = %s", kept["id"])

    agent = Agent.objects.get(external_id=AGENT)
    assert findings() == [
        f"checkpoint cp_added of {agent.id}: it is there, and no record says who made "
        "it",
        f"checkpoint {kept['id']} of {agent.id}: record {record_of(kept)} left it "
        "there, and it is missing",
    ]


def test_counts_that_were_wrong_when_it_was_made_are_found(
    store: Store, kept: Any
) -> None:
    run("timeline_tally", "UPDATE timeline_tally SET keys = keys + 5")
    one = made(store.checkpoint("wrong"))
    assert any(
        f"{one['id']} of" in line
        and line.endswith("its keys is not what version 5 had")
        for line in findings()
    )


def test_one_that_was_deleted_or_is_kept_no_more_is_no_damage(
    store: Store, kept: Any
) -> None:
    made(store.client.delete(f"{store.checkpoints}/{kept['id']}"))
    made(store.policies(checkpoint_keep_last=1))
    made(store.checkpoint("only"))

    assert Checkpoint.objects.filter(hidden_at__isnull=True).count() == 1
    assert findings() == []


def test_a_deletion_that_is_taken_back_or_moved_is_found(
    store: Store, kept: Any
) -> None:
    made(store.client.delete(f"{store.checkpoints}/{kept['id']}"))

    tamper(kept, "hidden_at = NULL")
    number = record_of(kept, "checkpoint.delete")
    back = f"record {number} deleted it, and it is there again"
    assert [one for one in findings() if one.endswith(back)]

    tamper(kept, "hidden_at = now() - interval '1 day'")
    assert [one for one in findings() if "it is hidden, and no record" in one]


def test_a_record_from_before_words_were_in_it_is_counted_and_never_called_damage(
    store: Store, kept: Any
) -> None:
    agent = Agent.objects.select_related("project").get(external_id=AGENT)
    run(
        "audit_auditrecord",
        "UPDATE audit_auditrecord SET details = details - 'row' - 'bytes'"
        " WHERE resource_id = %s",
        kept["id"],
    )
    tally = Tally()

    found = list(hooks.differences(agent.project, agent.id, tally))

    assert found == []
    assert (tally.compared["checkpoint"], tally.recorded_before["checkpoint"]) == (3, 1)
    # What can be counted again still is.
    tamper(kept, "bytes = 4")
    assert [one for one in findings() if "its bytes is not what version 3 had" in one]


def test_after_random_writes_and_expiry_every_checkpoint_is_counted_again(
    store: Store, monkeypatch: Any
) -> None:
    moves, now = random.Random(7), timezone.now()
    made(store.policies(retention_by_prefix={"t": 0.01, "u": 0.02}))
    for step in range(90):
        now += timedelta(seconds=moves.choice([1, 200, 700]))
        for module in ("apps.data.api.base", "apps.agents.api.answers"):
            monkeypatch.setattr(f"{module}.timezone.now", lambda at=now: at)
        match moves.randrange(6):
            case 0:
                made(store.checkpoint(f"at {step}"))
            case 1:
                store.delete(f"{moves.choice('atu')}{moves.randrange(4)}")
            case 2 if moves.random() < 0.3:
                data.expire_due(now=now, actor=SYSTEM)
            case 3 if moves.random() < 0.3:
                made(
                    store.configure(
                        {"n": step, "policies": {"retention_by_prefix": {"t": 0.01}}}
                    )
                )
            case _:
                key = f"{moves.choice('atu')}{moves.randrange(4)}"
                made(store.write(key, "v" * moves.randrange(1, 9)))

    assert Checkpoint.objects.count() > 5
    assert findings() == []
