"""What is told, as Slack's incoming webhooks take it: a sentence, with links.

Made at sending from the message that everybody gets, of ids, names and reasons: no
more than that, and never a state. Whoever chose those words does not choose what the
message does: `<!channel>` is text, and what looks like an address is no link.
Slack takes 50 blocks of at most 3,000 characters; here are three, well below.
"""

from __future__ import annotations

from typing import Any, cast

from apps.core import json
from apps.core.outbound.links import path_to, whole
from apps.diffs.text import shorten
from apps.webhooks.kinds import ROOT, TEST
from apps.webhooks.payloads import MOST_COUNTED

Data = dict[str, Any]
# By what is told. Ids, links and words of others come in escaped.
SENTENCES = {
    "session.created": "{agent} began {session}.",
    "session.updated": "{actor} changed metadata or lifetime of {session} of {agent}.",
    "session.rolled_back": "{actor} rolled {session} of {agent} back to {restored}.",
    "session.promoted": "{actor} promoted {source} into {session} of {agent}.",
    "session.reverted": "{actor} reverted {range} in {session} of {agent}.",
    "session.reapplied": "{actor} applied {range} again in {session} of {agent}.",
    "session.restored": "{actor} restored places of {session} as in {source}.",
    "session.migrated": "{actor} migrated {session} of {agent} to another schema.",
    "session.forked": "{actor} forked {session} of {agent} from {origin}.",
    "session.paused": "{actor} paused {session} of {agent}.",
    "session.resumed": "{actor} let {session} of {agent} go on.",
    "session.closed": "{actor} closed {session} of {agent}.",
    "session.reviewed": "{actor} reviewed {session} of {agent}: {outcome}.",
    "effect.unknown": "In {session} of {agent} something may or may not have happened.",
    "facts.changed": "{actor} found that {facts} of {session} of {agent}.",
    "compensation.requested": "{actor} asked to put right what {session} of {agent} "
    "had done.",
    "session.scored": "{actor} scored {session} of {agent}: {score} is {value}.",
    "session.deleted": "{actor} deleted {session} of {agent}.",
    "session.expired": "The time of {session} of {agent} is over.",
    "session.emptied": "Contents of {versions} of {session} are removed.",
    "session.pruned": "Removed {versions} of {session}.",
    "session.removed": "Removed {versions} of {session}, which goes as a whole.",
    "session.escalated": "{session} of {agent} is escalated: people are needed.",
    "session.silent": "{session} of {agent} is silent: nothing was written in time.",
    "session.heard": "{session} of {agent}, which was silent, has written again.",
    "approval.requested": "{actor} asks for an approval of {tool} in {session}.",
    "approval.voted": "{actor} voted on {tool} in {session} of {agent}.",
    "approval.decided": "{actor} decided about {tool} in {session}: {outcome}.",
    "approval.escalated": "Administrators decide now about {tool} in {session}.",
    "budget.warned": "A budget of {session} of {agent} is nearly reached: {used}.",
    "budget.reached": "A budget of {session} of {agent} is reached: {used}.",
    "guard.failed": "{version} of {session} of {agent} does not pass a guard: {guard}.",
    "version.created": "{actor} made {version} of {session} of {agent}.",
    "turn.added": "{actor} added a turn to {session} of {agent}.",
    "agent.suspended": "{actor} suspended {agent}.",
    "agent.activated": "{actor} let {agent} write again.",
    "agent.deleted": "{actor} deleted {agent}.",
    "agent.restored": "{actor} brought {agent} back.",
    "data.blocked": "{rule} blocked a write of {agent}: {found} in the {place}.",
    "data.deleted": "{actor} deleted {keys} of {agent}.",
    "data.expired": "The time of {keys} of {agent} was over.",
    "config.updated": "{actor} set the config of {agent}: {config}.",
    "config.rolled_back": "{actor} rolled the config of {agent} back to {config}.",
    "checkpoint.created": "{actor} made a checkpoint of {agent}.",
    "checkpoint.restored": "{actor} restored {agent} to a checkpoint.",
    "checkpoint.deleted": "{actor} deleted a checkpoint of {agent}.",
    "exception.created": "{actor} made an exception from a policy of {agent}.",
    "memory.created": "{actor} remembered something{whose}.",
    "memory.updated": "{actor} changed a memory{whose}.",
    "memory.deleted": "{actor} took a memory{whose} back.",
    "memory.conflicted": "{actor} remembered something{whose} that may conflict.",
    "memory.expired": "The time of memories{whose} was over.",
    "memory.restored": "{actor} stepped the memories{whose} back.",
    "alert.firing": "{summary}",
    "alert.acknowledged": "{summary}",
    "alert.resolved": "{summary}",
    "root.signed": "Note {note} was signed: root {root} over {leaves}.",
    "summary.weekly": "*{summary}*\n{lines}",
    TEST: "A test of {webhook}.",
}
# What an alert leads to, by where its address stands.
LEADS = {
    "dashboard_url": "Chart",
    "sessions_url": "Sessions behind it",
    "rule_url": "Rule",
    "alerts_url": "Alerts",
}
REFUSED = "A write to {session} of {agent} was refused by a guard: {guard}."
LONGEST_NAME, LONGEST_WORDS, LONGEST_LINE = 60, 200, 360
# A digest in hexadecimal digits.
LONGEST_ROOT = 64
# Of these there is no page any more.
GONE = {"session.deleted", "session.removed"}


