"""Memory goes back when a request is over, not when somebody collects it."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from apps.core.http import ApiView

ROOT = Path(__file__).resolve().parents[2]
SAID = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"
SERVER = (
    "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n"
    "from apps.server import serving; serving.load()\n"
)
SETTLES = """
from apps.core.processes.memory import give_back_large_buffers
print(give_back_large_buffers())
def held():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
before = held()
# Each freed buffer would teach glibc to take the next, smaller one from a heap, and
# what is allocated in between keeps the heap from shrinking.
kept = []
for size in range(16, 0, -1):
    buffers = [bytearray(size * 1024 * 1024) for _ in range(4)]
    kept.append(bytearray(100_000))
    del buffers
print(held() - before < 8 * 1024)
"""


@pytest.mark.parametrize("method", ["put", "patch", "get"])
def test_an_answered_request_leaves_nothing_for_the_collector(api, method) -> None:
    writer = api()
    made = writer.post("/v1/sessions", {"agent_id": "agent"}).body
    path = f"/v1/sessions/{made['id']}/state"
    body = [] if method == "get" else [{"state": {"step": 1}}]
    getattr(writer, method)(path, *body)
    gc.collect()
    # Other tests of the process may hold views of theirs.
    before = {id(one) for one in views()}
    gc.disable()
    try:
        answer = getattr(writer, method)(path, *body)
        left = [one for one in views() if id(one) not in before]
    finally:
        gc.enable()

    assert answer.status == 200
    assert left == []


def views() -> list[ApiView]:
    # By type: some lazy objects would come to life when asked for their class.
    return [one for one in gc.get_objects() if issubclass(type(one), ApiView)]


@pytest.mark.skipif(sys.platform != "linux", reason="It is glibc that is settled.")
def test_large_buffers_go_back_to_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SETTLES], capture_output=True, text=True, timeout=60
    )

    assert done.stdout.split() == ["True", "True"], done.stderr


@pytest.mark.parametrize(
    "command",
    [("manage.py", "shell", "--no-imports", "-c", SAID), ("-c", SERVER + SAID)],
    ids=["a command", "the web server"],
)
def test_once_loaded_the_collector_runs_and_leaves_out_what_was(command) -> None:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.stdout.strip(), done.returncode) == ("True True", 0), done.stderr
