"""The commands that hold a session, take a rollback back, and write beside it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from itertools import islice

from stepback._sync.client import Stepback
from stepback.answers import Note
from stepback.cli.asking import PAGE, every, refuse_unused
from stepback.cli.output import Output, plain

LISTED = 20


def pause(client: Stepback, asked: Namespace, output: Output) -> None:
    """Have agents' writes refused until the session is resumed."""
    held = client.sessions.pause(asked.session, asked.reason)
    output.result(
        held.raw,
        f"v{held.version}: {asked.session} is paused; agents' writes are refused "
        "until it is resumed.",
    )


def resume(client: Stepback, asked: Namespace, output: Output) -> None:
    """Let agents write again."""
    output.ahead(client.sessions.checkpoint(asked.session).raw)
    held = client.sessions.resume(asked.session, asked.reason)
    line = f"v{held.version}: {asked.session} is resumed; agents may write again."
    output.result(held.raw, line)


def undo(client: Stepback, asked: Namespace, output: Output) -> None:
    """Take a rollback back: the one that is named, else the head."""
    done = client.sessions.undo(asked.session, asked.version, asked.reason)
    restored = done.restored_from_version
    output.result(
        done.raw,
        f"v{done.version} undoes the rollback v{restored + 1}: it shows the state of "
        f"v{restored}.",
    )


def label(client: Stepback, asked: Namespace, output: Output) -> None:
    """Give a version a label, or take it away."""
    about = {"session_id": asked.session, "version": asked.version}
    if asked.remove:
        client.labels.remove(asked.session, asked.version, asked.label)
        raw = {**about, "label": asked.label, "removed": True}
        line = f"v{asked.version} is no longer labelled {plain(asked.label)}."
    else:
        made = client.labels.add(asked.session, asked.version, asked.label)
        raw = dict(made.raw)
        line = f"v{asked.version} is labelled {plain(asked.label)}."
    output.result(raw, line)


def note(client: Stepback, asked: Namespace, output: Output) -> None:
    """Write a note; without a text, list the notes, newest first."""
    if asked.text is not None:
        refuse_unused(asked, ("limit",), "is of the list: this writes one.")
        made = client.sessions.add_note(
            asked.session, asked.text, version=asked.version
        )
        output.result(made.raw, _note(made))
        return
    listed, goes_on = _notes(client, asked)
    for one in listed:
        output.result(one.raw, _note(one))
    if goes_on:
        output.more()


def review(client: Stepback, asked: Namespace, output: Output) -> None:
    """Say how a session went."""
    made = client.sessions.review(asked.session, asked.outcome, asked.why)
    output.result(made.raw, f"{asked.session} is reviewed: {plain(made.outcome)}.")


def score(client: Stepback, asked: Namespace, output: Output) -> None:
    """Give a session a score."""
    made = client.sessions.score(asked.session, asked.name, asked.value)
    line = f"{asked.session} is scored: {plain(made.name)} is {made.value:g}."
    output.result(made.raw, line)


def _notes(client: Stepback, asked: Namespace) -> tuple[Sequence[Note], bool]:
    """Return so many notes, of one version those among all, and if there are more."""
    limit = LISTED if asked.limit is None else asked.limit
    if asked.version is None:
        page = client.sessions.list_notes(asked.session, limit=limit)
        return page.data, page.has_more
    notes = every(
        lambda after: client.sessions.list_notes(
            asked.session, limit=PAGE, starting_after=after
        )
    )
    about = (one for one in notes if one.version == asked.version)
    listed = list(islice(about, max(0, limit)))
    # Who asks for none is not told that there are some.
    return listed, bool(listed) and next(about, None) is not None


def _note(one: Note) -> str:
    about = "the session" if one.version is None else f"v{one.version}"
    text = " ".join(one.text.split())
    return f"{one.created_at}  {plain(one.created_by)} on {about}: {plain(text)}"
