"""What the product is measured against, in processes of their own.

LangGraph, Presidio and mem0 live each in a venv that is made once, below
`var/benchmarks/`, from the pinned `requirements.txt`, `presidio.txt` and `mem0.txt`
beside this file.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.benchmarks import machine
from tests.live import ROOT, free_port

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
PRESIDIO = HERE / "presidio.txt"
MEM0 = HERE / "mem0.txt"
CACHE = ROOT / "var" / "benchmarks"
INSTALL_SECONDS = 900
TABLE = """
CREATE TABLE IF NOT EXISTS bare (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), data bytea NOT NULL);
CREATE TABLE IF NOT EXISTS kept (key text PRIMARY KEY, value text NOT NULL)
"""


def ensure(requirements: Path = REQUIREMENTS) -> Path:
    """Return the folder of the baselines' programs; the first time, install them.

    Raises: RuntimeError with what pip said.
    """
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    folder = CACHE / f"baselines-{digest}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        sys.stderr.write("installing the baselines, once\n")
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", "-r"]
        done = subprocess.run(
            [*pip, str(requirements)],
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
        )
        if done.returncode:
            raise RuntimeError(f"The baselines cannot be installed:\n{done.stderr}")
        (folder / "complete").touch()
    return folder / "bin"


@contextmanager
def bare(dsn: str) -> Iterator[str]:
    """Serve the bare views as the product is served; give their URL."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(TABLE)
    port = free_port()
    command = [sys.executable, "-m", "tests.benchmarks.baselines.bare_server"]
    command += [str(port)]
    env = os.environ | {
        "DATABASE_URL": dsn,
        "DJANGO_SETTINGS_MODULE": "tests.benchmarks.baselines.bare_settings",
    }
    with machine.running(command, env=env, cwd=ROOT) as (process, log):
        url = f"http://127.0.0.1:{port}"
        machine.until_ready(f"{url}/empty", process, log)
        yield url


@contextmanager
def agent_server() -> Iterator[str]:
    """Run LangGraph's development Agent Server, which keeps all in memory.

    Nothing leaves the machine: no tracing, no analytics, no browser, no tunnel, no
    licence (it asks for none). It runs in a folder of its own, where it keeps files.
    """
    programs, port = ensure(), free_port()
    command = [str(programs / "langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    command += ["--server-log-level", "WARNING"]
    env = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": os.environ.get("HOME", "/"),
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    }
    with tempfile.TemporaryDirectory(prefix="stepback-bench-agents-") as name:
        folder = Path(name) / "app"
        shutil.copytree(HERE / "agent_server", folder)
        with machine.running(command, env=env, cwd=folder) as (process, log):
            url = f"http://127.0.0.1:{port}"
            machine.until_ready(f"{url}/ok", process, log)
            yield url


class Saver:
    """LangGraph's PostgresSaver, in its process; see `saver.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def rate(self, seconds: float, states: list[Any], threads: int = 8) -> float:
        return float(self._asked({"rate": [seconds, states, threads]}))

    def keep(self, steps: Iterable[dict[str, Any]]) -> int:
        """Put the steps of threads, as `putting.keep` says; return how many."""
        with tempfile.TemporaryDirectory(prefix="stepback-bench-steps-") as name:
            file = Path(name) / "steps.jsonl"
            with file.open("w") as lines:
                lines.writelines(f"{json.dumps(step)}\n" for step in steps)
            return int(self._asked({"keep": str(file)}))

    def _asked(self, command: Any) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{json.dumps(command)}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("PostgresSaver's process ended: see what it said above")
        return json.loads(answer)


@contextmanager
def saver(dsn: str) -> Iterator[Saver]:
    """Run PostgresSaver on that database."""
    with subprocess.Popen(
        [str(ensure() / "python"), "-m", "tests.benchmarks.baselines.saver", dsn],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Saver(process)
        finally:
            process.terminate()


@contextmanager
def recognisers() -> Iterator[Callable[[list[str]], float]]:
    """Give Presidio's pattern recognisers: texts in, milliseconds out."""
    program = str(ensure(PRESIDIO) / "python")
    with subprocess.Popen(
        [program, "-m", "tests.benchmarks.baselines.recognisers"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def asked(texts: list[str]) -> float:
            assert process.stdin
            assert process.stdout
            process.stdin.write(f"{json.dumps(texts)}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                raise RuntimeError("Presidio's process ended: see what it said above")
            return float(answer)

        try:
            yield asked
        finally:
            process.terminate()


# A name of a command, and what it is given: milliseconds; see `remembering.py`.
Asked = Callable[[str, Any], float]


@contextmanager
def remembering(store: str) -> Iterator[Asked]:
    """Run mem0 on a local store of this kind, in a folder that is removed."""
    program = str(ensure(MEM0) / "python")
    module = "tests.benchmarks.baselines.remembering"
    with (
        tempfile.TemporaryDirectory(prefix="stepback-bench-mem0-") as folder,
        subprocess.Popen(
            [program, "-m", module, store, folder],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):

        def asked(name: str, given: Any) -> float:
            assert process.stdin
            assert process.stdout
            process.stdin.write(f"{json.dumps({name: given})}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                raise RuntimeError("mem0's process ended: see what it said above")
            return float(answer)

        try:
            yield asked
        finally:
            process.terminate()
