"""Every route of the product, read from the URL resolver, with what to send to it.

A new route is covered by all contract tests as soon as it exists; it fails them until
its parameters and its body have a sample here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from rest_framework.views import APIView

from apps.core.processes.addresses import is_api
from tests.contracts.world import REPORT, World

API = "v1/"
FOR_ADMINS = (
    *("/v1/webhooks", "/v1/alerts", "/v1/dashboard/keys", "/v1/project"),
    *("/v1/agents/{reference}/mapping", "/v1/retention", "/v1/erasures"),
    *("/v1/masks", "/v1/exports"),
)
# Of what others may read and write as well.
BY_ADMINS = {
    "DELETE /v1/agents/{reference}",
    "POST /v1/agents/{agent}/exceptions",
    "DELETE /v1/agents/{agent}/exceptions/{exception_id}",
    "POST /v1/agents/{agent}/approval-rules",
    "DELETE /v1/agents/{agent}/approval-rules/{approval_rule_id}",
    "POST /v1/agents/{agent}/schemas",
    "DELETE /v1/agents/{agent}/schemas/{schema_id}",
    "POST /v1/agents/{agent}/migrations",
    "DELETE /v1/agents/{agent}/migrations/{migration_id}",
    "PUT /v1/agents/{agent}/heartbeat",
    "DELETE /v1/agents/{agent}/heartbeat",
    "POST /v1/budgets",
    "PATCH /v1/budgets/{budget_id}",
    "DELETE /v1/budgets/{budget_id}",
    "POST /v1/guards",
    "PATCH /v1/guards/{guard_id}",
    "DELETE /v1/guards/{guard_id}",
    "POST /v1/guards/{guard_id}/try",
    "POST /v1/prices",
}
UNKNOWN_ID = "0" * 26


@dataclass(frozen=True)
class Route:
    """One method at one address, named as the OpenAPI document names it."""

    method: str
    pattern: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.pattern}"

    @property
    def is_write(self) -> bool:
        return self.method != "GET" and str(self) not in READING_POSTS

    @property
    def is_for_admins(self) -> bool:
        """Whether only an administrator's key for all agents may come in."""
        return self.pattern.startswith(FOR_ADMINS)

    @property
    def is_by_admins(self) -> bool:
        """Whether a key needs an administrator's scope for it."""
        return self.is_for_admins or str(self) in BY_ADMINS

    def path(self, values: dict[str, Any]) -> str:
        """Return the address with its parameters filled in."""
        missing = [name for name in self.parameters if name not in values]
        if missing:
            pytest.fail(
                f"{self} has parameters without a sample: {missing}. "
                "Add them to World.parameters and UNKNOWN."
            )
        return self.pattern.format(**values)

    @property
    def body(self) -> Any:
        """Return a body that succeeds; None where the route takes none."""
        if self.method in ("GET", "DELETE"):
            return None
        name = f"{self.method} /{API}{self.pattern.removeprefix(f'/{API}').lstrip('/')}"
        if name not in BODIES:
            pytest.fail(f"{name} has no sample body. Add one to BODIES.")
        return BODIES[name]

    def filled(self, values: dict[str, Any]) -> Any:
        """Return the body with what only a world can tell, such as a signature."""
        if not isinstance(self.body, dict):
            return self.body

        def told(value: Any) -> Any:
            if isinstance(value, list):
                return [told(one) for one in value]
            is_named = isinstance(value, str) and value.startswith("{")
            return values.get(value[1:-1], value) if is_named else value

        return {name: told(value) for name, value in self.body.items()}

    @property
    def query(self) -> dict[str, str]:
        return QUERIES.get(str(self), {})

    def query_of(self, values: dict[str, Any]) -> dict[str, str]:
        """Return the query with what only a world can tell."""
        return {name: values.get(one[1:-1], one) for name, one in self.query.items()}

    def call(self, client: Any, values: dict[str, Any], **headers: str) -> Any:
        """Send the sample to the address that these values make."""
        path, body = self.path(values), self.filled(values)
        return client.send(self.method, path, body, headers, self.query_of(values))


