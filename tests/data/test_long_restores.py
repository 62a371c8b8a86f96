"""A restore of more keys than one version sets: by steps, while agents write on."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.access import actor_of
from apps.accounts.models import Membership, Project, Role
from apps.agents import operations as agents
from apps.agents.models import Agent
from apps.audit.models import Event
from apps.core.roles.names import Role as DatabaseRole
from apps.data import operations as data
from apps.data.errors import RestoreRunning
from apps.data.models import LongRestore
from apps.data.operations import RestoreWanted
from apps.data.operations.keeping import long_restores, stepping
from apps.timeline import queries
from apps.timeline.errors import DocumentMoved
from apps.timeline.models import Entry, Version
from apps.timeline.operations import Document
from tests.accounts.make import make_member
from tests.acting import acting_as, tampering
from tests.acts import act_in
from tests.data.conftest import Store, made

KEYS = [f"k{n:02}" for n in range(10)]


@pytest.fixture
def steps_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sweep make one step, of three keys."""
    monkeypatch.setattr(stepping, "STEP_KEYS", 3)
    monkeypatch.setattr(long_restores, "SWEEP_SECONDS", 0.0)


pytestmark = pytest.mark.usefixtures("steps_of_three")


@pytest.fixture
def olga(project: Project) -> Membership:
    found: Membership = Membership.objects.get(
        user=make_member(project, "olga", Role.OPERATOR), project=project
    )
    return found


@pytest.fixture
def agent(store: Store) -> Agent:
    return Agent.objects.get(external_id=store.agent)


def derailed(store: Store) -> Any:
    """Return a checkpoint of ten keys, since which all have changed, and the config."""
    made(store.configure({"tone": "kind"}))
    made(store.batch([{"key": key, "value": "good"} for key in KEYS]))
    checkpoint = made(store.checkpoint("before the import"))
    made(store.configure({"tone": "curt"}))
    made(store.batch([{"key": key, "value": "bad"} for key in KEYS[:9]]))
    made(store.delete(KEYS[9]))
    made(store.batch([{"key": f"new{n}", "value": "bad"} for n in range(4)]))
    return checkpoint


def head(agent: Agent) -> int:
    document = Document.of_agent(agent.project, agent.id)
    newest = Version.objects.filter(session_id=document.id).order_by("-number").first()
    assert newest is not None
    return int(newest.number)


def start(agent: Agent, checkpoint: Any, by: Membership, **wanted: Any) -> LongRestore:
    expected = wanted.pop("expected", head(agent))
    return data.start_restore(
        act=act_in(by.project, actor_of(by.user)),
        reference=agent.external_id,
        checkpoint_id=checkpoint["id"],
        wanted=RestoreWanted(expected=expected, **wanted),
    )


def work() -> int:
    with acting_as(DatabaseRole.WORKER):
        return data.restore_running(now=timezone.now())


def work_on() -> int:
    """Sweep until nothing is left; return how many steps were made."""
    made_steps = 0
    while once := work():
        made_steps += once
    return made_steps


def reread(one: LongRestore) -> LongRestore:
    return LongRestore.objects.get(session_id=one.session_id, id=one.id)