def message(body: bytes, slug: str) -> bytes:
    """Return a message in Slack's form; `slug` is its project's."""
    told = cast(Data, json.parse_written(body))
    kind, data = told["type"], told["data"]
    sentence = SENTENCES[kind]
    if kind == "guard.failed" and data.get("did") == "refused":
        sentence = REFUSED
    said = sentence.format_map(_parts(kind, data, slug))
    reason = data.get("reason") or data.get("reasoning") or data.get("why")
    if reason:
        said += f"\nReason: {_escaped(reason, LONGEST_WORDS)}"
    leads = " · ".join(
        _link(data[name], words) for name, words in LEADS.items() if data.get(name)
    )
    sections = [one for one in (said, leads) if one]
    foot = f"{kind} · {told['created_at']} · {_escaped(told['id'])}"
    blocks: list[Data] = [{"type": "section", "text": _text(one)} for one in sections]
    blocks.append({"type": "context", "elements": [_text(foot)]})
    return json.dumps({"text": "\n".join(sections), "blocks": blocks})


def _parts(kind: str, data: Data, slug: str) -> dict[str, str]:
    # A document has no page of its own, and no address: people see it by its keys.
    is_document = data.get("object") == "document"
    session = None if is_document else data.get("session_id")
    number = data.get("version")
    parts = {
        "agent": _escaped(data.get("agent_id") or "an agent"),
        "actor": _escaped((data.get("actor") or {}).get("label") or "somebody"),
        "origin": _session(slug, data.get("forked_from"), data.get("forked_version")),
        "version": f"v{number}",
        "used": _escaped(
            f"{data.get('used')} of {data.get('limit')} {data.get('unit')}"
        ),
        "guard": _escaped(data.get("name") or "one that is gone"),
        "source": _session(
            slug, data.get("source_session_id") or session, data.get("source_version")
        ),
        "range": f"v{data.get('first_version')} to v{data.get('last_version')}",
        "restored": f"v{data.get('restored_version')}",
        "outcome": _escaped(data.get("outcome") or "review withdrawn"),
        "score": _escaped(data.get("score") or ""),
        "value": _escaped(str(data.get("value"))),
        "summary": _escaped(data.get("summary") or kind, LONGEST_WORDS),
        "lines": "\n".join(map(_line, data.get("lines") or ())),
        "session": _session(slug, session, number),
        "whose": _whose(data),
        "versions": _counted(data.get("versions") or 0),
        "facts": _facts(data),
    }
    if kind.startswith(("data.", "config.")):
        parts |= _of_data(data)
    if kind == ROOT:
        parts |= _of_root(data)
    parts["tool"] = _tool(kind, data, slug)
    if is_document:
        parts["session"] = "what an agent keeps"
    elif kind in GONE:
        parts["session"] = _escaped(session or "")
    if kind == TEST:
        where = whole(path_to("webhook", slug, data["id"]))
        parts["webhook"] = _link(where, "this webhook")
    return parts


def _counted(versions: int) -> str:
    return f"{versions:,} version{'' if versions == 1 else 's'}"


def _facts(data: Data) -> str:
    """Return how many facts failed a check, and how."""
    changed, unknown = data.get("changed") or 0, data.get("unknown") or 0
    said = []
    if changed or not unknown:
        said.append(f"{changed:,} fact{'' if changed == 1 else 's'} changed")
    if unknown:
        said.append(f"{unknown:,} {'is' if unknown == 1 else 'are'} not known")
    return " and ".join(said)


def _of_root(data: Data) -> dict[str, str]:
    leaves = data.get("leaves") or 0
    return {
        "note": _escaped(str(data.get("number"))),
        "root": _escaped(data.get("root") or "of none", LONGEST_ROOT),
        "leaves": f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}",
    }


def _of_data(data: Data) -> dict[str, str]:
    return {
        "rule": _escaped(data.get("rule") or "A policy"),
        "found": _escaped(data.get("kind") or "something"),
        "place": _escaped(data.get("place") or "write"),
        "config": _escaped(str(data.get("version") or data.get("target"))),
        "keys": _keys(data.get("keys")),
    }


def _keys(count: int | None) -> str:
    """Say how many keys; of a version that was pruned since nobody knows."""
    if not count:
        return "keys"
    more = " or more" if count == MOST_COUNTED else ""
    return f"{count:,} key{'' if count == 1 else 's'}{more}"


def _tool(kind: str, data: Data, slug: str) -> str:
    """Return the tool of an approval, as a link to where people decide."""
    tool = data.get("tool") or "something"
    if not kind.startswith("approval."):
        return _escaped(tool)
    return _link(whole(path_to("approval", slug, data["id"])), tool)


def _whose(data: Data) -> str:
    """Return whose memories are meant, for people."""
    scope, owner = data.get("scope"), data.get("owner")
    return f" of {scope} {_escaped(owner)}" if scope and owner else ""


def _line(text: str) -> str:
    """Return a line of several, shortened until it is no longer with its escapes."""
    longest = LONGEST_LINE
    while len(line := _escaped(text, longest)) > LONGEST_LINE:
        longest = longest * 9 // 10
    return line


def _session(slug: str, session: str | None, number: int | None) -> str:
    """Return a session as a link to the version at hand, if there is one."""
    if session is None:
        return "another session"
    path = path_to("session_detail", slug, session)
    if number is not None:
        path = path_to("version_detail", slug, session, number)
    return _link(whole(path), session)


def _link(url: str, words: str) -> str:
    return f"<{_encoded(url)}|{_escaped(words)}>"


def _text(text: str) -> Data:
    # Verbatim: nothing in it becomes a link or a mention but what stands in < and >.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _escaped(text: str, longest: int = LONGEST_NAME) -> str:
    """Return somebody's words so that they are words, on one line."""
    return _encoded(shorten(text, longest))


def _encoded(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
