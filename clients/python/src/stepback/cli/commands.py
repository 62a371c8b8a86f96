"""The commands that look at a session and act on it."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from stepback._sync.client import Stepback
from stepback.answers import Blame, Version
from stepback.cli.asking import PAGE, refuse_unused
from stepback.cli.output import Output, moves, plain, value, values

SIGNS = {
    "added": "+",
    "removed": "-",
    "changed": "~",
    "type_changed": "~",
    "moved": ">",
}
# What narrows the list of sessions; a search has terms for it.
NARROWING = ("agent", "user", "status", "external_id", "review", "score")
# Where a match is an id, which is printed whole.
IDS = ("user", "agent", "external_id", "session", "trace")


def sessions(client: Stepback, asked: Namespace, output: Output) -> None:
    """List sessions, or search them.

    Raises: ValueError for a search with what narrows the list alone.
    """
    if asked.query is not None:
        refuse_unused(asked, NARROWING, "is of a list: say it in the terms.")
        page = client.search(asked.query, limit=asked.limit)
        for found in page.data:
            matches = "; ".join(_match(one) for one in found.matches)
            output.result(found.raw, f"{_session(found.session, output)}  {matches}")
        if page.has_more:
            output.more()
        output.notices(page.notices)
        return
    listed = client.sessions.list(
        agent_id=asked.agent,
        user_id=asked.user,
        status=asked.status,
        external_id=asked.external_id,
        review=asked.review,
        score=asked.score,
        limit=asked.limit,
    )
    for one in listed.data:
        output.result(one.raw, _session(one.raw, output))
    if listed.has_more:
        output.more()


def show(client: Stepback, asked: Namespace, output: Output) -> None:
    """Show one version with its state."""
    number = asked.version
    if number is None:
        number = client.sessions.get_state(asked.session).version
    version = client.sessions.get_version(asked.session, number)
    state = json.dumps(version.state, ensure_ascii=False, indent=2)
    lines = [plain(line) for line in state.splitlines()]
    output.result(version.raw, _version(version, output), *lines)


def diff(client: Stepback, asked: Namespace, output: Output) -> None:
    """Show what differs between two versions."""
    found = client.sessions.diff(
        asked.session, asked.from_version, asked.to_version, other=asked.other
    )
    lines = [_change(one, output) for one in found.changes]
    if found.truncated:
        lines.append(output.paint("… there are more", "dim"))
    output.result(found.raw, plain(found.summary), *lines)


def blame(client: Stepback, asked: Namespace, output: Output) -> None:
    """Show who set a value, newest first."""
    found = _blamed(client, asked)
    lines = [
        f"{output.paint('v' + str(one['version']), 'bold')}  {one['created_at']}  "
        f"{plain(one['actor']['label'])}  {_sides(one, output)}"
        f"{_because(one.get('reasoning'))}"
        for one in found.data
    ]
    if found.not_before:
        lines.append(_gone(found.not_before, asked.session))
    output.result(found.raw, *(lines or ["No version set it."]))
    if found.has_more:
        output.more()


def bisect(client: Stepback, asked: Namespace, output: Output) -> None:
    """Show which versions turned a check, the newest first."""
    found = client.sessions.bisect(
        asked.session,
        asked.check,
        from_version=asked.first,
        to_version=asked.last,
        lineage="all" if asked.all else "live",
        limit=asked.limit,
    )
    lines = [
        f"{output.paint('v' + str(one['version']), 'bold')}  {plain(one['outcome'])}  "
        f"{one['created_at']}  {plain(one['actor']['label'])}"
        f"{_because(one.get('reasoning'))}"
        for one in found.data
    ]
    if not lines:
        lines = ["No version turned it." if found.exact else "No flip was found."]
    if found.set_aside:
        lines.append(
            f"Set aside by rollbacks and not looked into (--all does): "
            f"{found.set_aside}."
        )
    if not found.exact:
        lines.append("Not everything was looked into: there may be others.")
    output.result(found.raw, *lines)


def tail(client: Stepback, asked: Namespace, output: Output) -> None:
    """Print versions as they are made, until there were as many as asked for."""
    since, left = asked.since, asked.count
    if since is None:
        since = client.sessions.get_state(asked.session).version
    while left is None or left > 0:
        page = client.sessions.list_versions(
            asked.session,
            order="asc",
            starting_after=since,
            limit=min(left or PAGE, PAGE),
        )
        for version in page.data:
            since = version.version
            left = None if left is None else left - 1
            changes = [f"  {_change(one, output)}" for one in version.changes]
            output.result(version.raw, _version(version, output), *changes)
        if not page.data:
            time.sleep(asked.interval)


def rollback(client: Stepback, asked: Namespace, output: Output) -> None:
    """Step back, or with `--dry-run` tell what that would do."""
    if asked.dry_run:
        refuse_unused(asked, ("reason", "hold"), "is of a rollback: this is none.")
    preview = client.sessions.preview_rollback(asked.session, asked.version)
    if asked.dry_run:
        output.result(preview.raw, *_preview(preview.raw, output))
        return
    output.ahead(preview.raw)
    done = client.sessions.rollback(
        asked.session,
        asked.version,
        asked.reason,
        hold=asked.hold or None,
        expected_version=preview.head,
    )
    restored, head = done.restored_from_version, done.rolled_back_from_version
    verdict = "verified" if done.verified else "not verified"
    output.result(
        done.raw,
        f"v{done.version} shows the state of v{restored}, {verdict}; v{head} stays.",
    )


def fork(client: Stepback, asked: Namespace, output: Output) -> None:
    """Begin a new session from a version."""
    output.ahead(client.sessions.checkpoint(asked.session, asked.version).raw)
    made = client.sessions.fork(
        asked.session,
        asked.version,
        external_id=asked.external_id,
        reason=asked.reason,
    )
    origin = f"{made.forked_from} v{made.forked_version}"
    output.result(made.raw, f"{made.id} is a fork of {origin}.")


def _blamed(client: Stepback, asked: Namespace) -> Blame:
    """Go on where a page ended with its work, until there are so many setters."""
    found = client.sessions.blame(
        asked.session, asked.pointer, version=asked.version, limit=asked.limit
    )
    while found.next and len(found.data) < asked.limit:
        page = client.sessions.blame(
            asked.session,
            asked.pointer,
            version=found.version,
            limit=asked.limit - len(found.data),
            starting_after=found.next,
        )
        found = Blame.of({**page.raw, "data": [*found.data, *page.data]})
    return found


def _gone(not_before: Mapping[str, Any], session_id: str) -> str:
    """Say how far was looked; in a fork that may be a version of its origin."""
    number, where = f"v{not_before['version']}", ""
    if not_before["session_id"] != session_id:
        where = f" of {not_before['session_id']}"
    return plain(
        f"Not looked before {number}{where}: what came before is gone "
        f"({not_before['code']}). Whether {number} set it, or one that is gone, is "
        "not known."
    )


def _session(raw: Mapping[str, Any], output: Output) -> str:
    name = f" ({raw['external_id']})" if raw["external_id"] else ""
    return (
        f"{output.paint(raw['id'], 'bold')}{plain(name)}  v{raw['version']}  "
        f"{raw['status']}  {plain(raw['agent_id'])}  {raw['updated_at']}"
    )


def _match(match: Mapping[str, Any]) -> str:
    version = "" if match["version"] is None else f" v{match['version']}"
    name = f" {match['value']}" if match["where"] in IDS and "value" in match else ""
    return plain(f"{match['clause']}: {match['where']}{name}{version}")


def _version(version: Version, output: Output) -> str:
    restored = version.restored_version
    what = version.op if restored is None else f"{version.op} to v{restored}"
    flags = output.paint(" " + ", ".join(version.flags), "removed")
    return (
        f"{output.paint('v' + str(version.version), 'bold')}  {version.created_at}  "
        f"{what}  {plain(version.updated_by)}{flags if version.flags else ''}"
        f"{_because(version.reasoning)}"
    )


def _because(reasoning: str | None) -> str:
    return f"  “{plain(reasoning)}”" if reasoning else ""


def _change(change: Mapping[str, Any], output: Output) -> str:
    kind = change["kind"]
    colour = kind if kind in ("added", "removed") else "changed"
    head = output.paint(f"{SIGNS.get(kind, '~')} {change['pointer'] or '/'}", colour)
    return f"{head}  {_sides(change, output)}"


def _sides(change: Mapping[str, Any], output: Output) -> str:
    sides = [value(change[one]) for one in ("before", "after") if one in change]
    where = ""
    if len(sides) == 2:
        *sides, where = values(change["before"], change["after"])
    # What the server kept of a long text is an excerpt itself, and says of where.
    if change.get("differs_at"):
        where = f"differs at character {change['differs_at']:,}"
    return output.paint(" → ".join(sides) + (f"  ({where})" if where else ""), "dim")


def _preview(raw: Mapping[str, Any], output: Output) -> list[str]:
    lines = [
        f"From v{raw['head']} back to v{raw['version']}: {plain(raw['summary'])}",
        *(_change(one, output) for one in raw["changes"]),
        f"Sets aside {raw['versions_set_aside']} versions "
        f"and {raw['turns_set_aside']} turns.",
    ]
    for call in raw["tool_calls"]:
        said = f"! {call['name']}({value(call['arguments'])}) has happened already"
        if call.get("may_already_be_part"):
            said += f" and may already be part of v{raw['version']}"
        lines.append(output.paint(said, "removed"))
    return [*lines, *moves(raw, output), *_unlisted(raw), plain(raw["outside"])]


def _unlisted(raw: Mapping[str, Any]) -> list[str]:
    """Say that there is no call only where everything was looked into."""
    since = raw.get("tool_calls_since", raw["version"])
    if raw.get("tool_calls_truncated"):
        return [f"Not all that was recorded since v{since} is listed."]
    return [] if raw["tool_calls"] else [f"No tool call is recorded since v{since}."]
