"""What is told, as PagerDuty's Events API v2 takes it: trigger, acknowledge, resolve.

Made at sending from the message that everybody gets. The routing key stands in the
webhook's address, as `?routing_key=…`, and is sent in the body alone. Events of one
rule have one `dedup_key`, so that its end resolves what its beginning triggered,
however often either is sent.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast
from urllib.parse import parse_qs

from apps.core import json
from apps.core.outbound.addresses import Target
from apps.core.outbound.links import path_to, whole
from apps.diffs.text import shorten
from apps.webhooks.kinds import TEST

Data = dict[str, Any]
ACTIONS = {
    "alert.firing": "trigger",
    "alert.acknowledged": "acknowledge",
    "alert.resolved": "resolve",
    TEST: "trigger",
}
# What a webhook of this form can be told of.
KINDS = frozenset(ACTIONS) - {TEST}
KEY = re.compile(r"[0-9A-Za-z]{32}", re.ASCII)
LONGEST_SUMMARY = 1_024
# The guide's third threshold; what is below it warns.
CRITICAL_RATE = 0.10
DETAILS = (
    *("name", "metric", "value", "threshold", "sample", "window"),
    *("from", "to", "agent_id", "release", "owner"),
)
LINKS = {
    "dashboard_url": "Chart",
    "sessions_url": "Sessions behind it",
    "rule_url": "Rule",
}


class Untellable(Exception):
    """PagerDuty has no event for what waited when the form was changed."""


def routing_key(url: str) -> str | None:
    """Return the routing key that an address names; None if it names none."""
    found = parse_qs(url.partition("?")[2]).get("routing_key", [])
    return found[0] if len(found) == 1 and KEY.fullmatch(found[0]) else None


def without_key(target: Target) -> Target:
    """Return where to send to: the key is nothing for somebody's logs."""
    return replace(target, path=target.path.partition("?")[0])


def message(body: bytes, url: str, slug: str) -> bytes:
    """Return a message as an event; `slug` is its project's, `url` the webhook's.

    Raises: Untellable.
    """
    told = cast(Data, json.parse_written(body))
    kind, data = told["type"], told["data"]
    if kind not in ACTIONS:
        raise Untellable
    event: Data = {
        "routing_key": routing_key(url),
        "event_action": ACTIONS[kind],
        "dedup_key": _dedup_key(told),
    }
    if event["event_action"] == "trigger":
        event |= _trigger(told, kind, data, slug)
    return json.dumps(event)


def _dedup_key(told: Data) -> str:
    """Return what all events of one rule have; of a test, what no other has."""
    data = told["data"]
    if told["type"] == TEST:
        return str(told["id"])
    return f"{data['id']}-test" if data.get("is_test") else str(data["id"])


def _trigger(told: Data, kind: str, data: Data, slug: str) -> Data:
    summary = data.get("summary") or "A test of a webhook of Stepback"
    page = data.get("rule_url") or whole(path_to("webhook", slug, data["id"]))
    return {
        "payload": {
            "summary": shorten(summary, LONGEST_SUMMARY),
            "source": f"Stepback project {slug}",
            "severity": _severity(kind, data),
            "timestamp": told["created_at"],
            "component": data.get("agent_id"),
            "group": slug,
            "class": data.get("metric"),
            "custom_details": {name: data.get(name) for name in DETAILS},
        },
        "client": "Stepback",
        "client_url": page,
        "links": [
            {"href": data[name], "text": text}
            for name, text in LINKS.items()
            if data.get(name)
        ],
    }


def _severity(kind: str, data: Data) -> str:
    if kind == TEST or data.get("is_test"):
        return "info"
    is_rate = data.get("metric") == "rollback_rate"
    return (
        "critical"
        if is_rate and (data.get("threshold") or 0) >= CRITICAL_RATE
        else "warning"
    )
