"""An export: one archive, a whole trajectory for each session, bounded."""

import hashlib
import io
import json
import zipfile

import pytest
from django.utils import timezone

from apps.core.errors import Busy
from apps.plans import running
from apps.plans.cases import exports
from apps.plans.errors import NoArchive
from apps.plans.exporting import AT_ONCE, _session, archive, download
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from stepback.cli import trajectories
from tests.console.make import Story
from tests.plans.make import confirmed, done, make_sessions, reasons, states

pytestmark = pytest.mark.django_db


def seen(plan):
    return Session.objects.of_project(plan.project_id)


def unpacked(plan):
    packed = zipfile.ZipFile(io.BytesIO(b"".join(archive(plan, seen(plan)))))
    assert packed.testzip() is None
    return {name: packed.read(name).decode() for name in packed.namelist()}


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_each_session_is_a_whole_trajectory(project, olga, tmp_path):
    story = Story(project, now=timezone.now()).call("book").update({"a": 1}).rollback(0)
    plan = done(project, olga, "export", [story.id])

    found = unpacked(plan)

    told = lines(found[f"{story.id}.jsonl"])
    kinds = [one["type"] for one in told]
    assert kinds == ["header", "version", "turn", "version", "version", "trailer"]
    assert told[0]["session"]["id"] == story.id
    assert told[3]["state"]["a"] == 1
    assert told[3]["set_aside_by"] == 2
    file = tmp_path / "session.jsonl"
    file.write_text(found[f"{story.id}.jsonl"])
    assert trajectories.read(file)["versions"] == 3


def test_it_ends_where_the_session_was_when_its_turn_came(project, olga):
    story = Story(project, now=timezone.now()).update({"a": 1})
    plan = done(project, olga, "export", [story.id])
    story.update({"a": 2}).call("late")

    told = lines(unpacked(plan)[f"{story.id}.jsonl"])

    assert [one["version"] for one in told if one["type"] == "version"] == [0, 1]
    assert told[-1]["turns"] == 0


def test_what_was_deleted_is_evidence(project, olga):
    story = Story(project, now=timezone.now()).delete()

    plan = done(project, olga, "export", [story.id])

    assert states(plan) == ["done"]
    assert f"{story.id}.jsonl" in unpacked(plan)


def test_a_list_says_what_is_in_it_and_what_is_not(project, olga, monkeypatch):
    monkeypatch.setattr(exports, "LARGEST_SESSION", 1_000)
    small, large = Story(project, {}), Story(project, {"text": "x" * 2_000})
    plan = done(project, olga, "export", [small.id, large.id])

    listed = lines(unpacked(plan)["sessions.jsonl"])

    assert states(plan) == ["done", "left_out"]
    assert [one["session_id"] for one in listed] == [small.id, large.id]
    assert listed[1]["reason"] == reasons(plan)[1]
    assert "MiB of states" in reasons(plan)[1]


def test_an_archive_is_full_at_some_size(project, olga, monkeypatch):
    monkeypatch.setattr(exports, "LARGEST_ARCHIVE", 25)
    ids = make_sessions(project, 4)

    plan = done(project, olga, "export", ids)

    assert states(plan) == ["done"] * 3 + ["left_out"]
    assert "the archive is full" in reasons(plan)[3]


def test_a_long_history_goes_in_pages(project, olga, monkeypatch):
    monkeypatch.setattr("apps.timeline.api.trajectories.pages.AT_ONCE", 2)
    story = Story(project, now=timezone.now())
    for number in range(5):
        story.update({"n": number}).call(f"call-{number}")

    plan = done(project, olga, "export", [story.id])
    text = unpacked(plan)[f"{story.id}.jsonl"]

    numbers = [one["version"] for one in lines(text) if one["type"] == "version"]
    assert numbers == list(range(6))
    *before, trailer = text.splitlines(keepends=True)
    digest = hashlib.sha256("".join(before).encode()).hexdigest()
    assert json.loads(trailer)["sha256"] == digest
    assert json.loads(trailer)["turns"] == 5


def test_a_few_archives_are_sent_at_once(project, olga):
    plan = done(project, olga, "export", make_sessions(project, 1))
    whole = b"".join(archive(plan, seen(plan)))
    open_ones = [download(plan, seen(plan)) for _ in range(AT_ONCE)]

    with pytest.raises(Busy):
        download(plan, seen(plan))

    # One that was read, and one that nobody waits for any more.
    assert b"".join(open_ones[0]) == whole
    open_ones[1].close()
    again = [download(plan, seen(plan)) for _ in range(AT_ONCE)]
    for one in again:
        one.close()


def test_a_session_that_was_erased_since_is_said_to_be_missing(
    project, olga, monkeypatch
):
    erased, kept = make_sessions(project, 2)
    plan = done(project, olga, "export", [erased, kept])
    monkeypatch.setattr(
        "apps.plans.exporting._session",
        lambda seen, id: None if id == erased else _session(seen, id),
    )

    found = unpacked(plan)

    (told,) = lines(found[f"{erased}.jsonl"])
    assert told == {"type": "error", "message": SessionNotFound().message}
    assert lines(found[f"{kept}.jsonl"])[-1]["type"] == "trailer"


@pytest.mark.parametrize("kind", ["hold", "export"])
def test_there_is_no_archive_of_another_act_or_before_it_is_over(project, olga, kind):
    plan = confirmed(project, olga, kind, make_sessions(project, 1))
    if kind == "hold":
        running.sweep(now=timezone.now())
        plan.refresh_from_db()

    with pytest.raises(NoArchive):
        download(plan, seen(plan))
