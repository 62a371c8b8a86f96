"""The pane beside the timeline: one version, tab by tab.

Reads what a tab needs and nothing more; templates place it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.mapping import agents_noise
from apps.console import queries
from apps.console.pages.session import change_table, gaps, json_tree, version_text
from apps.console.pages.session.artifacts import artifacts
from apps.console.pages.session.differences import side_by_side
from apps.console.pages.session.working import task_row
from apps.core import json
from apps.core.admission import work
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.diffs.changes import Comparison, Kind
from apps.diffs.meaning.noise import Noise
from apps.diffs.text import cut, visible
from apps.timeline.errors import ContentsErased
from apps.timeline.models import Session, Turn
from apps.timeline.queries import Call, calls_in_messages, calls_in_turn, within_bytes
from apps.timeline.verification import Limits, Report, verify_session, verify_signatures
from apps.timeline.versions import (
    PART_SHAPES,
    CorruptBody,
    VersionRow,
    body_parts,
    is_completed,
    kept_changes,
    parsed_state,
    parsed_states,
    require_contents,
)
from apps.timeline.words import Op

TURNS = 20
ITEMS = 100
LONGEST_SAID = 20_000
LONGEST_PART = 100_000
VERIFIED = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """The version that is shown, the one before it, and who is asking when."""

    project: Project
    session: Session
    version: VersionRow
    previous: VersionRow | None
    now: datetime

    @property
    def noise(self) -> Noise:
        """What is noise in the states of this agent."""
        return agents_noise(self.session.agent)


def shown(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    """Return the context of the tab that is asked for.

    A body that is not what was written makes the tab say so; its values are not shown.
    """
    tabs = {
        "changes": _changes,
        "state": _state,
        "turns": _turns,
        "checkpoint": _checkpoint,
        "proof": _proof,
    }
    try:
        return {"given": given, **tabs[given["tab"]](look, given)}
    except CorruptBody:
        return {"given": given, "is_corrupt": True}
    except ContentsErased as error:
        return {"given": given, "erased": error.message}


def base_of(look: Look, against: str) -> VersionRow | None:
    """Return the version to compare with; None where there is none before it.

    Raises: VersionNotFound.
    """
    if against == "previous":
        return look.previous
    number = look.session.head_number if against == "head" else int(against)
    if number == look.version.number:
        return look.version
    return queries.version(look.session, number)[0]


def _changes(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    base = base_of(look, given["against"])
    version = look.version
    if base is None:
        lost = gaps.lost_before(look.version)
        return {"base": None, "changes": kept(version, look.noise), "lost_before": lost}
    if base is look.previous and not version.change_count:
        # Nothing to compare: the append has done it.
        nothing = change_table.Compared(words="", rows={}, count=0, is_coarse=False)
        return {"base": base, "changes": nothing}
    try:
        require_contents(version)
        before, after = parsed_states(base, version)
    except ContentsErased as error:
        if base is not look.previous or version.is_emptied:
            raise
        noted = kept(version, look.noise)
        return {"base": None, "changes": noted, "lost_before": error.message}
    except CorruptBody:
        if base is not look.previous:
            raise
        noted = kept(version, look.noise)
        return {"base": base, "changes": noted, "is_unreadable": True}
    changes = change_table.compared(
        before,
        after,
        n_bytes=base.size + version.size,
        noise=look.noise,
        start=given["start"] or 0,
    )
    against = f"against={base.number}"
    context: dict[str, Any] = {"base": base, "changes": changes, "against": against}
    if given["view"] == "side" and changes.comparison is not None:
        context["lines"] = side_by_side.lines(
            changes.comparison, changes.rows, changes.noise
        )
    return context


def kept(version: VersionRow, noise: Noise) -> change_table.Compared:
    """Tell what the append kept of the changes: the first ones, shortened."""
    changes = kept_changes(version)
    comparison = Comparison(None, None, tuple(changes), ())
    found = change_table.told(comparison, noise=noise)
    return replace(
        found,
        words=version_text.words(version, noise),
        count=version.change_count,
        comparison=None,
    )


def _state(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    state = parsed_state(look.version)
    # As the append noted them: no other body is read for it. All of a first version
    # is new, which sets nothing apart.
    begins = look.version.op == Op.CREATE
    noted = [] if begins else kept_changes(look.version)
    changed = [one.pointer for one in noted if one.kind is not Kind.REMOVED]
    context: dict[str, Any] = {
        "tree": json_tree.tree(state, changed=changed),
        "n_marked": len(changed),
        "has_more_changes": not begins and look.version.change_count > len(noted),
    }
    if given["find"]:
        hits, is_all = json_tree.find(state, given["find"])
        context |= {"hits": hits, "has_all_hits": is_all}
    return context


def _turns(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    made = Turn.objects.of_session(look.session.id).filter(
        head_number=look.version.number
    )
    found = list(made.in_order(newest_first=False, after=None)[: TURNS + 1])
    some = within_bytes(found[:TURNS], lambda turn: turn.size)
    return {"turns": [told(turn) for turn in some], "has_more": len(found) > len(some)}


def told(turn: Turn) -> dict[str, Any]:
    """Return a turn with its texts, as far as they are fit for a page.

    The texts of a damaged turn are not shown; the page says so.
    """
    if turn.is_emptied:
        return {"turn": turn, "is_erased": True}
    try:
        parts = turn.parts()
    except CorruptBody:
        return {"turn": turn, "is_unreadable": True}
    metadata = parts.get("metadata")
    return {
        "turn": turn,
        "heard": _said(parts["input"]),
        "said": _said(parts["output"]),
        "calls": [call_row(call) for call in calls_in_turn(parts)],
        "metadata": None if metadata is None else version_text.pretty(metadata)[0],
    }


def call_row(call: Call) -> dict[str, Any]:
    """Return a tool call as it is shown."""
    return {
        "name": visible(call.name),
        "id": None if call.id is None else visible(call.id),
        "arguments": None
        if call.arguments is None
        else change_table.written(call.arguments),
        "call": call,
    }


def _said(side: bytes) -> tuple[str, bool]:
    said = json.parse(side)
    content = said.get("content")
    if isinstance(content, str) and set(said) <= {"content", "type"}:
        text = cut(content, LONGEST_SAID)
        return version_text.visible_lines(text), len(content) > LONGEST_SAID
    return version_text.pretty(side, longest=LONGEST_SAID)


def _checkpoint(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    by_name = {part.name: part for part in body_parts(look.version)}
    parts = [
        {"name": part.name, "size": len(part.data), "media_type": part.media_type}
        for part in by_name.values()
    ]
    values: dict[str, Json] = {
        name: json.parse(by_name[name].data) for name in PART_SHAPES if name in by_name
    }
    return {
        "parts": parts,
        # Not `messages`: that name is the notices' of the page around this tab.
        "conversation": [_message(one) for one in values.get("messages", [])[-ITEMS:]],
        "n_messages": len(values.get("messages", [])),
        "results": [
            (visible(key), change_table.written(result))
            for key, result in list(values.get("tool_results", {}).items())[-ITEMS:]
        ],
        "n_results": len(values.get("tool_results", {})),
        "parameters": [
            (visible(key), change_table.written(value).text)
            for key, value in list(values.get("model_params", {}).items())[:ITEMS]
        ],
        "tasks": [task_row(one) for one in values.get("tasks", [])[:ITEMS]],
        "n_tasks": len(values.get("tasks", [])),
        "n_done": sum(is_completed(one) for one in values.get("tasks", [])),
        **artifacts(look.version, values.get("artifacts", [])),
    }


def _message(message: Json) -> dict[str, Any]:
    """A message is whatever the agent says one is; roles and texts are usual."""
    if not isinstance(message, dict):
        return {"role": "", "side": change_table.written(message)}
    role, content = message.get("role"), message.get("content")
    text = cut(content, LONGEST_SAID) if isinstance(content, str) else None
    return {
        "role": visible(role) if isinstance(role, str) else "",
        "text": None if text is None else version_text.visible_lines(text),
        "side": None if text is not None else change_table.written(message),
        "calls": [call_row(call) for call in calls_in_messages([message])],
    }


def _proof(look: Look, given: dict[str, Any]) -> dict[str, Any]:
    version = look.version
    context: dict[str, Any] = {
        "hashes": [
            ("Commitment", "to the state and all parts", bytes(version.commitment)),
            ("Leaf", "covers all that this version claims", bytes(version.leaf)),
            ("Chain", "this leaf and all before it", bytes(version.chain)),
        ],
        "previous_chain": (look.previous and bytes(look.previous.chain).hex())
        or gaps.chain_before(look.version),
    }
    context["hashes"] = [(a, b, one.hex()) for a, b, one in context["hashes"]]
    if given["verify"]:
        report = _verified(look, given["verified"])
        reached = report.last_number
        context |= {
            "report": report,
            "signed": verify_signatures(look.session.id, now=look.now),
            "is_short": reached is not None and reached < version.number,
        }
    return context


def _verified(look: Look, after: int | None) -> Report:
    """Verify up to this version: all of it, or as much before it as is quick.

    Where that ends before this version, the page says so, and goes on from there.
    """
    number = look.version.number
    if after is None and number >= VERIFIED:
        after = number - VERIFIED
    if after is not None and after >= number:
        raise InvalidRequest("verified takes an earlier version.", param="verified")
    left = number if after is None else number - after - 1
    limits = Limits(after=after, versions=min(VERIFIED, left + 1), work=work.PAGE)
    return verify_session(look.session.id, limits)
