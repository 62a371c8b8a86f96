"""The supervisor with real processes: ends, kills, and what would be left."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from apps.core.processes import supervisor
from apps.core.processes.supervisor import Child, Supervisor

CLONE = Path(__file__).parent.parent.parent
SLEEP = ["sleep", "60"]
# Writes its pid and that of a child of its own, then lives on.
FAMILY = ["sh", "-c", 'sleep 60 & echo $$ $! > "$0.part"; mv "$0.part" "$0"; wait']
STUBBORN = [
    "sh",
    "-c",
    'trap "" TERM; echo $$ > "$0.part"; mv "$0.part" "$0"; sleep 60',
]

RUN = """
import json, sys
from apps.core.processes.supervisor import Child, Supervisor
with Supervisor(say=lambda text: print(text, flush=True)) as supervisor:
    for name, argv in json.loads(sys.argv[1]):
        supervisor.start(Child(name=name, argv=argv, grace=float(sys.argv[2])))
    print("started", flush=True)
    status = supervisor.wait()
print("left", flush=True)
sys.exit(status)
"""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a supervisor with these children in a process of its own."""
    started = []

    def run(
        *children: tuple[str, list[str]], grace: float = 5
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, json.dumps(children), str(grace)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=CLONE,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def pids_in(file: Path) -> list[int]:
    wait_for(file.exists)
    return [int(word) for word in file.read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def none_of(pids: list[int]) -> Callable[[], bool]:
    return lambda: not any(is_alive(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_everything_in_order(
    start: Start, tmp_path: Path, number: int
) -> None:
    supervisor = start(("web", [*FAMILY, str(tmp_path / "pids")]), ("other", SLEEP))
    pids = pids_in(tmp_path / "pids")

    supervisor.send_signal(number)
    said, _ = supervisor.communicate(timeout=10)

    assert supervisor.returncode == 0
    assert said == "left\n"
    wait_for(none_of(pids))


def test_children_stop_in_reverse_order(start: Start, tmp_path: Path) -> None:
    script = (
        'trap "echo $1 >> $0; exit" TERM; echo > $0.$1; while :; do sleep 0.01; done'
    )
    log = str(tmp_path / "log")
    supervisor = start(
        ("first", ["sh", "-c", script, log, "first"]),
        ("second", ["sh", "-c", script, log, "second"]),
    )
    wait_for(lambda: len(list(tmp_path.glob("log.*"))) == 2)

    supervisor.terminate()
    supervisor.wait(10)

    assert Path(log).read_text().split() == ["second", "first"]


def test_a_child_that_leaves_by_itself_ends_everything(
    start: Start, tmp_path: Path
) -> None:
    supervisor = start(
        ("web", [*FAMILY, str(tmp_path / "pids")]),
        ("worker", ["sh", "-c", "sleep 0.2; exit 3"]),
    )

    said, _ = supervisor.communicate(timeout=10)

    assert said.splitlines()[0] == (
        "worker ended by itself, with status 3: stopping everything."
    )
    assert supervisor.returncode == 3
    wait_for(none_of(pids_in(tmp_path / "pids")))


def test_a_child_that_leaves_content_is_no_success(start: Start) -> None:
    supervisor = start(("web", ["true"]))

    supervisor.communicate(timeout=10)

    assert supervisor.returncode == 1


def test_what_a_killed_child_left_is_ended_too(start: Start, tmp_path: Path) -> None:
    supervisor = start(("web", [*FAMILY, str(tmp_path / "pids")]))
    pids = pids_in(tmp_path / "pids")

    os.kill(pids[0], signal.SIGKILL)
    said, _ = supervisor.communicate(timeout=10)

    assert "web ended by itself, by signal 9" in said
    wait_for(none_of(pids))


def test_a_child_that_does_not_stop_is_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(("web", [*STUBBORN, str(tmp_path / "pid")]), grace=0.3)
    pids = pids_in(tmp_path / "pid")

    supervisor.terminate()
    said, _ = supervisor.communicate(timeout=10)

    assert "web did not stop in time: killed." in said
    assert supervisor.returncode == 0
    wait_for(none_of(pids))


def test_a_second_signal_does_not_wait(start: Start, tmp_path: Path) -> None:
    supervisor = start(("web", [*STUBBORN, str(tmp_path / "pid")]), grace=60)
    pids = pids_in(tmp_path / "pid")

    supervisor.terminate()
    time.sleep(0.2)
    supervisor.terminate()
    supervisor.communicate(timeout=10)

    wait_for(none_of(pids))


def test_children_do_not_outlive_a_killed_supervisor(
    start: Start, tmp_path: Path
) -> None:
    supervisor = start(
        ("web", [*FAMILY, str(tmp_path / "pids")]),
        ("stubborn", [*STUBBORN, str(tmp_path / "stubborn")]),
        grace=1,
    )
    pids = pids_in(tmp_path / "pids") + pids_in(tmp_path / "stubborn")

    supervisor.kill()

    wait_for(none_of(pids))


def test_a_program_that_is_missing_ends_what_was_started(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    with Supervisor(say=print) as supervisor:
        supervisor.start(Child(name="web", argv=[*FAMILY, str(tmp_path / "pids")]))
        pids = pids_in(tmp_path / "pids")
        with pytest.raises(FileNotFoundError):
            supervisor.start(Child(name="lost", argv=["/no/such/program"]))

    wait_for(none_of(pids))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_spare_child_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "AGAIN_SECONDS", 0.5)
    said, lives = [], tmp_path / "lives"
    brief = ["sh", "-c", f"echo >> {lives}; sleep 0.1; exit 7"]

    with Supervisor(say=said.append) as running:
        running.start(Child(name="web", argv=["sh", "-c", "sleep 4; exit 3"]))
        running.start(Child(name="spare", argv=brief, is_spare=True))
        status = running.wait()

    assert status == 3
    assert len(lives.read_text().splitlines()) >= 3
    assert said[0] == "spare ended by itself, with status 7: again."


def test_it_looks_after_other_things_meanwhile() -> None:
    looks = []

    with Supervisor(say=print) as supervisor:
        supervisor.start(Child(name="web", argv=["sh", "-c", "sleep 1.5; exit 3"]))
        status = supervisor.wait(meanwhile=lambda: looks.append(1))

    assert status == 3
    assert len(looks) >= 2


def test_the_port_is_free_after_granian_and_its_parent_are_killed(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(
        "def app(environ, start):\n    start('200 OK', [])\n    return [b'hi']\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    granian = [sys.executable, "-m", "granian"]
    options = ["--interface", "wsgi", "--port", str(port), "--workers", "2"]
    target = ["--log-level", "error", "--working-dir", str(tmp_path), "app:app"]
    supervisor = start(("web", [*granian, *options, *target]))

    wait_for(lambda: answers(port))
    supervisor.kill()

    wait_for(lambda: is_free(port))


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=5).text == "hi"
    except httpx.TransportError:
        return False


def is_free(port: int) -> bool:
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
