"""Agents and web workers are killed between begin, call and finish: none runs twice.

`python -m tests.races.killing` is the same 500 times.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

from tests.faults import family
from tests.live import Server
from tests.races.killing import Killing
from tests.races.traffic import Line

CLIENTS = 8
# Both workers, and both that follow them.
SERVERS = 4


def test_whenever_client_or_server_is_killed_no_call_is_made_twice(
    live: Server,
    secret: str,
    start: Callable[..., str],
    tmp_path: Path,
) -> None:
    killing = Killing(
        url=live.url,
        secret=secret,
        session_id=start({"began": True}),
        called=tmp_path / "called",
        workers=lambda: workers(live),
        random=Random(17),
    )

    killed = killing.run(clients=CLIENTS, servers=SERVERS)

    assert killed.problems() == []
    assert (killed.clients, killed.servers) == (CLIENTS, SERVERS)
    assert len(killed.calls) > CLIENTS + SERVERS
    # Every open end stays one: it is not begun again by itself.
    assert killed.open_ends
    with closing(Line(live.url, secret)) as line:
        for key in killed.open_ends:
            mail = {"key": key, "tool": "send_mail", "class": "irreversible"}
            answer = line.post(f"/v1/sessions/{killing.session_id}/effects", mail)
            assert answer.body["error"]["code"] == "effect_unknown"


def workers(live: Server) -> set[int]:
    """Return the pids of the web workers."""
    return {
        pid
        for pid in family.children(live.process.pid)
        if b"resource_tracker" not in family.command(pid)
    }
