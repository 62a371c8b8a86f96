"""What a person can leave, everywhere with a canary, and where a canary is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connection

from apps.core.roles.names import Role
from tests.acting import acting_as
from tests.conftest import Answer, Api
from tests.timeline.effects.acting import begun, finished
from tests.timeline.runs import Run, begin

CANARY = "canarybird7361"
TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 1
"""


def done(answer: Answer) -> Any:
    assert 200 <= answer.status < 300, answer.content
    return answer.body


def previewed(admin: Api, **whose: str) -> Any:
    return done(admin.post("/v1/erasures/previews", whose))


def begun_erasure(admin: Api, **whose: str) -> Any:
    said = {"preview_id": previewed(admin, **whose)["id"], "reason": "Asked by mail"}
    answer = admin.post("/v1/erasures", said)
    assert answer.status == 202, answer.content
    return answer.body


def erased(admin: Api, sweep: Callable[[], int], **whose: str) -> Any:
    """Erase, and return the erasure once it is over."""
    made = begun_erasure(admin, **whose)
    sweep()
    found = done(admin.get(f"/v1/erasures/{made['id']}"))
    assert found["state"] == "done"
    return found


def leave(client: Api, user: str = "ann", canary: str = CANARY) -> Run:
    """Leave a canary in all that a person leaves by an agent."""
    run = begin(
        client,
        {"name": canary, "n": 0},
        user_id=user,
        metadata={"note": canary},
        title=f"About {canary}",
    )
    run.patch({"n": 1, canary: True}, reasoning=f"Because of {canary}")
    run.turn(f"I am {canary}", f"Hello {canary}", reasoning=f"Greets {canary}")
    run.post("versions/1/labels", {"label": f"l-{canary}"})
    run.post("notes", {"text": f"Note on {canary}"})
    effect = begun(run, arguments={"to": canary})
    finished(run, effect, result={"for": canary})
    run.post(
        "approvals",
        {"tool": "refund", "arguments": {"to": canary}, "class": "irreversible"},
    )
    memory = {"content": f"Likes {canary}", "session_id": run.id}
    done(client.post("/v1/memories", memory | {"scope": "user"}))
    done(client.post("/v1/memories", memory | {"scope": "session"}))
    done(client.post(run.path("context"), {"query": canary}))
    client.post(
        run.path("notes"),
        {"text": f"Once {canary}"},
        Idempotency_Key=f"key-{canary}",
    )
    return run


def found_in(canary: str = CANARY) -> dict[str, int]:
    """Return in how many rows of each table a text is, also as bytes."""
    found = {}
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(TABLES)
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" r WHERE r::text LIKE %s'
                " OR r::text LIKE %s",
                [f"%{canary}%", f"%{canary.encode().hex()}%"],
            )
            (n,) = cursor.fetchone()
            if n:
                found[table] = n
    return found
