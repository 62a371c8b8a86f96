"""A recorded run taken along by the command line, and replayed with the network cut."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from stepback.bundles import packing
from stepback.cli.__main__ import main
from tests.live import Server

SOURCE = Path(__file__).parents[3] / "clients" / "python" / "src"
MAIL = "zoe.fuchs@example.org"
# An agent as its user has it, in a folder of its own.
AGENT = '''
def book(state, run):
    """Go on as the model said, and call what it asked for."""
    while True:
        try:
            said = run.reply()
        except LookupError:
            return
        for call in said.get("tool_calls") or []:
            found = run.call(call["function"]["name"], ARGUMENTS(call))
            state = {**state, "found": found}
        yield {**state, "step": state["step"] + 1}
        state = {**state, "step": state["step"] + 1}


def ARGUMENTS(call):
    import json

    return json.loads(call["function"]["arguments"])


def changed(state, run):
    run.call("find", {"to": "[masked]", "day": 2})


def calls_home(state, run):
    import socket

    with socket.create_connection(("127.0.0.1", PORT)):
        pass


nothing = 7
'''


@pytest.fixture
def client(live: Server, secret: str) -> Any:
    with Stepback(secret, live.url) as found:
        yield found


@pytest.fixture
def recorded(client: Stepback, agent_id: str) -> str:
    """A run of two steps, with the customer's address all over it."""
    asked = {"name": "find", "arguments": json.dumps({"to": MAIL, "day": 1})}
    messages = [
        {"role": "user", "content": f"I am {MAIL}"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": asked}]},
        {"role": "tool", "tool_call_id": "c1", "content": f"Found {MAIL}"},
        {"role": "assistant", "content": f"Mailed {MAIL}"},
    ]
    state: dict[str, Any] = {"customer": {"email": MAIL}, "step": 0}
    session = client.sessions.create(agent_id, state)
    found = state | {"found": f"Found {MAIL}"}
    client.sessions.append_batch(
        session.id,
        [
            {"op": "replace", "state": found | {"step": 1}, "messages": messages[:3]},
            {"op": "replace", "state": found | {"step": 2}, "messages": messages},
        ],
    )
    return session.id


@pytest.fixture
def run(live: Server, secret: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """`run("export", ...)` is what the command printed; it has to succeed."""

    def command(*arguments: str, status: int = 0) -> str:
        given = ["--url", live.url, "--key", secret, *arguments]
        assert main(given) == status, capsys.readouterr()
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the user is, with an agent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    (tmp_path / "mine.py").write_text(AGENT.replace("PORT", str(port)))
    return tmp_path


def without_network() -> list[str]:
    """What runs a command in a namespace without any network, where that is allowed."""
    asked = ["unshare", "-rn"]
    try:
        done = subprocess.run([*asked, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return [] if done.returncode else asked


def replayed(
    folder: Path, *arguments: str, cut: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run `stepback replay` as people do, without a key and without a server."""
    command = [
        *(without_network() if cut else []),
        sys.executable,
        "-m",
        "stepback.cli",
    ]
    return subprocess.run(
        [*command, "replay", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def exported(run: Any, session: str, folder: Path, *more: str) -> Path:
    file = folder / "run.bundle"
    run("export", session, str(file), "--with-effects", *more)
    return file


def test_a_recorded_run_replays_with_the_network_cut(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder, "--mask", "/customer/email")

    done = replayed(folder, file.name, "--agent", "mine:book")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "It did as was recorded.\n"


def test_a_masked_value_is_nowhere_in_the_file(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder, "--mask", "/customer/email")

    packed = file.read_bytes()
    unpacked = b"".join(packing.unpack(file).values())
    for text in (MAIL, MAIL.upper(), "zoe.fuchs", "zoe%2Efuchs"):
        assert text.encode() not in packed + unpacked
    assert b"[masked]" in unpacked
    # Nor compressed by itself, as a member that nobody lists would be.
    assert zlib.compress(MAIL.encode())[2:-4] not in packed


def test_changed_code_is_told_by_the_first_difference(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder, "--mask", "/customer/email")

    done = replayed(folder, file.name, "--agent", "mine:changed")

    assert done.returncode == 1
    first, raised = done.stdout.splitlines()
    assert first == (
        "First difference in arguments, step 1 /day: recorded (message 2) "
        '{"tool": "find", "arguments": {"to": "[masked]", "day": 1}}, '
        'now {"tool": "find", "arguments": {"to": "[masked]", "day": 2}}'
    )
    assert "NotRecorded" in raised
    assert done.stderr == "stepback: The agent did not come to its end.\n"


def test_an_agent_that_tries_the_network_is_told_of(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder)

    done = replayed(folder, file.name, "--agent", "mine:calls_home", cut=False)

    assert done.returncode == 1
    (home,) = [
        one for one in done.stdout.splitlines() if one.startswith("! No network")
    ]
    assert f"{folder / 'mine.py'}:" in home
    assert "in calls_home asked for 127.0.0.1:" in home


def test_the_checks_of_the_bundle_and_of_the_command_decide(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder, "--check", "state.step=2")

    held = replayed(folder, file.name, "--agent", "mine:book")
    failed = replayed(
        folder, file.name, "--agent", "mine:book", "--check", "state.step>2"
    )

    assert held.returncode == 0
    assert "holds  state.step=2\n" in held.stdout
    assert failed.returncode == 1
    assert "fails  state.step>2\n" in failed.stdout
    assert failed.stderr == "stepback: 1 of 2 checks do not hold.\n"


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("mine", "--agent takes module:function."),
        ("mine:", "--agent takes module:function."),
        ("mine:nobody", "There is no agent at mine:nobody"),
        ("not_there:book", "There is no agent at not_there:book"),
        ("mine:nothing", "cannot be called"),
    ],
)
def test_what_is_no_agent_is_refused(
    run: Any, recorded: str, folder: Path, agent: str, said: str
) -> None:
    file = exported(run, recorded, folder)

    done = replayed(folder, file.name, "--agent", agent, cut=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bundle_that_was_altered_is_refused_and_nothing_is_written(
    run: Any, recorded: str, folder: Path
) -> None:
    file = exported(run, recorded, folder)
    whole = file.read_bytes()
    members = packing.unpack(file)
    before = sorted(folder.rglob("*"))

    for altered, said in [
        (whole[:-1], "it was cut"),
        (whole[:50] + b"\0" + whole[51:], "was changed"),
        (packing.sealed({**members, "../mine.py": b"x"}), "leads out of its folder"),
    ]:
        file.write_bytes(altered)
        done = replayed(folder, file.name, "--agent", "mine:book", cut=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert said in done.stderr
        assert said in run("check", str(file), status=1)
    assert sorted(folder.rglob("*")) == before


def test_only_the_file_that_was_named_is_replayed(
    run: Any, recorded: str, folder: Path
) -> None:
    file = folder / "run.bundle"
    told = json.loads(
        run("--json", "export", recorded, str(file), "--with-effects").splitlines()[-1]
    )
    digest = told["file_sha256"]

    right = replayed(
        folder, file.name, "--agent", "mine:book", "--sha256", digest, cut=False
    )
    other = replayed(
        folder, file.name, "--agent", "mine:book", "--sha256", "0" * 64, cut=False
    )

    assert right.returncode == 0
    assert other.returncode == 1
    assert f"has the digest {digest}" in other.stderr


def test_a_bundle_is_whole_and_says_so(run: Any, recorded: str, folder: Path) -> None:
    file = exported(run, recorded, folder, "--version", "1")

    assert "is whole: 2 versions, 0 turns." in run("check", str(file))


def test_what_it_says_of_itself_as_json(
    recorded: str, run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(run, recorded, folder)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))

    told = json.loads(run("--json", "replay", str(file), "--agent", "mine:book"))

    assert (told["passed"], told["difference"], told["network"]) == (True, None, [])
    assert told["state"]["step"] == 2
    sys.modules.pop("mine")


def test_what_cannot_be_exported_is_told(run: Any, recorded: str, folder: Path) -> None:
    file = exported(run, recorded, folder)

    assert "exists" in run("export", recorded, str(file), "--with-effects", status=1)
    assert "say which" in run("export", recorded, "--with-effects", status=1)
    for name, value in (("mask", "/a"), ("check", "there:state"), ("version", "1")):
        said = run("export", recorded, f"--{name}", value, status=1)
        assert f"--{name} is of a bundle" in said
    new = str(folder / "new.bundle")
    assert "At character 9" in run(
        "export", recorded, new, "--with-effects", "--check", "state.a=", status=1
    )
    assert "pointer" in run(
        "export", recorded, new, "--with-effects", "--mask", "customer", status=1
    )
    assert "There is no such session" in run(
        "export", "sess_nobody", new, "--with-effects", status=1
    )
    assert not Path(new).exists()


def test_reading_is_enough_for_a_bundle(
    live: Server, recorded: str, folder: Path
) -> None:
    key = live.key("stepback-client", "--scope", "read")
    given = ["--url", live.url, "--key", key, "export", recorded]

    assert main([*given, str(folder / "read.bundle"), "--with-effects"]) == 0


def test_a_stranger_gets_none(live: Server, recorded: str, folder: Path) -> None:
    given = ["--url", live.url, "--key", live.key("stepback-strangers")]
    file = folder / "theirs.bundle"

    assert main([*given, "export", recorded, str(file), "--with-effects"]) == 1
    assert not file.exists()


def test_the_runs_that_are_posted_can_be_taken_along(
    run: Any, agent_id: str, folder: Path
) -> None:
    """Each call of a run in OpenAI's form is answered as it was then."""
    runs = folder / "runs.jsonl"
    messages = [
        {"role": "user", "content": "Cancel ABC123"},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c1",
                    "function": {"name": "cancel", "arguments": '{"id": "ABC123"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "cancelled"},
        {"role": "assistant", "content": "Done."},
    ]
    runs.write_text(json.dumps({"run": agent_id, "messages": messages}))
    posted = json.loads(run("--json", "post", str(runs), "--agent", agent_id))
    file = exported(run, posted["session_id"], folder, "--check", "there:state.said")
    (folder / "theirs.py").write_text(
        "def agent(state, run):\n"
        "    assert run.call('cancel', id='ABC123') == 'cancelled'\n"
        "    return {**state, 'said': run.messages[0]['content']}\n"
    )

    done = replayed(folder, file.name, "--agent", "theirs:agent")

    assert done.returncode == 0, done.stderr
    assert "First difference in state" in done.stdout
