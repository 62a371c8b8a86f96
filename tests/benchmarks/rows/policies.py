"""Checking a value against policies, beside Presidio's pattern recognisers.

The texts hold what looks like personal data and is none, so that every candidate is
confirmed and no text is left at its first finding. Presidio looks for five kinds;
ours for those, and for addresses, names, dates of birth and all secrets.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from apps.data.policies import Policies, parse
from tests.benchmarks.baselines import others
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.data.policies.corpus import LOOK_ALIKES, NEARLY

WHAT = "policies on a value of 1 KB, personal data and secrets"
TEXTS = 200
KILOBYTE = 1_000
MEGABYTE = 1 << 20
BOTH = {"policies": {"block_pii": True, "block_secrets": True}}


def run(setting: Setting) -> list[Finding]:
    policies = parse(BOTH)
    return [_kilobytes(policies, setting), *_megabytes(policies, setting)]


def _kilobytes(policies: Policies, setting: Setting) -> Finding:
    texts = _texts(setting.count(TEXTS, 20))
    with others.recognisers() as theirs:
        samples = alternate(
            {
                "ours": lambda: milliseconds(_checks(policies, texts)),
                "Presidio": lambda: theirs(texts),
            },
            rounds=setting.rounds,
        )
    said = {
        name: f"{samples.median(name) / len(texts):.2f} ms" for name in samples.found
    }
    return Finding(
        what=f"{WHAT}: to Presidio's pattern recognisers of five kinds",
        measured=samples.ratio("ours", "Presidio"),
        limit=1 / 20,
        ours=said["ours"],
        other=said["Presidio"],
        noise=noise_text(samples.noise("ours")),
    )


def _megabytes(policies: Policies, setting: Setting) -> list[Finding]:
    digits = "".join(random.Random(1).choices("0123456789 ", k=MEGABYTE))
    # Of each what is confirmed before one counts as found, so that none does.
    nearly = "".join(text * 999 for text in NEARLY.values())
    texts = {
        "digits and spaces": digits,
        "near misses of every kind": nearly.ljust(MEGABYTE),
    }
    samples = alternate(
        {
            name: partial(milliseconds, _checks(policies, [text]))
            for name, text in texts.items()
        },
        rounds=setting.rounds,
    )
    return [
        Finding(
            what=f"policies on a megabyte of {name}",
            measured=samples.median(name) / 1000,
            limit=1,
            unit="s",
            ours=f"{samples.median(name):,.0f} ms",
            noise=noise_text(samples.noise(name)),
        )
        for name in texts
    ]


def _checks(policies: Policies, texts: list[str]) -> Callable[[], None]:
    def checked() -> None:
        for text in texts:
            policies.check("key", text, {}, size=len(text), secret=b"secret")

    return checked


def _texts(count: int) -> list[str]:
    """Return texts of about a kilobyte, none of which is blocked."""
    chosen = random.Random(1)
    lines = [f"{line};" for line in LOOK_ALIKES]
    texts = []
    for _ in range(count):
        chosen.shuffle(lines)
        texts.append("\n".join(lines)[:KILOBYTE].rpartition("\n")[0])
    return texts
