"""What a removal took, asked for by the client of a server with several processes.

Each process has decoded the bodies and remembers the heads before another takes them.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from apps.core.roles.names import Role
from stepback import Stepback, errors
from stepback.cli import trajectories
from stepback.errors import Codes
from tests.live import Server, feed, manage

# So often is asked that each of the server's processes has answered.
OFTEN = 24


def take(live: Server, call: str, **given: Any) -> None:
    """Have a process of its own take something, as the retention role."""
    feed(live.dsn)
    named = {"removal_id": "rem_01", "reason": "policy"} | given
    run = (
        "from apps.timeline.operations import keeping;"
        f"print(keeping.{call}(**{named!r}).outcome)"
    )
    printed = manage(live.dsn, "shell", "--no-imports", "-c", run, role=Role.RETENTION)
    assert printed.split()[-1] == "done"


def test_what_was_pruned_raises_with_its_tombstone(
    sb: Any, session: Any, live: Server
) -> None:
    for _ in range(OFTEN):
        assert sb.sessions.get_version(session.id, 1).state == {"n": 1}
    take(live, "prune_versions", session_id=session.id, first=0, last=2)
    for _ in range(OFTEN):
        with pytest.raises(errors.VersionPruned) as caught:
            sb.sessions.get_version(session.id, 1)
    assert caught.value.status == 410
    assert caught.value.version == 1
    stone = caught.value.tombstone
    assert stone is not None
    assert (stone["first_version"], stone["last_version"]) == (0, 2)
    assert (stone["removal_id"], stone["reason"]) == ("rem_01", "policy")
    with pytest.raises(errors.VersionPruned) as refused:
        sb.sessions.rollback(session.id, version=1)
    assert refused.value.status == 409
    page = sb.sessions.list_versions(session.id)
    assert [one.version for one in page] == [5, 4, 3]
    assert [one["last_version"] for one in page.removed] == [2]


def test_what_was_erased_is_served_by_no_process_that_had_it(
    sb: Any, session: Any, live: Server
) -> None:
    for _ in range(OFTEN):
        assert sb.sessions.get_version(session.id, 3).state == {"n": 3}
        assert sb.sessions.checkpoint(session.id, version=3).state == {"n": 3}
    take(live, "empty_versions", session_id=session.id, first=0, last=4)
    for _ in range(OFTEN):
        with pytest.raises(errors.ContentsErased) as caught:
            sb.sessions.get_version(session.id, 3)
        with pytest.raises(errors.ContentsErased):
            sb.sessions.checkpoint(session.id, version=3)
        assert sb.sessions.get_state(session.id).state == {"n": 5}
    assert isinstance(caught.value, errors.Gone)
    assert caught.value.tombstone is not None
    assert caught.value.tombstone["kind"] == "emptied"
    page = sb.sessions.list_versions(session.id, include_state=True)
    assert [(one.contents_erased, one.state) for one in page] == [
        (False, {"n": 5}),
        *[(True, None)] * 5,
    ]
    assert sb.sessions.update_state(session.id, {"m": 1}).state == {"n": 5, "m": 1}


def test_a_removed_session_is_known_to_no_process(
    sb: Any, session: Any, live: Server
) -> None:
    for number in range(OFTEN):
        sb.sessions.update_state(session.id, {"m": number})
        sb.sessions.get_state(session.id)
    take(live, "remove_session", session_id=session.id, erasing=True)
    for number in range(OFTEN):
        with pytest.raises(errors.SessionNotFound):
            sb.sessions.get_state(session.id)
        with pytest.raises(errors.SessionNotFound):
            sb.sessions.update_state(session.id, {"m": number})
        # It would change nothing, so that nothing were to be stored.
        with pytest.raises(errors.SessionNotFound):
            sb.sessions.update_state(session.id, {"m": OFTEN - 1})


def test_an_exported_file_names_its_gaps(
    live: Server, secret: str, agent_id: str
) -> None:
    with Stepback(api_key=secret, base_url=live.url) as client:
        made = client.sessions.create(agent_id=agent_id, initial_state={"n": 0})
        for number in range(1, 6):
            client.sessions.update_state(made.id, {"n": number})
        client.labels.add(made.id, 0, "first")
        take(live, "prune_versions", session_id=made.id, first=1, last=2)
        take(live, "empty_versions", session_id=made.id, first=3, last=3)
        written = io.StringIO()
        trajectories.write(client, made.id, written)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    kinds = [one["type"] for one in lines]
    assert kinds == ["header", "version", "removed", *["version"] * 3, "trailer"]
    assert (lines[2]["first_version"], lines[2]["last_version"]) == (1, 2)
    assert [one["contents_erased"] for one in lines[3:6]] == [True, False, False]
    assert lines[-1]["versions"] == 4


def test_blame_says_how_far_it_looked(sb: Any, session: Any, live: Server) -> None:
    take(live, "prune_versions", session_id=session.id, first=0, last=4)
    found = sb.sessions.blame(session.id, "/n")
    assert (found.value, list(found.data)) == (5, [])
    assert found.not_before["version"] == 5
    assert found.not_before["code"] in Codes.by_code
