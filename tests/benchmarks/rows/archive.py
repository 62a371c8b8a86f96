"""Reading a body that was archived, against one in the table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from apps.core.roles.names import Role
from tests.benchmarks import machine
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples
from tests.benchmarks.setting import Setting
from tests.live import COMMANDS, ROOT, feed, manage, process_environment

WHAT = "a read of an archived body"
ARCHIVE = """
from apps.timeline.operations import archive_versions
print(archive_versions(session_id={!r}, first=0, last=63).versions)
"""


def run(setting: Setting) -> list[Finding]:
    with (
        tempfile.TemporaryDirectory(prefix="stepback-objects-") as folder,
        patch.dict(os.environ, {"STEPBACK_OBJECTS": folder}),
        _own_commands(),
        machine.database("bench_archive") as dsn,
    ):
        samples = _samples(dsn, setting)
    return [
        Finding(
            what="read of an archived body from a folder, in one process: to one from "
            "the table, time",
            measured=samples.ratio("archived", "table"),
            limit=2.0,
            ours=f"{samples.median('archived'):,.2f} ms",
            other=f"{samples.median('table'):,.2f} ms",
            noise=noise_text(samples.noise("again")),
        )
    ]


@contextmanager
def _own_commands() -> Iterator[None]:
    """Have commands know this environment: they are forks of a process that has one."""
    COMMANDS.stop()
    yield
    COMMANDS.stop()


def _samples(dsn: str, setting: Setting) -> Samples:
    manage(dsn, "create_project", "bench")
    archived, other = _process(dsn, "begin").split()
    feed(dsn)
    script = ARCHIVE.format(archived)
    printed = manage(
        dsn, "shell", "--no-imports", "-c", script, role=Role.RETENTION
    ).split()
    if printed[-1] != "64":
        raise RuntimeError(f"{printed[-1]} bodies were archived, not 64.")
    rounds = setting.rounds * setting.count(3, 1)
    return Samples(json.loads(_process(dsn, "read", archived, other, str(rounds))))


def _process(dsn: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.archived", *arguments],
        cwd=ROOT,
        env=process_environment(Role.WEB, dsn) | {"STEPBACK_LOG_LEVEL": "WARNING"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout
