"""Runs tests in a private copy of the tree, as it is and with one mutant after another.

All runs share a PostgreSQL of their own; each makes its test database anew.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.mutants.mutant import DoesNotApply, Mutant

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (".*", "var", "__pycache__", "*.egg-info", "node_modules")
SECONDS = 900  # for one run, on a busy machine


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: killed, survived, does not apply, or broke the run."""

    word: str
    told: str = ""

    @property
    def is_good(self) -> bool:
        return self.word == "killed"


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """Yield a copy of the tree as it is, committed or not."""
    with TemporaryDirectory(prefix="stepback-mutants-") as folder:
        # The embedded PostgreSQL runs as another user where tests run as root.
        Path(folder).chmod(0o711)
        tree = Path(folder, "tree")
        shutil.copytree(root, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        yield tree


def unmutated(tree: Path, tests: Sequence[str]) -> Verdict:
    """Run the tests as they are: `killed` would be the tree's own fault."""
    return _verdict(_run(tree, tests))


def judged(tree: Path, mutant: Mutant) -> Verdict:
    """Apply the mutant, run its tests, and put the tree back."""
    before = {}
    try:
        for edit in mutant.edits:
            place = edit.place(tree)
            text = edit.text(tree)
            before.setdefault(place, place.read_text(encoding="utf-8"))
            place.write_text(text, encoding="utf-8")
        return _verdict(_run(tree, mutant.tests))
    except DoesNotApply as error:
        return Verdict("does not apply", str(error))
    finally:
        for place, text in before.items():
            place.write_text(text, encoding="utf-8")


def _run(tree: Path, tests: Sequence[str]) -> tuple[int, Path, str]:
    """Run pytest until the first failure; return its status, report and output."""
    report = tree / "report.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-x", f"--junitxml={report}"]
    for plugin in ("cacheprovider", "logging"):
        command += ["-p", f"no:{plugin}"]
    # What pytest and its plugins told a process of theirs is not for these.
    told = ("PYTEST_XDIST", "PYTEST_CURRENT_TEST", "DJANGO_SETTINGS_MODULE")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(told)}
    process = subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env=environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, report, f"It took more than {SECONDS} s."
    finally:
        # Also what is interrupted leaves no server behind.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, report, output


def _verdict(ran: tuple[int, Path, str]) -> Verdict:
    status, report, output = ran
    if status == 0:
        return Verdict("survived")
    if status == 1:
        failed = _first(report, "failure")
        if failed:
            return Verdict("killed", failed)
    # Tests that were not found, a migration that does not run: nothing was noticed.
    return Verdict("broke the run", output[-2000:])


def _first(report: Path, kind: str) -> str | None:
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find(kind) is not None:
            module = case.get("classname", "").rpartition(".")[2]
            return f"{module}::{case.get('name')}"
    return None
