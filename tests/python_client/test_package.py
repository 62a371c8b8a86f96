"""The package as it is built, installed alone, and kept in step with itself."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from clients.python import make_sync
from tests.live import Server

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


def test_the_wheel_alone_runs_the_readmes_first_rollback(
    installed: Path, live: Server, secret: str
) -> None:
    readme = (CLIENT / "README.md").read_text()
    program = readme.partition("```python\n")[2].partition("```")[0]
    assert "rollback" in program

    printed = run(
        [str(installed), "-I", "-c", program],
        STEPBACK_API_KEY=secret,
        STEPBACK_URL=live.url,
    )

    assert printed == "{'step': 'gathering_info', 'destination': 'NYC'}\n"
