"""An agent's checkpoints in the console: made, compared, restored, deleted."""

import html
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role as DatabaseRole
from apps.data import operations as data
from apps.data.checkpoints.labels import HINT
from apps.data.models import Checkpoint, LongRestore
from apps.data.operations import restoring
from apps.data.operations.keeping import long_restores, stepping
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.console.agent_pages import make_store, plain, row_heads
from tests.console.make import HTML, signed_in
from tests.data.conftest import made

MARKUP = "<img src=x onerror=alert(1)>"
BIDI = "\u202e"
MINUS = "\u2212"


@pytest.fixture
def store(api):
    return make_store(api())


@pytest.fixture
def agent(store):
    return Agent.objects.get(external_id=store.agent)


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def at(agent, name="agent_checkpoints", *more):
    return reverse(f"console:{name}", args=[agent.project.slug, agent.id, *more])


def seen(client, agent, name="agent_checkpoints", *more, **query):
    answer = client.get(at(agent, name, *more), query, headers=HTML)
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


def restore(client, agent, checkpoint, **sent):
    address = at(agent, "restore_checkpoint", checkpoint["id"])
    return client.post(address, sent, headers=HTML, follow=True)


def changed_since(store):
    """Return a checkpoint since which config and data have changed."""
    made(store.configure({"tone": "kind", "policies": {"block_pii": True}}))
    made(store.batch([{"key": key, "value": "1"} for key in ("a", "b", "c")]))
    checkpoint = made(store.checkpoint("pre-import"))
    made(store.configure({"tone": "curt"}))
    made(store.write("a", "2"))
    made(store.delete("b"))
    made(store.write("d", "new"))
    return checkpoint


def test_an_operator_makes_one(operator, agent, store):
    assert "There is no checkpoint to go back to yet." in seen(operator, agent)
    made(store.write("a"))

    said = {"label": "before the import", "description": "All of May"}
    page = operator.post(at(agent, "make_checkpoint"), said, headers=HTML, follow=True)

    assert row_heads(page.content.decode()) == ["before the import All of May"]
    assert "olga 1 1 B v0" in plain(page.content.decode())
    assert 'data-label="config"><a' in page.content.decode()
    assert HINT not in html.unescape(page.content.decode())


def test_a_label_that_says_nothing_gets_a_hint(operator, agent, store):
    said = {"label": "backup"}

    page = operator.post(at(agent, "make_checkpoint"), said, headers=HTML, follow=True)

    assert HINT in html.unescape(page.content.decode())
    assert row_heads(page.content.decode()) == ["backup"]


@pytest.mark.parametrize("label", ["", " ", "x" * 256])
def test_a_label_that_is_none_makes_nothing(operator, agent, store, label):
    said = {"label": label, "description": "Kept in its field"}

    page = operator.post(at(agent, "make_checkpoint"), said, headers=HTML)

    assert page.status_code == 400
    assert "Kept in its field" in page.content.decode()
    assert not Checkpoint.objects.exists()


def test_two_are_picked_and_compared(viewer, agent, store):
    first = changed_since(store)
    second = made(store.checkpoint("post-import"))

    picking = seen(viewer, agent, first=first["id"])
    page = seen(
        viewer, agent, "compare_checkpoints", first=first["id"], second=second["id"]
    )
    back = seen(
        viewer, agent, "compare_checkpoints", first=second["id"], second=first["id"]
    )

    assert "Compare pre-import" in plain(picking)
    assert f"?first={first['id']}&amp;second={second['id']}" in picking
    assert row_heads(page) == ["a", "b", "d"]
    assert f"a ~ changed 1 B 1 B b {MINUS} removed 1 B absent" in plain(page)
    assert "/tone" in page
    assert "ends What looks like personal data is blocked." in plain(page)
    assert f"b + added absent 1 B d {MINUS} removed" in plain(back)


def test_keys_that_differ_are_paged(viewer, agent, store):
    first = made(store.checkpoint("empty-at-start"))
    made(store.batch([{"key": f"k{n:03}", "value": "v"} for n in range(60)]))
    second = made(store.checkpoint("sixty-keys"))
    ids = {"first": first["id"], "second": second["id"]}

    page = seen(viewer, agent, "compare_checkpoints", **ids)
    last = row_heads(page)[-1]
    rest = seen(viewer, agent, "compare_checkpoints", **ids, after=last)

    assert row_heads(page) + row_heads(rest) == [f"k{n:03}" for n in range(60)]
    assert "Older" in page
    assert "Older" not in rest


def test_checkpoints_are_paged(viewer, agent, store):
    for n in range(52):
        made(store.checkpoint(f"before {n}"))

    page = seen(viewer, agent)
    last = Checkpoint.objects.get(label=row_heads(page)[-1])
    rest = seen(viewer, agent, after=last.id)

    labels = [f"before {n}" for n in reversed(range(52))]
    assert row_heads(page) + row_heads(rest) == labels
    assert "52 checkpoints." in plain(page)


