"""Whose end is waited for is held against the last steps, and made anew."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.core.actors import SYSTEM
from apps.timeline import operations as timeline
from apps.timeline.models import EffectDue
from apps.timeline.verification import Kind, findings
from tests.acting import tampering
from tests.timeline.effects.acting import begun, finished, overdue
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

DAMAGE = {
    "lost": (
        "DELETE FROM timeline_effectdue",
        "the end of {} is not waited for, which is begun",
    ),
    "until another moment": (
        "UPDATE timeline_effectdue SET due_at = '2031-01-01T00:00:00Z'",
        "{} is waited for until 2031-01-01T00:00:00+00:00, not until ",
    ),
}


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin({"a": 1})


def waited_for(run: Run) -> Any:
    due = EffectDue.objects.filter(session_id=run.id)
    return list(due.order_by("effect_id").values_list("effect_id", "due_at"))


def damage(statement: str) -> None:
    with tampering("timeline_effectdue"), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_as_derived_and_repaired(run: Run, name: str) -> None:
    statement, sentence = DAMAGE[name]
    effect = begun(run)["id"]
    finished(run, begun(run, key="mail-2"))
    whole = waited_for(run)
    assert list(findings(run.id)) == []
    damage(statement)

    (found,) = findings(run.id)

    assert found.kind is Kind.DERIVED
    assert found.sentence.startswith(sentence.format(effect))
    with pytest.raises(CommandError, match=f"proof holds.*{effect}"):
        call_command("verify", "--session", run.id)
    call_command("rebuild_open", "--session", run.id)
    assert list(findings(run.id)) == []
    assert waited_for(run) == whole


def test_what_is_finished_and_still_waited_for_is_named(run: Run) -> None:
    effect = begun(run)
    row = EffectDue.objects.get(effect_id=effect["id"])
    finished(run, effect)
    row.save(force_insert=True)

    (found,) = findings(run.id)

    assert found.sentence == f"the end of {effect['id']} is waited for, which is done"
    call_command("rebuild_open", "--session", run.id)
    assert list(findings(run.id)) == []
    assert waited_for(run) == []


def test_of_a_deleted_session_nothing_is_waited_for(run: Run) -> None:
    overdue(run)
    run.client.delete(run.path())
    assert list(findings(run.id)) == []

    timeline.tell_unknown_effects(actor=SYSTEM, now=timezone.now())

    assert waited_for(run) == []
    assert list(findings(run.id)) == []
