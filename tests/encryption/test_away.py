"""While keys are away nothing is told of what is sealed: not that it is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Project
from apps.incidents import looking
from apps.incidents.models import Member
from apps.timeline import bodies
from tests.encryption.conftest import forget
from tests.feeding import feed_all
from tests.incidents.conftest import olga, person  # noqa: F401 - fixtures
from tests.incidents.make import make_incident
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(api: runs.Clients, encrypted: Project) -> runs.Run:
    """A session whose head has a number, and a turn."""
    made = runs.begin(api(), {"count": 1})
    made.patch({"count": 8})
    made.turn("hello", "heard")
    feed_all()
    return made


@pytest.fixture
def away(run: runs.Run, keys: Path) -> Path:
    """Have the keys be away, and no process know them; the file can be put back."""
    kept = keys.with_name("elsewhere")
    keys.rename(kept)
    bodies.cache.forget(run.id)
    forget()
    return kept


@pytest.mark.parametrize("where", ["verify", "turns", "history", "versions/0"])
def test_reads_answer_503(run: runs.Run, away: Path, where: str) -> None:
    answer = run.client.get(f"{run.path(where)}")
    assert (answer.status, answer.code) == (503, "keys_unavailable")


def test_search_does_not_leave_out_what_it_cannot_look_into(
    run: runs.Run, away: Path
) -> None:
    answer = run.client.get("/v1/search?q=state.count%3E7")
    assert (answer.status, answer.code) == (503, "keys_unavailable")


def test_verify_names_what_it_cannot_read_and_calls_nothing_broken(
    run: runs.Run, away: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match="1 sessions cannot be read now") as refused:
        call_command("verify")
    assert run.id in str(refused.value)
    assert "do not hold" not in str(refused.value)


def test_agents_data_are_not_called_broken(
    api: runs.Clients, encrypted: Project, keys: Path
) -> None:
    client = api()
    made = runs.begin(client, {"a": 1})
    agent = made.made.body["agent_id"]
    wrote = client.post(f"/v1/agents/{agent}/data", {"key": "k", "value": "something"})
    assert wrote.status < 300, wrote.body
    bodies.cache.forget(made.id)
    keys.unlink()
    forget()
    with pytest.raises(CommandError, match="2 sessions cannot be read now"):
        call_command("verify")


def test_what_search_reads_is_not_called_other_than_it_is(
    run: runs.Run, away: Path
) -> None:
    with pytest.raises(CommandError, match="cannot be read now"):
        call_command("rebuild_search", "--check")


def test_an_incident_waits_and_does_not_call_a_session_unknown(
    run: runs.Run,
    encrypted: Project,
    olga: Any,  # noqa: F811
    away: Path,
    keys: Path,
) -> None:
    incident = make_incident(encrypted, olga, [run.id], check="state.count<5")
    assert looking.sweep(now=timezone.now()) == 0
    member = Member.objects.of_incident(incident.id).get()
    assert member.verdict is None
    away.rename(keys)
    assert looking.sweep(now=timezone.now()) == 1
    member.refresh_from_db()
    assert (member.verdict, member.bad_number) == ("bad", 1)