def test_a_restore_says_first_what_it_would_do(operator, agent, store):
    checkpoint = changed_since(store)

    page = seen(operator, agent, "agent_checkpoint", checkpoint["id"])
    shown = plain(page)

    assert "begins What looks like personal data is blocked." in shown
    assert "2. Keys that come back 2 keys: a , b" in shown
    assert "3. Keys that go 1 key: d" in shown
    assert "4. Expired since None of its keys." in shown
    assert ": 8 writes, " in shown
    assert "They may write on" in shown
    only = plain(
        seen(operator, agent, "agent_checkpoint", checkpoint["id"], parts="config")
    )
    assert "2. Data It is left as it is." in only
    assert "Keys that come back" not in only


def test_an_operator_restores_it_verified(operator, agent, store):
    checkpoint = changed_since(store)
    head = made(store.restore(checkpoint, dry_run=True))["number"]
    sent = {"expected": head, "parts": "all", "reason": "Wrong file", "key": "k1"}

    page = restore(operator, agent, checkpoint, **sent)
    again = restore(operator, agent, checkpoint, **sent)

    told = "3 keys of the checkpoint in place, 2 of them changed, 1 newer key removed."
    assert "config v3 stands" in plain(page.content.decode())
    assert told in plain(page.content.decode())
    assert "Verified: what stands, recomputed" in page.content.decode()
    assert told in plain(again.content.decode())
    assert store.values() == {"a": "1", "b": "1", "c": "1"}
    done = AuditRecord.objects.for_stream(agent.id).filter(action="checkpoint.restore")
    assert [one.actor_label for one in done] == ["olga"]


def test_only_what_was_asked_for_comes_back(operator, agent, store):
    checkpoint = changed_since(store)
    head = made(store.restore(checkpoint, dry_run=True))["number"]

    page = restore(operator, agent, checkpoint, expected=head, parts="config")

    assert "Restored: config v3 stands. Verified:" in plain(page.content.decode())
    assert store.values() == {"a": "2", "c": "1", "d": "new"}


def test_what_was_written_meanwhile_is_not_undone_unseen(operator, agent, store):
    checkpoint = changed_since(store)
    head = made(store.restore(checkpoint, dry_run=True))["number"]
    made(store.write("e", "meanwhile"))
    sent = {"expected": head, "parts": "data", "reason": "Wrong file"}

    page = restore(operator, agent, checkpoint, **sent)
    address = at(agent, "restore_checkpoint", checkpoint["id"])
    program = operator.post(address, sent, headers={"Accept": "application/json"})

    shown = plain(page.content.decode())
    assert "Nothing was done. Somebody has written since" in shown
    assert "3. Keys that go 2 keys: d , e" in shown
    assert "1. Config It is left as it is." in shown
    assert "Wrong file" in shown
    assert f'name="expected" value="{head + 1}"' in page.content.decode()
    assert program.status_code == 409
    assert store.values()["e"] == "meanwhile"


def test_a_viewer_sees_it_and_is_given_no_button(viewer, agent, store):
    checkpoint = changed_since(store)
    head = made(store.restore(checkpoint, dry_run=True))["number"]

    page = seen(viewer, agent, "agent_checkpoint", checkpoint["id"])
    refused = restore(viewer, agent, checkpoint, expected=head)
    kept = viewer.post(at(agent, "delete_checkpoint", checkpoint["id"]))

    assert "An operator can restore it." in page
    assert "<textarea" not in page
    assert (refused.status_code, kept.status_code) == (403, 403)
    assert store.values()["a"] == "2"
    assert "An operator can make and restore them." in seen(viewer, agent)
    assert "Make it" not in seen(viewer, agent)


def test_a_deleted_one_is_found_no_more_and_history_stays(operator, agent, store):
    checkpoint = changed_since(store)

    gone = operator.post(
        at(agent, "delete_checkpoint", checkpoint["id"]), headers=HTML, follow=True
    )

    assert "There is no checkpoint to go back to yet." in gone.content.decode()
    address = at(agent, "agent_checkpoint", checkpoint["id"])
    assert operator.get(address).status_code == 404
    assert len(made(store.versions("a"))["data"]) == 2


def test_an_operator_has_them_made_on_a_schedule(operator, agent, store):
    address = at(agent, "schedule_checkpoints")

    page = operator.post(address, {"schedule": "daily"}, headers=HTML, follow=True)
    wrong = operator.post(address, {"schedule": "often"}, headers=HTML)
    kept = seen(operator, agent)
    ended = operator.post(address, {"schedule": ""}, headers=HTML, follow=True)

    assert "On a schedule, daily : the next is due at" in plain(page.content.decode())
    assert wrong.status_code == 400
    assert "It takes hourly, daily, or the five fields" in wrong.content.decode()
    assert 'value="often"' in wrong.content.decode()
    assert 'value="daily"' in kept
    assert "No schedule any more." in ended.content.decode()
    assert "is due at" not in ended.content.decode()


