"""`repro.md`: what a bundle is, and how to replay it, for whoever opens it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from stepback.bundles.record import Record
from stepback.checks.language import LONGEST_TEXT

LONGEST_NAME = 80
MOST_TOOLS = 30


def repro(record: Record, checks: Sequence[str], trailer: Mapping[str, Any]) -> str:
    """Return the text; what agents and users wrote stands in it as code alone."""
    session = record.session
    tools = Counter(one.tool for one in [*record.calls, *record.beside])
    masked = record.masked
    lines = [
        "# A recorded run, to be replayed",
        "",
        f"Session {_code(session.get('id'))} of the agent "
        f"{_code(session.get('agent_id'))}: {trailer['versions']} versions, "
        f"{trailer['turns']} turns, {len(record.calls)} calls of tools.",
        "",
        "## Replay it",
        "",
        "```",
        "pip install stepback",
        "stepback replay THIS_FILE --agent module:function --check 'state.total<=1500'",
        "```",
        "",
        "`module:function` is your agent as `agent(state, run)`, in the folder where "
        "you are:",
        "",
        "```python",
        "def agent(state, run):",
        "    for message in run.messages:",
        '        found = run.call("tool", {"its": "arguments"})',
        '        state = {**state, "found": found}',
        "        yield state",
        "```",
        "",
        "A compiled LangGraph graph is taken as it is, as `module:graph`.",
        "",
        "- `run.messages` is what people said, `run.reply()` what the model said next.",
        "- `run.call(tool, arguments)` returns what the tool returned then. A call "
        "that is not in the record fails.",
        "- There is no network: what tries gets an error, and is told of. This is no "
        "sandbox: run agents that you trust.",
        "- The checks decide the exit status; without one, the first difference does.",
        "",
        *_part("Checks", [_code(one, LONGEST_TEXT) for one in checks]),
        *_part(
            "Tools", [f"{_code(one)}: {n}" for one, n in tools.most_common(MOST_TOOLS)]
        ),
        "## Masked",
        "",
        f"{masked.get('values', 0)} values are hidden wherever they stood, "
        f"{masked.get('short_values', 0)} short ones at their place alone. "
        "What was hidden reads `[masked]`, also in what tools are called with.",
        "",
    ]
    return "\n".join(lines)


def _part(title: str, items: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *(f"- {one}" for one in items), ""] if items else []


def _code(text: object, longest: int = LONGEST_NAME) -> str:
    """Return a text in one line as code, which nothing in it can end."""
    kept = "".join(
        one if one.isprintable() and unicodedata.category(one) != "Cf" else " "
        for one in str(text)
    )
    short = kept if len(kept) <= longest else kept[: longest - 1] + "…"
    return f"`{short.replace('`', chr(39))}`"
