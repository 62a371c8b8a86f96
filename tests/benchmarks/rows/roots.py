"""A note over 100,000 heads that moved: tree, signature, files and index.

Where the heads end is found by the sweep, page by page, and is not in it.
"""

from __future__ import annotations

import os
import random
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter

import django

from apps.core.notes.folder import Folder
from apps.core.notes.index import FILE, Index
from apps.core.notes.roots import Head, Kind
from apps.core.notes.signed import SigningKey
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting

WHAT = "a signed root over 100,000 heads that moved"
HEADS, QUICK_HEADS = 100_000, 10_000
ROUNDS = 5


def run(setting: Setting) -> list[Finding]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    heads = _heads(setting.count(HEADS, QUICK_HEADS))
    seconds = [_sign(heads) for _ in range(ROUNDS)]
    return [
        Finding(
            what=f"a signed root over {len(heads):,} heads: tree, note, leaves, index",
            measured=median(seconds),
            limit=2.0,
            unit="s",
            ours=f"{min(seconds):.2f}-{max(seconds):.2f} s",
        )
    ]


def _heads(count: int) -> list[Head]:
    dice = random.Random(1)
    return [
        Head(Kind.SESSION, f"sess_{number:026d}", number % 50, dice.randbytes(32))
        for number in range(count)
    ]


def _sign(heads: list[Head]) -> float:
    """Return how long the first note of a folder takes."""
    from apps.witness.signing import Signer

    key = SigningKey.made("stepback/benchmark")
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path) / "roots")
        folder.make()
        with closing(Index.for_writing(folder.path / FILE)) as index:
            begun = perf_counter()
            Signer(key, folder, index).sign(heads, now=datetime.now(UTC))
            return perf_counter() - begun
