"""What the tests of effects share: an agent that calls tools, and says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from apps.accounts.models import Project
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from tests.acts import act_in
from tests.conftest import Answer
from tests.timeline.runs import Run

MAIL = {
    "key": "mail-1",
    "tool": "send_mail",
    "arguments": {"to": "ann"},
    "class": "irreversible",
}
SENT = {"status": "done", "result": {"id": "mail_17"}, "external_id": "smtp-9"}


def ask(run: Run, **said: Any) -> Answer:
    """Begin the mail, or what is said instead of it."""
    return run.client.post(run.path("effects"), MAIL | said)


def begun(run: Run, **said: Any) -> Any:
    """Begin it; return the answer that says to run it."""
    answer = ask(run, **said)
    assert (answer.status, answer.body["run"]) == (201, True), answer.content
    return answer.body


def finish(run: Run, effect: Any, **said: Any) -> Answer:
    """Finish an attempt as sent, or as is said."""
    path = run.path("effects", effect["id"], "finish")
    return run.client.post(path, {"attempt": effect["attempt"]} | SENT | said)


def finished(run: Run, effect: Any, **said: Any) -> Any:
    answer = finish(run, effect, **said)
    assert answer.status == 200, answer.content
    return answer.body


def read(run: Run, effect: Any) -> Any:
    return run.get("effects", effect["id"])


def overdue(run: Run, **said: Any) -> Any:
    """Begin by a clock that is an hour behind what nobody finishes in time."""
    wanted = MAIL | said
    project = Project.objects.get(id=Session.objects.get(id=run.id).project_id)
    begun = timeline.begin_effect(
        act=act_in(project, now=timezone.now() - timedelta(hours=1)),
        session_id=run.id,
        effect=timeline.NewEffect(effect_class=wanted.pop("class"), **wanted),
    )
    assert begun.run
    assert begun.effect
    return {"id": begun.effect.id, "attempt": begun.effect.attempt}
