"""The published releases of Anchor's client, each run in a process of its own.

Two releases of one package cannot be installed side by side, so each is the file that
the package index serves, which Python imports from as it is. It is fetched once, and
taken only where its digest is the one below.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.anchor import driven

ROOT = Path(__file__).resolve().parents[2]
FETCHED = ROOT / "var" / "published"
# Of the files that were looked at: another one is not run.
SHA256 = {
    "1.0.1": "9090fc198ed651ad5f8d31a33ea11f2faa750e4a586d46c0b3fd351941a13608",
    "1.1.0": "13b88887b1b6d729c976bfedca6d5492da39ea2bbab1c429998ed87682eaa3e4",
}
# The release whose calls have no /v1, and the one whose calls have.
RELEASES = tuple(SHA256)


class Raised(Exception):
    """What the client raised: the name of its class, those of its bases, its facts."""

    def __init__(self, kind: str, message: str, bases: list[str], facts: Any) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.bases = bases
        self.status_code: int | None = facts.get("status_code")
        self.response: Any = facts.get("response")
        self.facts: dict[str, Any] = facts


class ClientProcess:
    """A Python that has one release on its path; close it."""

    def __init__(self, release: str) -> None:
        self.release = release
        self._process = subprocess.Popen(
            [sys.executable, "-P", driven.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(release),
            text=True,
        )

    def ask(self, do: str, **given: Any) -> Any:
        """Return what is answered.

        Raises: Raised.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = json.dumps({"do": do, "with": driven.encoded(given)})
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answered = self._process.stdout.readline()
        assert answered, f"anchorai {self.release} ended with {self._process.wait()}."
        told = driven.decoded(json.loads(answered))
        if "raised" in told:
            raise Raised(facts=told["facts"], **told["raised"])
        return told["answer"]

    def open(self, **options: Any) -> Client:
        """Return a client; the options are those of its constructor."""
        return Client(self, self.ask("open", **options))

    def close(self) -> None:
        self._process.communicate(timeout=20)


class Client:
    """A client in its process: `client.agents.get(id)` calls it there.

    What it returns has its fields as attributes, and the name of its class as `kind`.
    """

    def __init__(self, process: ClientProcess, number: int, prefix: str = "") -> None:
        self._process = process
        self._number = number
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if not self._prefix and name in driven.NAMESPACES:
            return Client(self._process, self._number, f"{name}.")
        return functools.partial(self._call, self._prefix + name)

    def _call(self, name: str, /, *given: Any, **named: Any) -> Any:
        asked = {"number": self._number, "name": name}
        return self._process.ask("call", **asked, given=list(given), named=named)


def wheel(release: str) -> Path:
    """Return the file of a release, fetched by the first test that asks for it."""
    kept = FETCHED / f"anchorai-{release}-py3-none-any.whl"
    if not kept.exists():
        FETCHED.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=FETCHED) as folder:
            _fetch(release, folder)
            found = Path(folder) / kept.name
            assert hashlib.sha256(found.read_bytes()).hexdigest() == SHA256[release]
            # Another process may have been as fast: the file is the same.
            found.replace(kept)
    return kept


def _fetch(release: str, folder: str) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--disable-pip-version-check", "--dest", folder, f"anchorai=={release}"),
        ],
        check=True,
        timeout=120,
    )


def environment(release: str) -> dict[str, str]:
    """Return the environment of a process that has this release and nothing of ours."""
    return os.environ | {"PYTHONPATH": str(wheel(release))}


def run(release: str, program: str, **variables: str) -> str:
    """Run a program as a user's own, with this release; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=environment(release) | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
