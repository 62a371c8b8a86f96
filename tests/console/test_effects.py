"""Effects in the console: what is open, what is settled, what a rollback crosses."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.timeline.models import Compensation, CompensationStep, EffectStep, Version
from tests.accounts.make import make_member
from tests.console.make import HTML, signed_in
from tests.timeline.effects.acting import begun, finished, overdue
from tests.timeline.effects.reading import SHARED, made, runs
from tests.timeline.runs import Run, begin

pytestmark = pytest.mark.django_db
KEY = "key-of-a-form"


@pytest.fixture
def run(api: Any) -> Run:
    made = begin(api(), {"step": 0})
    made.patch({"step": 1})
    return made


class Person:
    """Somebody at the console, looking at one session and acting on it."""

    def __init__(self, client: Any, project: Any, role: Role, run: Run) -> None:
        self.browser = signed_in(client, make_member(project, role.value, role))
        self.project, self.run = project, run

    def at(self, name: str, *more: Any) -> str:
        return reverse(f"console:{name}", args=[self.project.slug, self.run.id, *more])

    def looks(self, name: str = "session_effects", *more: Any, **query: Any) -> str:
        answer = self.browser.get(self.at(name, *more), query, headers=HTML)
        assert answer.status_code == 200, answer.content.decode()
        return answer.content.decode()

    def acts(self, name: str, *more: Any, **given: Any) -> Any:
        return self.browser.post(self.at(name, *more), given, headers=HTML)

    def rolls_back(self, number: int, **given: Any) -> Any:
        sent = {"expected": self.run.head, "key": KEY} | given
        return self.acts("rollback", number, **sent)


@pytest.fixture
def operator(client: Any, project: Any, run: Run) -> Person:
    return Person(client, project, Role.OPERATOR, run)


@pytest.fixture
def viewer(client: Any, project: Any, run: Run) -> Person:
    return Person(client, project, Role.VIEWER, run)


def test_the_list_says_what_was_begun_and_what_came_of_it(
    run: Run, viewer: Person
) -> None:
    finished(run, begun(run))
    begun(run, key="call", tool="call_ann", **{"class": None})

    page = viewer.looks()

    assert "send_mail" in page
    assert "mail_17" in page
    assert "cannot be undone" in page
    assert "no class was said" in page
    assert "begun, not finished" in page
    only = viewer.looks(status="done")
    assert "send_mail" in only
    assert "call_ann" not in only


def test_the_list_says_what_the_record_has_answered(run: Run, viewer: Person) -> None:
    made(run, "first")
    assert not runs(run, "second")

    page = viewer.looks(status="reused")

    assert "answered from the record" in page
    assert f"/{run.id}/versions/1" in page
    assert page.count("find_flights") == 1
    assert "SK 1" in page


def test_the_list_leads_to_another_session_that_has_answered(
    run: Run, viewer: Person
) -> None:
    other = begin(run.client, {})
    made(other, "first", cache=SHARED)
    assert not runs(run, "second", cache=SHARED)

    page = viewer.looks()

    assert viewer.at("session_effects").replace(run.id, other.id) in page


def test_a_call_of_the_conversation_says_that_the_record_has_answered(
    run: Run, viewer: Person
) -> None:
    made(run, "first")
    assert not runs(run, "second")
    for key in ("first", "second"):
        call = {"id": key, "function": {"name": "find_flights", "arguments": "{}"}}
        run.turn("Go", {"content": "Done", "tool_calls": [call]})

    page = viewer.looks("conversation")

    assert page.count("answered from the record") == 1


def test_a_call_of_the_conversation_may_have_an_id_that_no_effect_can_have(
    run: Run, viewer: Person
) -> None:
    made(run, "first")
    call = {"id": "a\0b", "function": {"name": "find_flights", "arguments": "{}"}}
    run.turn("Go", {"content": "Done", "tool_calls": [call]})

    assert "find_flights" in viewer.looks("conversation")


def test_without_any_the_page_says_how_they_come(viewer: Person) -> None:
    assert "No such effect was begun" in viewer.looks()


def test_what_an_agent_says_is_no_markup(run: Run, viewer: Person) -> None:
    evil = "<script>alert(1)</script>"
    begun(run, tool=evil, arguments={"a": evil})

    page = viewer.looks()

    assert evil not in page
    assert "&lt;script&gt;" in page


def test_a_person_settles_what_is_unknown(run: Run, operator: Person) -> None:
    effect = overdue(run)
    assert "It did not" in operator.looks()

    answer = operator.acts(
        "settle_effect", effect["id"], status="done", reason="In the outbox.", key=KEY
    )

    assert answer.status_code == 303
    last = EffectStep.objects.order_by("-ordinal")[0]
    assert (last.status, last.reason) == ("done", "In the outbox.")
    (record,) = AuditRecord.objects.filter(action="effect.settled")
    assert record.resource_id == effect["id"]
    assert "outbox" not in str(record.details)
    page = operator.looks()
    assert "In the outbox." in page
    assert "It did not" not in page


def test_what_is_known_is_not_settled(run: Run, operator: Person) -> None:
    effect = begun(run)
    finished(run, effect)

    answer = operator.acts(
        "settle_effect", effect["id"], status="failed", reason="No.", key=KEY
    )

    assert answer.status_code in (303, 409)
    assert EffectStep.objects.count() == 2
    assert not AuditRecord.objects.filter(action="effect.settled").exists()


def test_settling_asks_how_one_knows(run: Run, operator: Person) -> None:
    effect = overdue(run)

    answer = operator.acts("settle_effect", effect["id"], status="done", key=KEY)

    assert answer.status_code == 400
    assert "Say how you know." in answer.content.decode()
    assert EffectStep.objects.count() == 1


def test_a_viewer_settles_nothing(run: Run, viewer: Person) -> None:
    effect = overdue(run)

    answer = viewer.acts(
        "settle_effect", effect["id"], status="done", reason="So.", key=KEY
    )

    assert answer.status_code == 403
    assert "It did not" not in viewer.looks()


def test_the_preview_lists_effects_and_merges_reported_calls(
    run: Run, operator: Person
) -> None:
    finished(run, begun(run, call_id="call_7"))
    for name, call_id in (("send_mail", "call_7"), ("look_up", "call_8")):
        said = {"name": name, "arguments": {}, "id": call_id}
        run.turn({"type": "tool_call", "content": "", "tool_metadata": said})

    page = operator.looks("rollback", 0)

    assert page.count("<code>send_mail</code>") == 1
    assert page.count("<code>look_up</code>") == 1
    assert "cannot be undone" in page
    assert "are not known here" in page
    assert 'name="letters"' in page


def test_the_preview_counts_more_than_it_lists(
    run: Run, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.queries.preview.LISTED", 1)
    undo = {"tool": "unbook", "arguments": {}}
    finished(run, begun(run, key="mail"))
    finished(run, begun(run, key="room", undo=undo, **{"class": "reversible"}))

    page = operator.looks("rollback", 0)

    assert "2 effects that v0 does not know of, the first 1:" in page
    assert "can be undone" not in page
    assert 'name="letters"' in page


def test_who_crosses_what_is_grave_types_which_session(
    run: Run, operator: Person
) -> None:
    finished(run, begun(run))

    for letters in ("", "nope", run.id[:4]):
        answer = operator.rolls_back(0, letters=letters)
        assert answer.status_code == 422
        assert "last four characters" in answer.content.decode()
    assert run.head == 1
    assert not Compensation.objects.exists()

    assert operator.rolls_back(0, letters=run.id[-4:].upper()).status_code == 303
    assert run.head == 2
    assert Compensation.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ({"class": "irreversible"}, True),
        ({"class": None}, False),
        ({"class": "read"}, False),
        ({"class": "reversible", "undo": {"tool": "unsend"}}, False),
    ],
)
def test_only_what_was_declared_or_is_unknown_asks_for_letters(
    run: Run, operator: Person, said: Any, asks: bool
) -> None:
    finished(run, begun(run, **said))

    assert ('name="letters"' in operator.looks("rollback", 0)) is asks
    assert (operator.rolls_back(0).status_code == 303) is not asks


def test_an_open_effect_asks_for_letters_whatever_its_class(
    run: Run, operator: Person
) -> None:
    begun(run, **{"class": "reversible"}, undo={"tool": "unsend"})

    assert 'name="letters"' in operator.looks("rollback", 0)
    assert operator.rolls_back(0).status_code == 422


def test_an_undo_that_crosses_what_is_grave_leads_to_its_preview(
    run: Run, operator: Person
) -> None:
    assert operator.rolls_back(0).status_code == 303  # v2
    finished(run, begun(run))

    answer = operator.acts("undo", 2, key="key-of-an-undo")

    assert answer.status_code == 303
    assert operator.at("rollback", 1) in answer["Location"]
    assert run.head == 2
    page = operator.browser.get(answer["Location"], headers=HTML).content.decode()
    assert 'name="letters"' in page


def test_while_something_is_owed_pages_say_that_outside_may_differ(
    run: Run, operator: Person
) -> None:
    effect = begun(run, **{"class": "reversible"}, undo={"tool": "unsend"})
    finished(run, effect)
    assert "Outside may differ" not in operator.looks("session_detail")

    operator.rolls_back(0)

    for name in ("session_detail", "session_effects"):
        assert "Outside may differ" in operator.looks(name)
    answer = operator.acts(
        "change_compensation", effect["id"], status="done", reason="Unsent.", key=KEY
    )
    assert answer.status_code == 303
    assert "Outside may differ" not in operator.looks("session_detail")
    assert "put right" in operator.looks()
    (record,) = AuditRecord.objects.filter(action="compensation.finished")
    assert record.resource_id == effect["id"]


def test_waiving_asks_why(run: Run, operator: Person) -> None:
    effect = begun(run, **{"class": None})
    finished(run, effect)
    operator.rolls_back(0)

    answer = operator.acts(
        "change_compensation", effect["id"], status="waived", key=KEY
    )

    assert answer.status_code == 400
    assert "Say why it stays as it is." in answer.content.decode()
    assert not CompensationStep.objects.exists()
    assert Version.objects.filter(session_id=run.id).count() == 3


def test_calls_carry_the_class_they_were_begun_with_in_the_conversation(
    run: Run, viewer: Person
) -> None:
    begun(run, call_id="call_7", **{"class": "compensable"}, undo={"tool": "unsend"})
    for name, call_id in (("send_mail", "call_7"), ("look_up", "call_8")):
        said = {"name": name, "arguments": {}, "id": call_id}
        run.turn({"type": "tool_call", "content": "", "tool_metadata": said})

    page = viewer.looks("conversation")

    assert page.count("can be made up for") == 1
    assert page.index("send_mail") < page.index("can be made up for")
    assert page.index("can be made up for") < page.index("look_up")
