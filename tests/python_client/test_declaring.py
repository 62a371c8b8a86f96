"""Schemas, migrations and budgets from the command line, against a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from stepback.cli.__main__ import main
from tests.live import Server
from tests.python_client.test_command_line import process, told

RENAME = [{"op": "rename", "at": "/dest", "to": "destination"}]


@pytest.fixture
def admin_key(live: Server) -> str:
    return live.key("stepback-client", "--scope", "admin")


@pytest.fixture
def run(live: Server, admin_key: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """`run("budgets", ...)` is what the command printed; it ends with this status."""

    def command(*arguments: str, status: int = 0, key: str = admin_key) -> str:
        assert main(["--url", live.url, "--key", key, *arguments]) == status
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return command


@pytest.fixture
def session(live: Server, admin_key: str, agent_id: str) -> str:
    """A session of an older schema than the agent's newest."""
    with Stepback(admin_key, live.url) as sb:
        made = sb.sessions.create(agent_id, {"dest": "Berlin"}, schema_version="1.0.0")
        sb.schemas.declare(agent_id, "1.0.0", {"type": "object"})
        sb.schemas.declare(agent_id, "2.0.0", {"type": "object"})
        sb.schemas.declare_migration(agent_id, "1.0.0", "2.0.0", RENAME)
        return made.id


def test_a_schema_of_a_file_is_declared_and_all_are_listed(
    run: Any, session: str, agent_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "third.json"
    file.write_text(json.dumps({"type": "object", "required": ["destination"]}))

    made = run("schemas", agent_id, "3.0.0", str(file))
    listed = run("schemas", agent_id)

    assert "Declared 3.0.0" in made
    assert [line.split()[0] for line in listed.splitlines()] == [
        *("1.0.0", "2.0.0", "3.0.0", "1.0.0"),
    ]
    assert "1.0.0 → 2.0.0  rename" in listed
    assert told(run("--json", "schemas", agent_id))[2]["version"] == "3.0.0"


def test_what_is_no_schema_is_refused_and_declares_nothing(
    run: Any, session: str, agent_id: str, secret: str, tmp_path: Path
) -> None:
    file = tmp_path / "none.json"
    for text in ("[1]", '{"a":' * 100_000):
        file.write_text(text)
        assert "holds no JSON object" in run(
            "schemas", agent_id, "3.0.0", str(file), status=1
        )
    assert "Name the file" in run("schemas", agent_id, "3.0.0", status=1)
    file.write_text('{"$ref": "https://example.org/schema"}')
    assert run("schemas", agent_id, "3.0.0", str(file), status=1)
    file.write_text("{}")
    assert run("schemas", agent_id, "3.0.0", str(file), status=1, key=secret)
    assert "3.0.0" not in run("schemas", agent_id)


def test_a_dry_run_shows_the_migrated_state_and_a_run_stores_it(
    run: Any, session: str
) -> None:
    shown = run("migrate", session, "2.0.0", "--dry-run")
    stored = run("migrate", session, "2.0.0", "--reason", "The agent is new.")

    assert "would be migrated from 1.0.0: nothing is stored." in shown
    assert '{"destination": "Berlin"}' in shown
    assert f"v1: {session} is of the schema 2.0.0." in stored
    again = run("migrate", session, "2.0.0", "--dry-run")
    assert "v1" in again
    assert "is of it already" in again
    assert "stepback: " in run("migrate", session, "9", status=1)


def test_a_budget_is_made_listed_and_what_is_none_is_refused(
    run: Any, session: str, agent_id: str, secret: str
) -> None:
    mine = ("--session", session)
    made = run("budgets", "turns", "10", *mine, "--on-reach", "warn", "--warn", "50")
    run("budgets", "minutes", "90", "--agent", agent_id, "--release", "1.2")

    assert f"{session}: 0 of 10 turns, then warn" in made
    assert run("budgets", *mine) == made
    of_agent = run("budgets", "--agent", agent_id)
    assert f"{agent_id} release 1.2: 0 of 90 minutes, then pause" in of_agent
    assert told(run("--json", "budgets", *mine))[0]["limit"] == "10"
    assert "Say how much" in run("budgets", "turns", *mine, status=1)
    assert "currency" in run("budgets", "cost", "1", *mine, status=1)
    assert run("budgets", "turns", "5", *mine, status=1, key=secret)


def test_what_asks_for_no_list_is_refused_and_a_list_says_that_it_goes_on(
    run: Any, session: str, agent_id: str
) -> None:
    mine = ("--session", session)
    run("budgets", "turns", "10", *mine), run("budgets", "tokens", "10", *mine)

    assert "--release" in run("budgets", "--release", "1.2", status=1)
    assert "--on-reach" in run("budgets", *mine, "--on-reach", "ask", status=1)
    assert "which version" in run("schemas", agent_id, "--strict", status=1)
    (_, goes_on) = run("budgets", *mine, "--limit", "1").splitlines()
    assert goes_on == "… there are more"
    assert len(told(run("--json", "budgets", *mine, "--limit", "1"))) == 1
    assert len(run("budgets", *mine, "--agent", agent_id).splitlines()) == 2


def test_they_work_as_processes(
    live: Server, admin_key: str, session: str, agent_id: str
) -> None:
    for arguments, said in (
        (("schemas", agent_id), b"2.0.0"),
        (("migrate", session, "2.0.0"), b"is of the schema 2.0.0"),
        (("budgets", "tokens", "5", "--session", session), b"0 of 5 tokens"),
    ):
        ended = process(live, admin_key, *arguments)
        out, err = ended.communicate(timeout=300)
        assert (ended.returncode, err) == (0, b""), err
        assert said in out
