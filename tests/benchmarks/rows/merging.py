"""Merging what two sides made of a state of a megabyte, beside the two comparisons."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from apps.diffs.compare import compare
from apps.diffs.merging import merge
from tests.benchmarks import states
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting

WHAT = "merge of 1 MB: to comparing the base with each of the two sides"
STATE_BYTES = 1_000_000

Edit = Callable[[dict[str, Any]], object]


def run(setting: Setting) -> list[Finding]:
    base = chat(setting.count(STATE_BYTES, 50_000))
    return [_finding(base, one, setting) for one in SCENARIOS]


def chat(size: int) -> dict[str, Any]:
    """Return a state: messages with ids, notes without, and a plan."""
    said = states.chat(size // 520, 260)
    notes = [{"text": text} for text in states.texts(size // 520, 240, seed=5)]
    return {"step": 1, "messages": said, "notes": notes, "plan": {"paid": False}}


def _append(state: dict[str, Any], what: str) -> None:
    state["messages"].append({"id": what, "role": "user", "content": what})
    state["step"] = 2


def _edit_all(state: dict[str, Any], key: str) -> None:
    for item in (*state["messages"], *state["notes"]):
        item[key] = "edited"


def _slide(state: dict[str, Any], count: int) -> None:
    for items in (state["messages"], state["notes"]):
        del items[:count]


SCENARIOS: Mapping[str, tuple[Edit, Edit]] = {
    "each appends": (
        lambda state: _append(state, "ours"),
        lambda state: _append(state, "theirs"),
    ),
    "one appends, one corrects": (
        lambda state: _append(state, "ours"),
        lambda state: state["notes"][9].update(text="corrected"),
    ),
    "one appends to a list that one corrects": (
        lambda state: state["notes"].append({"text": "ours"}),
        lambda state: state["notes"][0].update(text="corrected"),
    ),
    "windows slide": (lambda state: _slide(state, 3), lambda state: _slide(state, 8)),
    "each edits every item": (
        lambda state: _edit_all(state, "seen"),
        lambda state: _edit_all(state, "read"),
    ),
}


def _finding(base: dict[str, Any], name: str, setting: Setting) -> Finding:
    ours, theirs = (copy.deepcopy(base) for _ in range(2))
    for side, edit in zip((ours, theirs), SCENARIOS[name], strict=True):
        edit(side)

    def compared() -> None:
        compare(base, ours)
        compare(base, theirs)

    samples = alternate(
        {
            "merge": lambda: milliseconds(lambda: merge(base, ours, theirs)),
            "comparisons": lambda: milliseconds(compared),
        },
        rounds=setting.rounds,
    )
    return Finding(
        what=f"{WHAT}, {name}",
        measured=samples.ratio("merge", "comparisons"),
        limit=3,
        ours=f"{samples.median('merge'):,.1f} ms",
        other=f"{samples.median('comparisons'):,.1f} ms",
        noise=noise_text(samples.noise("merge")),
    )
