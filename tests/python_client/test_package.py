"""The package as it is built, installed alone, and kept in step with itself."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from types import SimpleNamespace

import pytest

from clients.python import make_sync
from stepback import Stepback
from stepback.mcp import descriptions
from tests.live import Server
from tests.python_client.trip_graph import builder

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def test_the_synchronous_client_follows_from_the_asynchronous_one() -> None:
    for path, text in make_sync.written().items():
        assert path.read_text() == text, f"run {make_sync.__file__}"


def test_it_imports_nothing_of_the_server() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import stepback; "
        "taken = {name.split('.')[0] for name in sys.modules}; "
        "sys.exit(bool(taken & {'apps', 'config', 'django', 'orjson', 'tests'}))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", program, str(CLIENT / "src")], timeout=60
    )

    assert done.returncode == 0


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copied(folder / "source")
    run([*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source)])
    (wheel,) = folder.glob("stepback-*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    pinned = ["-c", str(ROOT / "constraints.txt")]
    run([str(python), *PIP[1:], "install", *pinned, str(wheel)])
    return python


def copied(to: Path) -> Path:
    """Copy the sources: a build leaves its own folders beside them."""
    for file in subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "."],
        cwd=CLIENT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines():
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        (to / file).write_bytes((CLIENT / file).read_bytes())
    return to


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def snippets(language: str) -> list[str]:
    """Return the README's programs of a language, as they stand there."""
    parts = (CLIENT / "README.md").read_text().split(f"```{language}\n")[1:]
    return [part.partition("```")[0] for part in parts]


def test_the_readmes_lines_for_langgraph_run(
    live: Server, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPBACK_API_KEY", secret)
    monkeypatch.setenv("STEPBACK_URL", live.url)
    program, back, bring = (one for one in snippets("python") if "saver" in one)
    assert len(program.splitlines()) <= 5
    names = {"builder": builder(), "inputs": {"messages": [("user", "A seat")]}}

    exec(program, names)
    asked = names["graph"].get_state({"configurable": {"thread_id": "trip-42"}})
    exec(bring, names)
    brought = names["graph"].get_state(names["here"])
    exec(back, names)

    names["saver"].close()
    assert asked.next == brought.next == ("approve",)
    assert brought.values["seats"] == ["12A"]
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="trip-42").data
    assert (session.rollback_count, session.state.get("seats", [])) == (1, [])


def test_the_readmes_lines_for_a_safe_operation_run(live: Server, secret: str) -> None:
    (program,) = (one for one in snippets("python") if "verify=check" in one)
    with Stepback(secret, live.url) as sb:
        names = {"sb": sb, "items": [SimpleNamespace(key="a", value="1")]}

        exec(program, names | {"check": lambda agent: agent == "billing"})

        assert [one.value for one in sb.data.list("billing", full=True)] == ["1"]


def test_the_readmes_hosts_are_those_of_the_info_tool() -> None:
    (shown,) = snippets("json")
    readme = (CLIENT / "README.md").read_text()

    told = descriptions.connect()

    for host in ("claude_desktop", "cursor", "windsurf", "gemini_cli", "generic"):
        assert json.loads(told[host]) == json.loads(shown)
    assert told["claude_code"].startswith("claude mcp add stepback -e STEPBACK_URL=")
    assert "`claude mcp add stepback -e STEPBACK_URL=" in readme
    assert json.loads(told["vscode"])["servers"]["stepback"]["type"] == "stdio"
    assert '"type": "stdio"' in readme
    assert tomllib.loads(told["codex_cli"])["mcp_servers"] == {
        "stepback": json.loads(shown)["mcpServers"]["stepback"]
    }


def test_the_wheels_commands_work_without_extras_or_name_the_one_they_want(
    installed: Path, live: Server, secret: str
) -> None:
    commands = installed.parent

    listed = run(
        [str(commands / "stepback"), "--json", "sessions", "--limit", "1"],
        STEPBACK_API_KEY=secret,
        STEPBACK_URL=live.url,
    )
    refused = subprocess.run(
        [str(commands / "stepback-mcp")],
        capture_output=True,
        text=True,
        timeout=300,
        cwd="/",
        env={"STEPBACK_API_KEY": secret},
    )

    assert len(listed.splitlines()) <= 1
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "stepback-mcp: pip install 'stepback[mcp]'\n"


def test_the_wheel_alone_runs_the_readmes_first_rollback(
    installed: Path, live: Server, secret: str
) -> None:
    program = snippets("python")[0]
    assert "rollback" in program
    lines = [one for one in program.splitlines() if one]
    assert len(lines) <= 10

    printed = run(
        [str(installed), "-I", "-c", program],
        STEPBACK_API_KEY=secret,
        STEPBACK_URL=live.url,
    )

    assert printed == "{'step': 'gathering_info', 'destination': 'NYC'}\n"


METHODS = re.compile(r"^\| `(sb[\w.]*)` \| (.+) \|$", re.MULTILINE)


def test_its_page_names_every_method() -> None:
    page = (CLIENT / "README.md").read_text()

    with Stepback(api_key="sb_none") as sb:
        for where, said in METHODS.findall(page):
            part = functools.reduce(getattr, where.split(".")[1:], sb)
            names = {name for name in dir(part) if not name.startswith("_")}
            methods = {name for name in names if callable(getattr(part, name))}

            assert set(re.findall(r"`(\w+)`", said)) == methods, where
