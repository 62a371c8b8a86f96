"""Webhooks of `root.signed`: each note once, in order, and only the note."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.core.notes.signed import opened
from apps.webhooks import operations as webhooks
from apps.witness.witnesses import delivering
from tests.acts import act_in
from tests.timeline import runs
from tests.timeline.conftest import begin, run  # noqa: F401 - fixtures
from tests.witness.conftest import key, roots  # noqa: F401 - fixtures
from tests.witness.test_finding import sign

pytestmark = pytest.mark.django_db(transaction=True)


def sign_and_tell(run: runs.Run, step: int) -> None:  # noqa: F811
    run.patch({"step": step})
    assert sign() == 1
    delivering.deliver(now=timezone.now())


def test_each_note_is_sent_once_and_in_order(
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    subscribe: Any,
    sweep: Any,
    receiver: Any,
    key: Any,  # noqa: F811
) -> None:
    sign_and_tell(run, 3)
    subscribe("root.signed")
    sign_and_tell(run, 4)
    sign_and_tell(run, 5)
    delivering.deliver(now=timezone.now())

    sweep()

    told = [one.body for one in receiver.seen]
    assert [one["type"] for one in told] == ["root.signed"] * 2
    assert [one["data"]["number"] for one in told] == [2, 3]
    for one in told:
        note = one["data"]["note"].encode()
        assert note == Folder(roots).read(one["data"]["number"])
        assert b"root " in opened(note, [key.verifier])
        assert run.id not in str(one)


def test_a_worker_that_is_killed_while_it_tells_tells_again_and_once(
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    subscribe: Any,
    sweep: Any,
    receiver: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sign_and_tell(run, 3)
    subscribe("root.signed")
    with monkeypatch.context() as patch:
        patch.setattr("apps.witness.models.Witness.save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sign_and_tell(run, 4)

    delivering.deliver(now=timezone.now())
    sweep()

    assert [one.body["data"]["number"] for one in receiver.seen] == [2]


def test_slack_reads_a_sentence(
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    project: Any,
    sweep: Any,
    receiver: Any,
) -> None:
    sign_and_tell(run, 3)
    webhooks.create(
        act=act_in(project), url=receiver.url, kinds=["root.signed"], format="slack"
    )
    sign_and_tell(run, 4)

    sweep()

    (told,) = receiver.seen
    assert told.body["text"].startswith("Note 2 was signed: root ")
    assert told.body["text"].endswith(" over 2 leaves.")