def api_routes() -> list[Route]:
    """Return every method of every view under /v1."""
    return [
        Route(method.upper(), pattern, parameters)
        for pattern, parameters, callback in _walk(get_resolver().url_patterns, "")
        if pattern.startswith(f"/{API}") and not _is_renamed(pattern)
        for method in _methods(callback)
    ]


def renamed_routes() -> list[Route]:
    """Return the routes that repeat others below another name, as they are there."""
    return [
        Route(method.upper(), pattern, parameters)
        for pattern, parameters, callback in _walk(get_resolver().url_patterns, "")
        if _is_renamed(pattern)
        for method in _methods(callback)
    ]


def _is_renamed(pattern: str) -> bool:
    """StateBase's pages say memory where its clients say memories."""
    return f"{pattern}/".startswith(f"/{API}memory/")


def page_routes() -> list[tuple[str, tuple[str, ...]]]:
    """Return every address outside the API, with its parameters."""
    return [
        (pattern, parameters)
        for pattern, parameters, _ in _walk(get_resolver().url_patterns, "")
        if not is_api(pattern)
    ]


def aliased_routes() -> list[Route]:
    """Return every method of every view of the API that is served without /v1."""
    return [
        Route(method.upper(), pattern, parameters)
        for pattern, parameters, callback in _walk(get_resolver().url_patterns, "")
        if is_api(pattern) and not pattern.startswith(f"/{API}")
        for method in _methods(callback)
    ]


def _walk(
    patterns: list[Any], prefix: str
) -> Iterator[tuple[str, tuple[str, ...], Callable[..., Any]]]:
    for one in patterns:
        assert isinstance(one.pattern, RoutePattern), f"{one} is no path()."
        text = prefix + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, text)
        else:
            assert isinstance(one, URLPattern)
            yield _shown(text), _names(text), one.callback


def _shown(text: str) -> str:
    """Return `/a/{b}` for `a/<str:b>`."""
    return "/" + "".join(
        f"{{{piece.rpartition(':')[2]}}}" if index % 2 else piece
        for index, piece in enumerate(text.replace(">", "<").split("<"))
    )


def _names(text: str) -> tuple[str, ...]:
    pieces = text.replace(">", "<").split("<")[1::2]
    return tuple(piece.rpartition(":")[2] for piece in pieces)


def _methods(callback: Any) -> list[str]:
    view = getattr(callback, "cls", None)
    assert view is not None, f"{callback} under /{API} is no view of the API."
    assert issubclass(view, APIView)
    return [
        name for name in ("get", "post", "put", "patch", "delete") if name in dir(view)
    ]


# What reads although it is a POST: its body would not fit into an address.
READING_POSTS = {
    "POST /v1/sessions/{session_id}/bisect",
    "POST /v1/sessions/{session_id}/bundle",
    "POST /v1/sessions/{session_id}/context",
    "POST /v1/agents/{agent}/audit/verify",
    "POST /v1/agents/{agent}/data/search",
    "POST /v1/memories/search",
    "POST /v1/sessions/{session_id}/memories/search",
}
# Whose body is the caller's own, whatever it names.
FREE_BODIES = {"PUT /v1/agents/{agent}/config"}
# Whose body is no JSON.
RAW_BODIES = {"PUT /v1/blobs/{sha256}"}
# What is the same however often it is asked, and needs no key for it: bytes are kept
# under their own digest, and are no act to be recorded (tests/blobs).
WITHOUT_KEYS = {
    *("PUT /v1/blobs/{sha256}", "POST /v1/blobs/missing"),
    # Sent again they say how the lease stands: an answer that is kept would not.
    *("POST /v1/shared/{name}/lease", "POST /v1/shared/{name}/lease/renew"),
    "POST /v1/shared/{name}/lease/release",
}

