"""The fixture for pytest, and the README's examples of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.python_client.bundles import made
from tests.python_client.test_package import CLIENT, snippets


def pytest_in(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run pytest as users do who have the package."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "stepback.pytest_plugin"],
        cwd=folder,
        env={"PYTHONPATH": str(CLIENT / "src"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def examples() -> tuple[str, str]:
    agent, test = (one for one in snippets("python") if "seat=" in one)
    return agent, test


def test_the_readmes_example_passes(tmp_path: Path) -> None:
    made.write(tmp_path / "lost-seat.bundle")
    (tmp_path / "test_seat.py").write_text("\n\n".join(examples()))

    done = pytest_in(tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_replay_that_fails_shows_where(tmp_path: Path) -> None:
    made.write(tmp_path / "lost-seat.bundle")
    agent, test = examples()
    changed = agent.replace("seats[0]", "seats[1]")
    (tmp_path / "booking.py").write_text(changed)
    named = test.replace("replay(agent,", 'replay("booking:agent",')
    (tmp_path / "test_seat.py").write_text(named)

    done = pytest_in(tmp_path)

    assert done.returncode == 1
    assert "Difference(kind='arguments', step=2" in done.stdout


def test_the_package_tells_pytest_of_it() -> None:
    told = tomllib.loads((CLIENT / "pyproject.toml").read_text())

    assert told["project"]["entry-points"]["pytest11"] == {
        "stepback": "stepback.pytest_plugin"
    }