def test_looking_at_one_is_recorded(viewer, agent, store):
    checkpoint = changed_since(store)

    seen(viewer, agent, "agent_checkpoint", checkpoint["id"])

    done = AuditRecord.objects.for_stream(agent.id).get(actor_label="vera")
    assert (done.action, done.resource_id) == ("data.list", checkpoint["id"])


def test_hostile_labels_are_text(operator, agent, store):
    evil = f"{MARKUP}{BIDI}</title></script>"
    made(store.configure({evil: evil}))
    made(store.write(MARKUP, evil))
    first = made(store.checkpoint(evil, description=evil))
    made(store.delete_prefix("<"))
    second = made(store.checkpoint(evil))
    ids = {"first": first["id"], "second": second["id"]}
    pages = [
        seen(operator, agent),
        seen(operator, agent, first=first["id"]),
        seen(operator, agent, "agent_checkpoint", first["id"]),
        seen(operator, agent, "compare_checkpoints", **ids),
    ]
    said = {"label": evil}
    posted = operator.post(
        at(agent, "make_checkpoint"), said, headers=HTML, follow=True
    )

    for page in [*pages, posted.content.decode()]:
        assert MARKUP not in page
        assert BIDI not in page
        assert html.escape(MARKUP) in page


@pytest.mark.parametrize(
    "sent", [{}, {"expected": "x"}, {"expected": 0, "parts": "half"}]
)
def test_a_form_that_is_not_understood_does_nothing(operator, agent, store, sent):
    checkpoint = changed_since(store)

    assert restore(operator, agent, checkpoint, **sent).status_code == 400
    assert store.values()["a"] == "2"


def test_what_is_not_there_is_not_found(operator, agent, store, project):
    checkpoint = changed_since(store)
    other = make_store(store.client, "other")
    elsewhere = made(other.checkpoint("of another"))["id"]

    for one in (elsewhere, "cp_0", "%00"):
        assert operator.get(at(agent, "agent_checkpoint", one)).status_code == 404
        assert operator.post(at(agent, "delete_checkpoint", one)).status_code == 404
        sent = {"expected": 1}
        assert restore(operator, agent, {"id": one}, **sent).status_code == 404
        ids = {"first": checkpoint["id"], "second": one}
        assert operator.get(at(agent, "compare_checkpoints"), ids).status_code == 404
        assert operator.get(at(agent), {"first": one}).status_code == 404
    assert operator.get(at(agent), {"after": elsewhere}).status_code == 400
    unknown = reverse("console:agent_checkpoints", args=[project.slug, "nobody"])
    assert operator.get(unknown).status_code == 404


@pytest.fixture
def by_steps(monkeypatch):
    """Let one version set two keys at most, and one step one key."""
    monkeypatch.setattr(restoring, "AT_ONCE", 2)
    monkeypatch.setattr(stepping, "STEP_KEYS", 1)
    monkeypatch.setattr(long_restores, "SWEEP_SECONDS", 0.0)


def test_what_is_too_much_for_one_version_comes_back_by_steps(
    operator, agent, store, by_steps
):
    checkpoint = changed_since(store)

    preview = seen(operator, agent, "agent_checkpoint", checkpoint["id"])
    shown = re.search(r'name="expected" value="(\d+)"', preview)[1]
    sent = {"expected": shown, "parts": "all", "by_steps": "on", "key": "k"}
    began = restore(operator, agent, checkpoint, **sent)
    with acting_as(DatabaseRole.WORKER):
        data.restore_running(now=timezone.now())
    running = seen(operator, agent)
    with acting_as(DatabaseRole.WORKER):
        while data.restore_running(now=timezone.now()):
            pass
    over = seen(operator, agent)

    assert "keys were touched since. The worker brings them back" in plain(preview)
    assert "Restore it by steps" in plain(preview)
    assert "Its keys are not counted yet." in plain(began.content.decode())
    assert "Restoring pre-import by steps; asked for by olga" in plain(running)
    assert "1 of 4 keys" in plain(running)
    assert 'hx-trigger="every 2s"' in running
    assert "Restored pre-import by steps" in plain(over)
    assert "2 keys came back, 1 went, 0 had expired" in plain(over)
    assert 'hx-trigger="every 2s"' not in over
    assert store.values() == {"a": "1", "b": "1", "c": "1"}


def test_by_steps_too_nothing_is_done_on_what_was_not_shown(
    operator, agent, store, by_steps
):
    checkpoint = changed_since(store)

    page = restore(operator, agent, checkpoint, expected="1", by_steps="on")

    assert "Nothing was done." in plain(page.content.decode())
    assert not LongRestore.objects.exists()


def test_a_viewer_starts_no_restore(viewer, agent, store, by_steps):
    checkpoint = changed_since(store)

    answer = restore(viewer, agent, checkpoint, expected="9", by_steps="on")

    assert answer.status_code == 403
    assert not LongRestore.objects.exists()