SESSION = "/v1/sessions/{session_id}"
# What a merge of the world's session was shown.
MERGED = {"expected_version": "{head}"}
WEBHOOK = "/v1/webhooks/{webhook_id}"
RETENTION = "/v1/retention"
STEP = {"reasoning": "Because.", "step_number": 7, "model": "m", "release": "r1"}
MEMORY = {
    "content": "Prefers aisle seats",
    "type": "preference",
    "tags": ["seats"],
    "metadata": {"n": 1},
    "user_id": "u1",
    "reasoning": "She said so.",
}
OTHER_SEAT = {"content": "Prefers window seats", "metadata": {"n": 2}}
SEATS = {"query": "seats", "top_k": 3, "threshold": 0.5}
BODIES: dict[str, Any] = {
    "POST /v1/blobs/missing": {"digests": [sha256(b"new").hexdigest()]},
    "PUT /v1/blobs/{sha256}": REPORT,
    "POST /v1/memories": MEMORY,
    "PUT /v1/memories/formation/{agent}": {"mode": "tags"},
    "POST /v1/memories/search": SEATS,
    "PUT /v1/memories/{memory_id}": {"content": "Prefers window seats"},
    "PATCH /v1/memories/{memory_id}": {"metadata": {"n": 2}, "confidence": 0.9},
    "POST /v1/memories/resolve": {"memory_id": "{memory_id}", "decision": "drop"},
    "POST /v1/memories/rollback": {"session_id": "{session_id}", "version": 0},
    "POST /v1/memories/import": {
        "memories": [
            {"id": "m-1", "memory": "Likes tea", "user_id": "u1", "hash": "h"},
            {"id": "m-2", "memory": "Answers in French", "agent_id": "travel"},
        ]
    },
    f"POST {SESSION}/memories": {"content": "Prefers aisle seats on trains"},
    f"POST {SESSION}/memories/search": SEATS,
    "POST /v1/agents": {"name": "Refunds", "tags": ["money"], "metadata": {"k": 1}},
    "PATCH /v1/agents/{reference}": {"owner": "ann", "metadata": {"k": None}},
    "PUT /v1/agents/{reference}": {"team": "money", "config": {"k": 2}},
    "PUT /v1/agents/{reference}/mapping": {
        "title": "/goal",
        "user": "/customer/id",
        "waiting": ["/asks = true", "/pending"],
        "noise": ["/clock", "/items/*/age"],
    },
    "POST /v1/agents/{agent}/audit/verify": {"start": "2026-01-01"},
    "POST /v1/agents/{agent}/audit/export": {
        "format": "csv",
        "start_time": "2026-01-01T00:00:00+00:00",
        "include_verification": True,
    },
    "POST /v1/agents/{reference}/suspend": None,
    "POST /v1/agents/{reference}/activate": None,
    "POST /v1/agents/{agent}/data": {
        "key": "user:2:pref",
        "value": "light",
        "metadata": {"n": 1},
        "expected_version": 0,
        "reasoning": "She said so.",
    },
    "POST /v1/agents/{agent}/data/batch": {
        "entries": [
            {"key": "user:2:pref", "value": "light", "metadata": {"n": 1}},
            {"key": "user:3:pref", "value": "dark", "expected_version": 0},
        ]
    },
    "POST /v1/agents/{agent}/data/search": {
        "query": "dark mode",
        "min_similarity": 0.5,
        "limit": 3,
    },
    "PUT /v1/agents/{agent}/config": {
        "behavior": {"instructions": "Be brief."},
        "policies": {"block_secrets": True},
    },
    "POST /v1/agents/{agent}/config/rollback": {"target_version": "v1"},
    "POST /v1/agents/{agent}/checkpoints": {
        "label": "pre-batch-import",
        "description": "Before the import of May.",
        "metadata": {"ticket": "A-1"},
    },
    "PUT /v1/agents/{agent}/checkpoints/schedule": {"schedule": "0 6 * * mon-fri"},
    "POST /v1/agents/{agent}/checkpoints/{checkpoint_id}/restore": {
        "restore_config": False,
        "restore_data": True,
        "reasoning": "The import was wrong.",
    },
    f"POST {SESSION}/approvals": {
        "tool": "issue_refund",
        "arguments": {"amount": 2490},
        "schema": {"type": "object", "required": ["amount"]},
        "reason": "The flight was late.",
        "depends_on": ["/city"],
        "key": "refund-1",
        "votes": 2,
        "ttl_seconds": 600,
        "on_expiry": "escalate",
    },
    "POST /v1/agents/{agent}/approval-rules": {
        "tool": "issue_refund",
        "check": "state.amount>500",
        "votes": 2,
        "who": "admin",
        "expires_in": 600,
        "on_expiry": "escalate",
    },
    "POST /v1/agents/{agent}/schemas": {
        "version": "5",
        "schema": {"type": "object", "required": ["city"]},
        "strict": False,
    },
    "POST /v1/agents/{agent}/migrations": {
        "from": "3",
        "to": "4",
        "steps": [
            {"op": "rename", "at": "/city", "to": "place"},
            {"op": "default", "at": "/nights", "value": 1},
        ],
    },
    "PUT /v1/shared/{name}": {"state": {"goal": "Oslo"}, **STEP},
    "PATCH /v1/shared/{name}": {"state": {"goal": "Oslo"}, **STEP},
    "POST /v1/shared/{name}/rollback": {"version": 1, "reasoning": "Lost"},
    "POST /v1/shared/{name}/lease": {"holder": "planner", "seconds": 60},
    "POST /v1/shared/{name}/lease/renew": {"fence": 1, "seconds": 60},
    "POST /v1/shared/{name}/lease/release": {"fence": 1},
    f"PUT {SESSION}/heartbeat": {"every": 600},
    "PUT /v1/agents/{agent}/heartbeat": {"every": 600},
    "POST /v1/budgets": {
        "agent_id": "travel",
        "measure": "cost",
        "limit": "12.50",
        "currency": "EUR",
        "period": "day",
        "on_reach": "ask",
        "ask_for": "5",
        "warn_percent": 70,
    },
    "PATCH /v1/budgets/{budget_id}": {"limit": 2000, "warn_percent": 50},
    "POST /v1/guards": {
        "agent_id": "travel",
        "name": "No budget beyond reason",
        "kind": "check",
        "rule": {"check": "state.budget<=1500"},
    },
    "PATCH /v1/guards/{guard_id}": {"name": "Nulls", "rule": {"values": 3}},
    "POST /v1/guards/{guard_id}/try": {"days": 3},
    "POST /v1/prices": {
        "currency": "EUR",
        "valid_from": "2020-01-01T00:00:00Z",
        "models": {"large": {"input": "2.50", "output": "10", "cached": "1.25"}},
    },
    "POST /v1/agents/{agent}/results/forget": {"all": True, "reason": "Stale."},
    "POST /v1/agents/{agent}/exceptions": {
        "rule": "policy:block_secrets",
        "prefix": "vault:",
        "reason": "Test credentials.",
        "days": 7,
    },
    "POST /v1/sessions": {
        "agent_id": "travel",
        "user_id": "u1",
        "initial_state": {"city": "Rome"},
        "metadata": {"order": "A-1"},
        "ttl_seconds": 3600,
    },
    f"PATCH {SESSION}": {"metadata": {"order": "A-2"}, "ttl_seconds": 60},
    f"POST {SESSION}/fork": {"version": 1, "state": {"city": "Bonn"}},
    f"PATCH {SESSION}/state": {"state": {"city": "Bonn"}, "remove": ["/n"], **STEP},
    f"PUT {SESSION}/state": {
        "state": {"city": "Bonn"},
        "opaque": {"mine": {"media_type": "a/b", "base64": "AAE="}},
        **STEP,
    },
    f"POST {SESSION}/state": {"state": {"city": "Bonn"}},
    f"POST {SESSION}/state/migrate": {"to": "3", "from": "2", "reason": "New code"},
    f"POST {SESSION}/state/rollback": {"version": 1, "reason": "wrong city"},
    f"POST {SESSION}/rollback": {"version": 0, "reason_code": "tool", "hold": True},
    f"POST {SESSION}/promote": {"fork": "{fork_id}", "expected_version": "{head}"},
    f"POST {SESSION}/revert": MERGED | {"first_version": 1, "last_version": 1},
    f"POST {SESSION}/reapply": MERGED | {"first_version": 2, "last_version": 2},
    f"POST {SESSION}/restore": MERGED | {"version": 0, "pointers": ["/city"]},
    f"POST {SESSION}/undo": {"reason": "It was fine"},
    f"POST {SESSION}/pause": {"reason": "look"},
    f"POST {SESSION}/resume": {"reason": "go on"},
    f"POST {SESSION}/close": {},
    f"POST {SESSION}/versions": {
        "versions": [
            {"state": {"city": "Bonn"}, "remove": ["/n"], **STEP},
            {"op": "replace", "state": {"city": None}, "messages": []},
            {"state": {"city": "Oslo"}, "external_id": "step-9"},
        ]
    },
    f"POST {SESSION}/versions/{{number}}/labels": {"label": "good"},
    f"POST {SESSION}/notes": {"text": "Called the customer back.", "version": 1},
    f"POST {SESSION}/summaries": {"first_turn": 1, "last_turn": 2, "text": "Said hi."},
    f"PATCH {SESSION}/tasks/{{task}}": {"status": "completed", "note": "PNR", **STEP},
    f"POST {SESSION}/facts/check": {"values": {"price": 500}},
    f"POST {SESSION}/effects": {
        "key": "mail-2",
        "tool": "send_mail",
        "arguments": {"to": "ann"},
        "class": "compensable",
        "undo": {"tool": "recall_mail", "arguments": {"to": "ann"}},
        "number": 1,
    },
    f"POST {SESSION}/results/forget": {"tool": "find_flights", "reason": "Stale."},
    f"POST {SESSION}/effects/{{effect_id}}/compensation": {"status": "requested"},
    f"POST {SESSION}/effects/{{effect_id}}/finish": {
        "attempt": 1,
        "status": "done",
        "result": {"id": "mail_1"},
        "external_id": "smtp-1",
    },
    f"PUT {SESSION}/review": {"outcome": "fine", "why": "Looked at again."},
    f"PUT {SESSION}/score": {"name": "helpfulness", "value": 0.75},
    f"POST {SESSION}/writes": {
        "checkpoint_id": "step-9",
        "task_id": "book",
        "writes": [{"index": 0, "channel": "c", "type": "json", "base64": "MQ=="}],
    },
    f"POST {SESSION}/handoffs": {"version": 1, "to_agent": "reviewer"},
    "POST /v1/handoffs/adopt": {"handoff": "{handoff}", "reason": "go on"},
    f"POST {SESSION}/hidden": {"first_version": 1, "last_version": 1},
    f"POST {SESSION}/turns": {
        "input": "Hi",
        "output": {"content": {"say": "Hello"}, "type": "json"},
        "metadata": {"ms": 12},
        "state_before": {"city": "Rome"},
        "state_after": {"city": "Bonn"},
    },
    "POST /v1/dashboard/keys": {
        "name": "Nightly export",
        "scope": "read",
        "rate_limit": 100,
        "expires_days": 30,
    },
    "PUT /v1/project/policies": {"policies": {"block_secrets": True}},
    "PATCH /v1/project": {"handling": "lenient"},
    "PUT /v1/masks": {
        "masks": [
            {"pointer": "/customer/**/card", "style": "last4"},
            {"pattern": "words", "words": ["Ann"], "style": "digest"},
        ]
    },
    "POST /v1/alerts": {
        "name": "Many",
        "threshold": 0.05,
        "window": "1h",
        "email": "oncall@example.com",
    },
    "PATCH /v1/alerts/{rule_id}": {"silenced_until": "2030-01-01T00:00:00Z"},
    "POST /v1/alerts/{rule_id}/acknowledge": {"owner": "vera"},
    "POST /v1/alerts/{rule_id}/test": None,
    "POST /v1/webhooks": {
        "url": "https://receiver.example/hook",
        "events": ["session.rolled_back", "version.created"],
        "description": "On-call",
        "format": "slack",
    },
    f"PATCH {WEBHOOK}": {"events": ["turn.added"], "description": "Turns"},
    f"POST {WEBHOOK}/secret": None,
    f"POST {WEBHOOK}/test": None,
    f"POST {WEBHOOK}/deliveries/{{delivery_id}}/resend": None,
    "POST /v1/plans": {"kind": "label", "q": "agent:travel", "label": "seen"},
    "PATCH /v1/plans/{plan_id}": {"unpick_verdict": "look"},
    "POST /v1/plans/{plan_id}/look": None,
    "POST /v1/plans/{plan_id}/confirm": {"reason": "bad release"},
    "POST /v1/plans/{plan_id}/retry": None,
    "POST /v1/plans/{plan_id}/undo": None,
    "POST /v1/incidents": {"title": "The trip is lost", "search": "agent:travel"},
    "PATCH /v1/incidents/{incident_id}": {"status": "watching"},
    "POST /v1/incidents/{incident_id}/plans": {"kind": "hold"},
    "POST /v1/incidents/{incident_id}/members": {"sessions": ["{fork_id}"]},
    "POST /v1/incidents/{incident_id}/notes": {"text": "The airline was called."},
    "POST /v1/surveys": {"check": "state.n<=4", "search": "agent:travel"},
    "POST /v1/experiments": {"name": "Cheaper", "sessions": ["{fork_id}", "{twin_id}"]},
    "PATCH /v1/experiments/{experiment_id}": {"name": "Cheaper by far"},
    "POST /v1/experiments/{experiment_id}/close": None,
    "POST /v1/exports": {"kind": "trajectories"},
    "POST /v1/erasures/previews": {"user_id": "u1"},
    "POST /v1/erasures": {"preview_id": "{erasure_preview_id}", "reason": "Asked."},
    f"POST {RETENTION}/policies": {
        "agent_id": "travel",
        "thin_days": 7,
        "empty_days": 30,
        "prune_days": 90,
        "remove_days": 365,
        "ended_days": 30,
        "keep_last": 10,
    },
    f"POST {RETENTION}/policies/{{policy_id}}/enable": {"preview_id": "{preview_id}"},
    f"POST {RETENTION}/policies/{{policy_id}}/disable": None,
    f"POST {RETENTION}/previews": {"policy_id": "{policy_id}"},
    f"POST {RETENTION}/legal-holds": {
        "kind": "user",
        "value": "u1",
        "reason": "Smith v. Jones",
        "until": "2040-01-01T00:00:00Z",
    },
    f"POST {RETENTION}/legal-holds/{{hold_id}}/end": {"reason": "Settled."},
    f"POST {SESSION}/bisect": {"check": "state.city=Rome", "lineage": "all"},
    f"POST {SESSION}/bundle": {"version": 0, "masks": ["/city"]},
    f"POST {SESSION}/context": {"query": "where?", "include_set_aside": True},
}
QUERIES: dict[str, dict[str, str]] = {
    "GET /v1/memories/search": {"query": "seats"},
    "GET /v1/search/meaning": {"q": "Where did she move?"},
    "DELETE /v1/agents/{agent}/data": {"prefix": "draft:"},
    f"GET {SESSION}/changes": {"from": "0"},
    f"GET {SESSION}/rollback/preview": {"version": "0"},
    f"GET {SESSION}/promote/preview": {"fork": "{fork_id}"},
    f"GET {SESSION}/revert/preview": {"first_version": "1", "last_version": "1"},
    f"GET {SESSION}/reapply/preview": {"first_version": "2", "last_version": "2"},
    f"GET {SESSION}/restore/preview": {"version": "0", "pointers": '["/city"]'},
    f"GET {SESSION}/check": {"check": "there:state", "version": "1"},
    f"GET {SESSION}/blame": {"pointer": "/city", "version": "1", "limit": "50"},
}
# What must have happened before the sample can succeed.
BEFORE: dict[str, tuple[str, str]] = {
    f"POST {SESSION}/resume": ("POST", f"{SESSION}/pause"),
    "POST /v1/agents/{reference}/activate": (
        "POST",
        "/v1/agents/{reference}/suspend",
    ),
}
DEEDS: dict[str, Callable[[World], None]] = {
    "GET /v1/plans/{export_id}/archive": World.export_plan,
    "POST /v1/alerts/{rule_id}/acknowledge": World.fire_rule,
    "POST /v1/plans/{plan_id}/undo": World.do_plan,
    f"POST {RETENTION}/policies/{{policy_id}}/disable": World.enable_policy,
    "POST /v1/plans/{plan_id}/retry": World.fail_plan,
    "POST /v1/shared/{name}/lease/renew": World.take_lease,
    "POST /v1/shared/{name}/lease/release": World.take_lease,
}
UNKNOWN = {
    "fork_id": f"sess_{UNKNOWN_ID}",
    "head": 1,
    "session_id": f"sess_{UNKNOWN_ID}",
    "path": "nothing",
    "sha256": sha256(REPORT).hexdigest(),
    "number": "1",
    "label": "nobody-gave-this",
    "turn_id": f"turn_{UNKNOWN_ID}",
    "summary_id": f"sum_{UNKNOWN_ID}",
    "effect_id": f"eff_{UNKNOWN_ID}",
    "task": "nothing",
    "trace_id": f"trace_{UNKNOWN_ID}",
    "reference": "nobody",
    "agent": "nobody",
    "audit_id": f"aud_{UNKNOWN_ID}",
    "key": "nothing",
    "prefix": "nothing",
    "version": "v99",
    "checkpoint_id": f"cp_{UNKNOWN_ID}",
    "blocked": "1",
    "exception_id": f"exc_{UNKNOWN_ID}",
    "other_id": f"cp_{UNKNOWN_ID}",
    "memory_id": f"mem_{UNKNOWN_ID}",
    "approval_id": f"appr_{UNKNOWN_ID}",
    "approval_rule_id": f"arul_{UNKNOWN_ID}",
    "schema_id": f"schm_{UNKNOWN_ID}",
    "migration_id": f"migr_{UNKNOWN_ID}",
    "budget_id": f"budg_{UNKNOWN_ID}",
    "guard_id": f"guar_{UNKNOWN_ID}",
    "trial_id": f"tria_{UNKNOWN_ID}",
    "name": "public/nothing",
    "rule_id": f"rule_{UNKNOWN_ID}",
    "webhook_id": f"hook_{UNKNOWN_ID}",
    "delivery_id": f"dlv_{UNKNOWN_ID}",
    "handoff": {},
    "user_id": f"user_{UNKNOWN_ID}",
    "key_id": f"key_{UNKNOWN_ID}",
    "invitation_id": f"inv_{UNKNOWN_ID}",
    "public_id": UNKNOWN_ID,
    "plan_id": f"plan_{UNKNOWN_ID}",
    "incident_id": f"incd_{UNKNOWN_ID}",
    "survey_id": f"surv_{UNKNOWN_ID}",
    "twin_id": f"sess_{UNKNOWN_ID}",
    "experiment_id": f"expt_{UNKNOWN_ID}",
    "history_export_id": f"xprt_{UNKNOWN_ID}",
    "erasure_id": f"eras_{UNKNOWN_ID}",
    "erasure_preview_id": f"eprv_{UNKNOWN_ID}",
    "policy_id": f"rpol_{UNKNOWN_ID}",
    "preview_id": f"prev_{UNKNOWN_ID}",
    "removal_id": f"rmvl_{UNKNOWN_ID}",
    "hold_id": f"hold_{UNKNOWN_ID}",
    "export_id": f"plan_{UNKNOWN_ID}",
    "agent_id": f"agent_{UNKNOWN_ID}",
    "view_id": f"view_{UNKNOWN_ID}",
    "kind": "unknown",
    "root_number": "999999999",
}


def prepared(route: Route, world: World) -> Route:
    """Bring the world to where the route's sample succeeds."""
    if str(route) in BEFORE:
        method, pattern = BEFORE[str(route)]
        answer = world.client.send(method, pattern.format(**world.parameters))
        assert answer.status == 200, answer.content
    if str(route) in DEEDS:
        DEEDS[str(route)](world)
    return route
