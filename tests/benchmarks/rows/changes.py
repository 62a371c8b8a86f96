"""Listing what differs between two states of a megabyte, beside DeepDiff."""

from __future__ import annotations

from typing import Any

from deepdiff import DeepDiff

from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.summary import summary
from tests.benchmarks import states
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting

WHAT = "change list of two 1 MB states"
STATE_BYTES = 1_000_000


def run(setting: Setting) -> list[Finding]:
    size = setting.count(STATE_BYTES, 50_000)
    before = states.large(size)
    return [_three_edits(before, setting), *_nothing_in_common(before, size, setting)]


def listed(before: Any, after: Any) -> None:
    """Do what the route does with two parsed states."""
    summary(compare(before, after))


def _three_edits(before: dict[str, Any], setting: Setting) -> Finding:
    after = states.edited(before)
    samples = alternate(
        {
            "ours": lambda: milliseconds(lambda: listed(before, after)),
            "DeepDiff": lambda: milliseconds(lambda: DeepDiff(before, after)),
        },
        rounds=setting.rounds,
    )
    return Finding(
        what=f"{WHAT}, three edits: to DeepDiff on the whole",
        measured=samples.ratio("ours", "DeepDiff"),
        limit=1 / 100,
        ours=f"{samples.median('ours'):,.2f} ms",
        other=f"{samples.median('DeepDiff'):,.0f} ms",
        noise=noise_text(samples.noise("ours")),
    )


def _nothing_in_common(
    before: dict[str, Any], size: int, setting: Setting
) -> list[Finding]:
    said = states.texts(size // 262, 207, seed=7)
    after = {
        "done": True,
        "rows": [{"key": f"k{at}", "value": text} for at, text in enumerate(said)],
    }
    # Under the same key, so that the lists are held against each other.
    alike = {"step": 1, "items": [{"text": text} for text in said]}
    samples = alternate(
        {
            "list": lambda: milliseconds(lambda: listed(before, after)),
            "same keys": lambda: milliseconds(lambda: listed(before, alike)),
            "shown": lambda: milliseconds(lambda: display(before, alike)),
        },
        rounds=setting.rounds,
    )
    told = {
        "list": "",
        "same keys": ", lists under the same key",
        "shown": ", as the console shows it",
    }
    return [
        Finding(
            what=f"{WHAT}, nothing in common{text}",
            measured=samples.median(lane) / 1000,
            limit=2,
            unit="s",
            ours=f"{samples.median(lane):,.1f} ms",
            noise=noise_text(samples.noise(lane)),
        )
        for lane, text in told.items()
    ]