def test_all_comes_back_in_as_many_versions_as_there_are_steps(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    before = head(agent)

    one = start(agent, checkpoint, olga, reasoning="The import was wrong.")
    steps = work_on()

    assert store.values() == dict.fromkeys(KEYS, "good")
    assert made(store.config())["config"] == {"tone": "kind"}
    # The config, 10 keys of the checkpoint and 4 newer ones.
    assert (steps, head(agent)) == (5, before + 5)
    over = reread(one)
    assert (over.state, over.steps, over.total, over.passed) == ("done", 5, 15, 15)
    assert (over.changed, over.removed, over.lapsed) == (10, 4, 0)
    assert over.ended_at is not None
    past = made(store.versions(KEYS[9]))["data"]
    assert [one["cause"] for one in past] == ["restored", "removed", "set"]
    assert past[0]["reasoning"] == "The import was wrong."
    assert past[0]["actor"]["label"] == "olga"


def test_what_is_written_meanwhile_stays(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    start(agent, checkpoint, olga)
    assert work() == 1
    made(store.write(KEYS[0], "newer, behind the restore"))
    made(store.write(KEYS[8], "newer, before the restore"))
    made(store.delete(KEYS[7]))
    made(store.write("new2", "newer too"))

    work_on()

    expected = dict.fromkeys(KEYS, "good") | {
        KEYS[0]: "newer, behind the restore",
        KEYS[8]: "newer, before the restore",
        "new2": "newer too",
    }
    del expected[KEYS[7]]
    assert store.values() == expected


def test_every_step_verifies_and_a_bent_one_is_found(
    store: Store, agent: Agent, olga: Membership
) -> None:
    start(agent, derailed(store), olga)
    work()
    made(store.write(KEYS[8], "newer"))
    work_on()
    document = Document.of_agent(agent.project, agent.id)
    out = StringIO()

    call_command("verify", "--session", document.id, stdout=out)
    rows = Entry.objects.filter(session_id=document.id, cause="restored")
    _bend(rows.order_by("-number", "key").first())
    with pytest.raises(CommandError):
        call_command("verify", "--session", document.id, stdout=out, stderr=out)

    assert "its entries do not follow from what it did" in out.getvalue()


def _bend(entry: Entry | None) -> None:
    assert entry is not None
    with tampering("timeline_entry"):
        rows = Entry.objects.filter(session_id=entry.session_id, number=entry.number)
        rows.filter(key=entry.key).update(size=entry.size + 1)


def test_only_the_data_comes_back_where_only_that_is_asked_for(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)

    one = start(agent, checkpoint, olga, config=False)
    work_on()

    assert made(store.config())["config"] == {"tone": "curt"}
    assert store.values() == dict.fromkeys(KEYS, "good")
    assert reread(one).total == 14


def test_keys_that_have_expired_meanwhile_stay_absent(
    store: Store, agent: Agent, olga: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store.policies(retention_days=1))
    made(store.write("a", "good"))
    checkpoint = made(store.checkpoint("before"))
    made(store.delete("a"))
    later = timezone.now() + timedelta(days=2)
    one = start(agent, checkpoint, olga)

    with acting_as(DatabaseRole.WORKER):
        data.restore_running(now=later)

    over = reread(one)
    assert (over.state, over.changed, over.lapsed) == ("done", 0, 1)


def test_events_say_once_that_it_is_restored(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    start(agent, checkpoint, olga)

    work()
    early = Event.objects.filter(action="checkpoint.restored").count()
    work_on()

    (told,) = Event.objects.filter(action="checkpoint.restored")
    assert early == 0
    assert told.details["step"] == 5
    assert told.details["checkpoint_id"] == checkpoint["id"]


def test_started_twice_it_is_one_and_another_has_to_wait(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    one = start(agent, checkpoint, olga)

    again = start(agent, checkpoint, olga)
    with pytest.raises(RestoreRunning):
        start(agent, checkpoint, olga, config=False)
    work_on()
    after = start(agent, checkpoint, olga, config=False)

    assert again.id == one.id
    assert after.id != one.id


def test_what_was_not_shown_is_not_restored_over(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    seen = head(agent)
    made(store.write("a", "newer"))

    with pytest.raises(DocumentMoved):
        start(agent, checkpoint, olga, expected=seen)

    assert not LongRestore.objects.exists()


def test_a_step_that_was_cut_short_is_made_by_the_next_sweep(
    store: Store, agent: Agent, olga: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = derailed(store)
    one = start(agent, checkpoint, olga)
    before = head(agent)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stepping, "_note", killed)
        with pytest.raises(KeyboardInterrupt):
            work()
    assert (head(agent), reread(one).steps) == (before, 0)
    work_on()

    assert store.values() == dict.fromkeys(KEYS, "good")
    assert (head(agent), reread(one).steps) == (before + 5, 5)


def test_who_lost_the_right_restores_no_further(
    store: Store, agent: Agent, olga: Membership
) -> None:
    checkpoint = derailed(store)
    one = start(agent, checkpoint, olga)
    work()
    with acting_as(DatabaseRole.OWNER):
        Membership.objects.filter(user=olga.user).update(role=Role.VIEWER)

    assert work_on() == 0

    over = reread(one)
    assert (over.state, over.code, over.steps) == ("failed", "permission_denied", 1)
    assert "olga has no right to write" in over.words
    assert store.values()[KEYS[0]] == "good"
    assert store.values()[KEYS[8]] == "bad"


def test_one_that_breaks_is_over_and_says_nothing_of_ours(
    store: Store, agent: Agent, olga: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = start(agent, derailed(store), olga)

    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("something of ours")

    monkeypatch.setattr(queries, "next_step", broken)

    assert work() == 0
    over = reread(one)
    assert (over.state, over.code) == ("failed", "internal_error")
    assert "something of ours" not in over.words


def test_it_ends_where_its_agent_is_deleted(
    store: Store, agent: Agent, olga: Membership
) -> None:
    one = start(agent, derailed(store), olga)
    assert work() == 1
    before = head(agent)

    agents.delete(act=act_in(agent.project), reference=agent.id)

    assert work_on() == 0
    over = reread(one)
    assert (over.state, over.code, over.steps) == ("failed", "agent_deleted", 1)
    assert over.ended_at is not None
    assert head(agent) == before


def test_it_goes_on_where_its_agent_is_suspended(
    store: Store, agent: Agent, olga: Membership
) -> None:
    """People act on a suspended agent; only its own keys may not."""
    one = start(agent, derailed(store), olga)
    agents.suspend(act=act_in(agent.project), reference=agent.id)

    work_on()

    assert reread(one).state == "done"
