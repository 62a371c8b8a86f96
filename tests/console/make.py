"""Makes what the console shows: sessions with a history, through the operations."""

import math
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock

import psycopg

from apps.agents.scope import Scope
from apps.core.actors import Actor, ActorKind
from apps.core.database.prepared import Prepared
from apps.timeline import operations as timeline
from apps.timeline.versions.reading import Step
from apps.worker import health
from tests.acts import act_in

HTML = {"Accept": "text/html"}
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
KEY = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
PERSON = Actor(kind=ActorKind.USER, id="user_1", label="olga")
STATE = {
    "destination": "NYC",
    "dates": {"depart": "2026-03-15", "return": "2026-03-20"},
    "travellers": ["Ann", "Ben"],
}


class Story:
    """One session being told, one act a minute."""

    def __init__(
        self, project, state=None, *, agent="travel-agent", now=NOW, **about
    ) -> None:
        self.scope, self.now = Scope(project), now
        receipt = timeline.create(
            agent=agent,
            state=STATE if state is None else state,
            about=timeline.About(**about),
            step=Step(),
            act=self.act(KEY),
        )
        self.id = receipt.session_id

    def act(self, actor):
        self.now += timedelta(minutes=1)
        return act_in(self.scope, actor, self.now)

    def update(self, patch, *, remove=(), **step):
        timeline.update(
            session_id=self.id,
            patch=patch,
            remove=remove,
            step=Step(**step),
            act=self.act(KEY),
        )
        return self

    def call(self, name, arguments=None):
        """Have a turn report a tool call, which makes no version."""
        timeline.add_turn(
            session_id=self.id,
            exchange=timeline.Exchange(
                input={
                    "type": "tool_call",
                    "content": "",
                    "tool_metadata": {
                        "name": name,
                        "arguments": arguments or {},
                        "id": name,
                    },
                },
                output={"type": "tool_response", "content": "ok"},
            ),
            step=Step(),
            act=self.act(KEY),
        )
        return self

    def said(self, heard, told, state, **step):
        """Have a turn make a version: a customer asks, the agent answers and acts."""
        timeline.add_turn(
            session_id=self.id,
            exchange=timeline.Exchange(input=heard, output=told),
            state_after=state,
            step=Step(**step),
            act=self.act(KEY),
        )
        return self

    def rollback(self, to, reason="wrong turn", **more):
        timeline.rollback(
            session_id=self.id,
            to=to,
            step=Step(reasoning=reason),
            **more,
            act=self.act(PERSON),
        )
        return self

    def undo(self, number):
        timeline.undo(
            session_id=self.id,
            number=number,
            step=Step(reasoning="it was right"),
            act=self.act(PERSON),
        )
        return self

    def fork(self, number):
        receipt = timeline.fork(
            origin=timeline.Origin(session_id=self.id, number=number),
            about=timeline.About(),
            step=Step(),
            act=self.act(PERSON),
        )
        return receipt.session_id

    def label(self, number, name):
        timeline.label(
            session_id=self.id, number=number, name=name, act=self.act(PERSON)
        )
        return self

    def note(self, text, number=None):
        timeline.add_note(
            session_id=self.id, number=number, text=text, act=self.act(PERSON)
        )
        return self

    def review(self, outcome, why=None):
        timeline.review(
            session_id=self.id, outcome=outcome, why=why, act=self.act(PERSON)
        )
        return self

    def score(self, name, value):
        timeline.score(session_id=self.id, name=name, value=value, act=self.act(KEY))
        return self

    def pause(self):
        timeline.pause(session_id=self.id, step=Step(), act=self.act(PERSON))
        return self

    def close(self):
        timeline.close(session_id=self.id, step=Step(), act=self.act(PERSON))
        return self

    def delete(self):
        timeline.delete(session_id=self.id, step=Step(), act=self.act(PERSON))
        return self


def address(project, *rest):
    return "/".join([f"/console/{project.slug}/sessions", *map(str, rest)])


@contextmanager
def counted_queries():
    """Count what is sent to PostgreSQL, whichever way it is sent.

    But for what every page asks once in a while: whether a worker runs.
    """
    sent = []
    asked = (math.inf, "healthy")
    execute, run = psycopg.Cursor.execute, Prepared.run

    def counting(cursor, query, *args, **options):
        sent.append(query)
        return execute(cursor, query, *args, **options)

    def counting_prepared(prepared, *args, **options):
        sent.append(prepared._text.decode())
        return run(prepared, *args, **options)

    with (
        mock.patch.object(psycopg.Cursor, "execute", counting),
        mock.patch.object(Prepared, "run", counting_prepared),
        mock.patch.object(health.STATUS, "_kept", asked),
    ):
        yield sent


def signed_in(client, user):
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client
