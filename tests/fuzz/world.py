"""A session with a history on a live server, whose ids make generated requests real.

Random ids find nothing. So what a generated request says of the right kind is replaced
by what is there, in most of the requests; what it says of the wrong kind stays.
"""

import itertools
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import httpx
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation

# Of so many requests, one keeps the ids that were made up.
KEPT = 8
# Verbs after which a session is not what it was; others share one for a while.
ENDING = ("DELETE", "/close", "/pause", "/resume", "/suspend", "/activate", "/undo")
# A plan takes a worker to be made, and is shared in any case.
PLANS = "/v1/plans/"
RETENTION = "/v1/retention/"
ERASURES = "/v1/erasures"
SHARED = 12
# What is the same in every session.
IDS = {
    "number": "1",
    # The first note, of a server that signs.
    "root_number": "1",
    "label": "good",
    "task": "t1",
    "user_id": "u1",
    "pointer": "/city",
    "check": "state.n=1 OR was.city=null",
    "metadata": '{"order": "A-1"}',
    "from": "0",
    "to": "2",
    "version": "2",
    "after": "0",
    "first_version": "1",
    "last_version": "1",
    "pointers": '["/city"]',
}
# What is looked up or checked against a list, in place of what was made up.
KNOWN = {
    "/v1/webhooks": {
        "url": "https://receiver.example/hook",
        "events": ["session.created", "version.created"],
    },
    "/v1/alerts": {"threshold": 0.05, "email": "oncall@example.com"},
    "/config/rollback": {"target_version": "v1", "version": "v1"},
    "/data/batch": {"entries": [{"key": "user:1:seat", "value": "12A"}]},
    "/data/search": {"query": "dark", "limit": 3, "min_similarity": 0.5},
    "/finish": {"attempt": 1, "status": "done"},
    "/compensation": {"status": "failed"},
    "/summaries": {"first_turn": 1, "last_turn": 2},
    "{agent}/data": {"key": "user:1:seat", "value": "12A"},
    "/exceptions": {
        "rule": "policy:block_pii",
        "prefix": "a:",
        "reason": "ours",
        "days": 3,
    },
}
# What is sent in place of what was made up until it has succeeded once: most of what
# these take is of somebody, or one of several that exclude each other.
FIRST = {
    "POST /v1/sessions/{session_id}/effects": {"key": "call-1", "tool": "call"},
    "POST /v1/sessions/{session_id}/effects/{effect_id}/finish": {
        "attempt": 1,
        "status": "done",
    },
    # Of the three versions after the first; the head is named.
    "POST /v1/sessions/{session_id}/promote": {
        "fork": "{fork}",
        "expected_version": 3,
    },
    "POST /v1/sessions/{session_id}/revert": {
        "first_version": 1,
        "last_version": 3,
        "expected_version": 3,
        "reason": "Wrong city",
    },
    "POST /v1/sessions/{session_id}/reapply": {
        "first_version": 1,
        "last_version": 1,
        "expected_version": 4,
    },
    "POST /v1/sessions/{session_id}/restore": {
        "version": 0,
        "pointers": ["/city"],
        "expected_version": 3,
        "reason": "Wrong city",
    },
    "POST /v1/sessions/{session_id}/results/forget": {"all": True, "reason": "stale"},
    "POST /v1/agents/{agent}/results/forget": {"tool": "call", "reason": "stale"},
    "POST /v1/sessions/{session_id}/approvals": {"tool": "call", "arguments": {}},
    "POST /v1/agents/{agent}/approval-rules": {"tool": "call", "votes": 2},
    "POST /v1/agents/{agent}/schemas": {"version": "9", "schema": {"type": "object"}},
    "POST /v1/agents/{agent}/migrations": {
        "from": "2",
        "to": "3",
        "steps": [{"op": "remove", "at": "/nothing"}],
    },
    "POST /v1/sessions/{session_id}/state/migrate": {"to": "2", "from": "1"},
    "PUT /v1/shared/{name}": {"state": {"goal": "Oslo"}},
    "PATCH /v1/shared/{name}": {"state": {"goal": "Oslo"}},
    "POST /v1/shared/{name}/rollback": {"version": 1, "reasoning": "Wrong city."},
    "POST /v1/shared/{name}/lease": {"holder": "planner", "seconds": 60},
    "POST /v1/shared/{name}/lease/renew": {"fence": 1, "seconds": 60},
    "POST /v1/shared/{name}/lease/release": {"fence": 1},
    "PUT /v1/sessions/{session_id}/heartbeat": {"every": 60},
    "PUT /v1/agents/{agent}/heartbeat": {"every": 60},
    "POST /v1/budgets": {
        "session_id": "{session_id}",
        "measure": "tokens",
        "limit": 100_000,
    },
    "PATCH /v1/budgets/{budget_id}": {"limit": 5_000, "warn_percent": 10},
    "POST /v1/guards": {"agent_id": "{agent}", "name": "Nulls", "kind": "null_spree"},
    "PATCH /v1/guards/{guard_id}": {"name": "No nulls"},
    "POST /v1/guards/{guard_id}/try": {"days": 2},
    "POST /v1/prices": {
        "currency": "EUR",
        "models": {"large": {"input": "2.5", "output": "10"}},
    },
    "POST /v1/memories": {"content": "Likes tea", "user_id": "u1"},
    "POST /v1/memories/search": {"query": "tea"},
    "POST /v1/memories/resolve": {"memory_id": "{memory_id}", "decision": "accept"},
    "POST /v1/memories/rollback": {"user_id": "u1", "version": 0},
    "POST /v1/memories/import": {"memories": [{"id": "m-1", "memory": "Likes tea"}]},
    "PUT /v1/memories/formation/{agent}": {"mode": "tags"},
    "PUT /v1/memories/{memory_id}": {"content": "Likes coffee"},
    "PATCH /v1/memories/{memory_id}": {"content": "Likes juice"},
    "POST /v1/retention/policies": {"empty_days": 30},
    "POST /v1/retention/policies/{policy_id}/enable": {"preview_id": "{preview_id}"},
    "POST /v1/retention/previews": {"policy_id": "{policy_id}"},
    "POST /v1/incidents": {"title": "Lost", "search": "user:u1"},
    "POST /v1/surveys": {"check": "state.n<=4", "search": "user:u1"},
    "POST /v1/experiments": {"name": "x", "sessions": ["{fork_id}", "{twin_id}"]},
    "POST /v1/incidents/{incident_id}/members": {"sessions": ["{session_id}"]},
    "PATCH /v1/experiments/{experiment_id}": {"name": "y"},
    "PATCH /v1/plans/{plan_id}": {"unpick_verdict": "look"},
    "POST /v1/exports": {"kind": "trajectories"},
    "POST /v1/erasures": {"preview_id": "{erasure_preview_id}", "reason": "Asked"},
    "POST /v1/erasures/previews": {"user_id": "u1"},
    "POST /v1/sessions/{session_id}/memories": {"content": "Likes tea"},
    "POST /v1/sessions/{session_id}/memories/search": {"query": "tea"},
}
# What the process that removes has counted, and what it took: nothing here is old.
SETTLE = (
    "from apps.retention.models import Removal; from django.utils import timezone; "
    "from apps.retention.sweeping import count_previews; count_previews(); "
    "one = Removal.objects.get(id='{preview}'); one.pk = '{removal}'; "
    "one.is_preview = False; one.state = 'done'; one.save(force_insert=True)"
)
# Two names of one thing are refused together.
OTHER_NAMES = {
    "entries": "items",
    "min_similarity": "threshold",
    "rule": "audit_id",
}
# What may set a project to take unknown input.
# With a reason: a project may have been told to require one.
BACK = {"version": 1, "reason": "To see what it was."}
UPLOAD, FILE = "PUT /v1/blobs/{sha256}", b"kept"
LENIENT, STRICT = "PATCH /v1/project", {"handling": "strict"}
_count = itertools.count(1)


class World:
    """What one operation's requests are about, renewed as they use it up."""

    def __init__(
        self,
        client: httpx.Client,
        label: str,
        named: set[str],
        work: Callable[[], None],
        retain: Callable[[str], object],
    ) -> None:
        """`named` are the parameters that the operation has, of any kind.

        `work` has the worker do the confirmed plans; `retain` runs some lines as the
        process that removes.
        """
        self.work = work
        self.retain = retain
        self.handoff: dict[str, Any] = {}
        self.client = client
        self.label = label
        self.known = next((KNOWN[one] for one in KNOWN if one in label), {})
        self.named = named
        self.version = 1
        self.asked = 0
        self.taken = 0
        self.ids: dict[str, str] = {}

    def lead(self, case: Case) -> None:
        """Point a generated request at what is there."""
        if not self.ids or self._is_used_up():
            self._renew()
        self.asked += 1
        if self.asked % KEPT == 0:
            return
        self._lead_path(case)
        self._lead_query(case)
        self._lead_head(case)
        if self.label == UPLOAD and not self.taken:
            # Made-up bytes have another digest.
            case.body = FILE

    def _lead_path(self, case: Case) -> None:
        if not _is_wrong(case, ParameterLocation.PATH):
            for name in case.path_parameters or {}:
                case.path_parameters[name] = self.ids[name]

    def _lead_query(self, case: Case) -> None:
        if _is_wrong(case, ParameterLocation.QUERY):
            return
        for name in set(case.query or {}) & self.ids.keys():
            case.query[name] = self.ids[name]
        # A cursor comes from the answer before, which a single request has not.
        (case.query or {}).pop("starting_after", None)

    def _lead_head(self, case: Case) -> None:
        """Let a write build on the head that there is, and name what is known."""
        if not _is_wrong(case, ParameterLocation.HEADER) and case.headers:
            case.headers.pop("If-Match", None)
            # The edges of a body are sent with one key, which stands for one body.
            if "Idempotency-Key" in case.headers:
                case.headers["Idempotency-Key"] = f"key-{next(_count)}"
        if not _is_wrong(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            self._lead_body(case.body)

    def _told(self, said: Any) -> Any:
        if isinstance(said, list):
            return [self._told(one) for one in said]
        return self.ids[said[1:-1]] if _is_name(said) else said

    def _lead_body(self, body: dict[str, Any]) -> None:
        if not self.taken and self.label in FIRST:
            body.clear()
            body |= {name: self._told(said) for name, said in FIRST[self.label].items()}
            return
        body |= {name: self.known[name] for name in self.known.keys() & body.keys()}
        body.pop("expected_version", None)
        for name in OTHER_NAMES.keys() & body.keys():
            body.pop(OTHER_NAMES[name], None)
        if isinstance(body.get("version"), int):
            body["version"] = self.version
        # Only the server can sign one.
        if "handoff" in body and self.handoff:
            body["handoff"] = dict(self.handoff)
        # Made-up pointers point to nothing.
        for one in (body, *_items(body)):
            if one.get("remove"):
                one["remove"] = []

    def told(self, status: int) -> None:
        """Take note of an answer: what was refused has used nothing up."""
        self.taken += status < 300
        if self.label == LENIENT and status < 300:
            # Or what breaks the document would be accepted from then on, anywhere.
            self.client.patch("/v1/project", json=STRICT).raise_for_status()

    def _is_used_up(self) -> bool:
        if self.label.startswith("GET "):
            return False
        is_ending = PLANS not in self.label and any(v in self.label for v in ENDING)
        return self.taken >= (1 if is_ending else SHARED)

    def _renew(self) -> None:
        """Make a session, and of the rest what the operation has a name for."""
        self.taken = 0
        agent = f"agent-{next(_count)}"
        begun = {
            "agent_id": agent,
            "user_id": "u1",
            "external_id": agent,
            "initial_state": {"city": "Rome", "n": 1, "list": [1, 2]},
            "tasks": [{"id": IDS["task"], "status": "pending"}],
            "metadata": {"order": "A-1"},
        }
        session_id = self._made("/v1/sessions", begun)["id"]
        session = f"/v1/sessions/{session_id}"
        steps = [{"state": {"city": city}} for city in ("Bonn", None, "Oslo")]
        self._made(f"{session}/versions", {"versions": steps})
        self.ids = {
            **IDS,
            "session_id": session_id,
            "forked_from": session_id,
            "resource_id": session_id,
            "agent_id": agent,
            "external_id": agent,
            "reference": agent,
            "agent": agent,
        }
        self._make_what_is_named(session)
        self._make_what_is_merged(session)
        self._make_what_is_summarised(session)
        if "/search/meaning" in self.label:
            on = {"search_by_meaning": True}
            self.client.patch("/v1/project", json=on).raise_for_status()
        if "/memories" in self.label:
            said = {"content": f"Likes tea number {agent}", "user_id": "u1"}
            self.ids["memory_id"] = self._made("/v1/memories", said)["id"]
        if "effect_id" in self.named:
            self._make_an_effect(session)
        self._make_what_agents_have(session, f"/v1/agents/{agent}")
        self._make_what_is_taken_back(session)
        self._make_who_is_told()
        if RETENTION in self.label:
            self._make_retention()
        if ERASURES in self.label:
            self._make_erasure()

    def _make_what_is_named(self, session: str) -> None:
        if "/blobs/" in self.label or "/files" in self.label:
            self._make_a_file(session)
        if "label" in self.named:
            self._made(f"{session}/versions/1/labels", {"label": IDS["label"]})
        if "turn_id" in self.named:
            turn = self._made(f"{session}/turns", {"input": "a", "output": "b"})
            self.ids["turn_id"] = turn["id"]
        if "other" in self.named:
            self.ids["other"] = self._made(f"{session}/fork", {"version": 1})["id"]
        if "trace_id" in self.named:
            asked = {"session_id": self.ids["session_id"]}
            traces = self.client.get("/v1/traces", params=asked).json()
            self.ids["trace_id"] = traces["data"][0]["id"]
        if "/adopt" in self.label:
            self.handoff = self._made(f"{session}/handoffs", {})

    def _make_a_file(self, session: str) -> None:
        """Keep some bytes, and have a version name them as its only file."""
        digest = sha256(FILE).hexdigest()
        self.client.put(f"/v1/blobs/{digest}", content=FILE).raise_for_status()
        chunks = [{"sha256": digest, "size": len(FILE)}]
        said = {"state": {}, "artifacts": [{"path": "a.txt", "chunks": chunks}]}
        answer = self.client.patch(f"{session}/state", json=said)
        answer.raise_for_status()
        self.ids |= {"sha256": digest, "path": "a.txt"}
        self.ids["number"] = str(answer.json()["version"])

    def _make_what_is_merged(self, session: str) -> None:
        if "/promote" in self.label:
            fork = self._made(f"{session}/fork", {"state": {"city": "Nice"}})
            self.ids["fork"] = fork["id"]
        if "/reapply" in self.label:
            self._made(f"{session}/rollback", {**BACK, "version": 0})

    def _make_what_is_summarised(self, session: str) -> None:
        if "/summaries" not in self.label:
            return
        for _ in range(2):
            self._made(f"{session}/turns", {"input": "a", "output": "b"})
        told = {**self.known, "text": "Said a and b."}
        self.ids["summary_id"] = self._made(f"{session}/summaries", told)["id"]

    def _make_an_effect(self, session: str) -> None:
        mail = {"key": "mail-1", "tool": "send_mail"}
        self.ids["effect_id"] = self._made(f"{session}/effects", mail)["id"]
        if "/compensation" in self.label:
            self._made(f"{session}/rollback", BACK)

    def _make_what_agents_have(self, session: str, agent: str) -> None:
        if "/approval" in self.label:
            self._make_an_approval(session, agent)
        if "budget_id" in self.named:
            self._make_a_budget(agent)
        if "guard_id" in self.named or "/guards" in self.label:
            self._make_a_guard(agent)
        self._make_what_agents_share(session, agent)
        if "schema" in self.label or "migrat" in self.label:
            self._make_schemas(agent)
        if "agent" in self.named:
            self._make_data(agent)

    def _make_what_agents_share(self, session: str, agent: str) -> None:
        for path in (session, agent) if "/heartbeat" in self.label else ():
            said = {"every": 3600}
            self.client.put(f"{path}/heartbeat", json=said).raise_for_status()
        if "/shared/" in self.label:
            self._make_a_shared_document(agent)

    def _make_an_approval(self, session: str, agent: str) -> None:
        asked = {"tool": "issue_refund", "arguments": {"amount": 1}}
        # Nobody decides: to wait is to wait for the end.
        self.ids["wait"] = "0"
        self.ids["approval_id"] = self._made(f"{session}/approvals", asked)["id"]
        ruled = self._made(f"{agent}/approval-rules", {"tool": "wire"})
        self.ids["approval_rule_id"] = ruled["id"]

    def _make_a_shared_document(self, agent: str) -> None:
        """Write it twice, and hold it where that is asked about."""
        name = f"public/{agent.rpartition('/')[2]}"
        # Nobody writes meanwhile: to wait is to wait for the end.
        self.ids |= {"name": name, "wait": "0", "newer_than": "0"}
        for goal in ("Rome", None):
            said = {"state": {"goal": goal}}
            self.client.put(f"/v1/shared/{name}", json=said).raise_for_status()
        if "/lease/" in self.label:
            held = {"holder": "planner", "seconds": 3600}
            self._made(f"/v1/shared/{name}/lease", held)

    def _make_a_budget(self, agent: str) -> None:
        named = agent.rpartition("/")[2]
        allowed = {"agent_id": named, "measure": "turns", "limit": 1_000}
        self.ids["budget_id"] = self._made("/v1/budgets", allowed)["id"]

    def _make_a_guard(self, agent: str) -> None:
        named = agent.rpartition("/")[2]
        guard = {"agent_id": named, "name": "Loops", "kind": "loop"}
        self.ids["guard_id"] = made = self._made("/v1/guards", guard)["id"]
        self.ids["trial_id"] = self._made(f"/v1/guards/{made}/try", {})["id"]

    def _make_schemas(self, agent: str) -> None:
        """Declare schemas, a way between two of them, and one that none leads to."""
        for version in ("1", "2", "3"):
            body = {"version": version, "schema": {"type": "object"}}
            self.ids["schema_id"] = self._made(f"{agent}/schemas", body)["id"]
        steps = [{"op": "remove", "at": "/nothing"}]
        way = {"from": "1", "to": "2", "steps": steps}
        self.ids["migration_id"] = self._made(f"{agent}/migrations", way)["id"]

    def _make_data(self, agent: str) -> None:
        """Let the agent know something: two configs, some keys, and checkpoints."""
        for brief in (True, False):
            self.client.put(f"{agent}/config", json={"brief": brief}).raise_for_status()
        self.ids |= {"key": "user:1:pref", "prefix": "user:"}
        for value in ("dark", "light"):
            self._made(f"{agent}/data", {"key": self.ids["key"], "value": value})
            made = self._made(f"{agent}/checkpoints", {"label": f"before {value}"})
            self.ids |= {
                "other_id": self.ids.get("checkpoint_id", made["id"]),
                "checkpoint_id": made["id"],
            }
        if "/config/" in self.label:
            self.ids["version"] = "v1"
        if "exception_id" in self.named:
            said = {"rule": "policy:block_pii", "prefix": "a:", "reason": "ours"}
            self.ids["exception_id"] = self._made(f"{agent}/exceptions", said)["id"]
        if "audit_id" in self.named:
            self.ids["audit_id"] = self.client.get(f"{agent}/audit").json()["last_id"]

    def _make_what_is_taken_back(self, session: str) -> None:
        if "plan_id" in self.named:
            self.ids["plan_id"] = self._make_plan("hold")
        if "export_id" in self.named:
            self.ids["export_id"] = self._make_plan("export")
        self._make_what_is_asked(session)
        if "history_export_id" in self.named:
            asked = {"kind": "trajectories"}
            self.ids["history_export_id"] = self._made("/v1/exports", asked)["id"]
            self.work()
        if "/undo" in self.label and PLANS not in self.label:
            rolled_back = self._made(f"{session}/rollback", BACK)
            self.version = rolled_back["version"]
        if "/resume" in self.label:
            self._made(f"{session}/pause", {})

    def _make_what_is_asked(self, session: str) -> None:
        if "incident_id" in self.named:
            wrong = {"title": "Lost", "sessions": [self.ids["session_id"]]}
            self.ids["incident_id"] = self._made("/v1/incidents", wrong)["id"]
        if "survey_id" in self.named:
            asked = {"check": "state.n<=4"}
            self.ids["survey_id"] = self._made("/v1/surveys", asked)["id"]
        if "experiment_id" in self.named or self.label == "POST /v1/experiments":
            self._make_experiment(session)

    def _make_experiment(self, session: str) -> None:
        forks = [self._made(f"{session}/fork", {"version": 0})["id"] for _ in range(2)]
        self.ids["fork_id"], self.ids["twin_id"] = forks
        said = {"name": "Cheaper", "sessions": forks}
        self.ids["experiment_id"] = self._made("/v1/experiments", said)["id"]

    def _make_plan(self, kind: str) -> str:
        """Make a plan; to be undone it is done, and to be tried again it failed."""
        wanted = {"kind": kind, "sessions": [self.ids["session_id"]]}
        plan = str(self._made("/v1/plans", wanted)["id"])
        if "/undo" in self.label or "/archive" in self.label:
            self._made(f"{PLANS}{plan}/confirm", {})
            self.work()
        if "/retry" in self.label:
            # Nothing is done for a key that was revoked meanwhile.
            key = self._made("/v1/dashboard/keys", {"name": "Confirms and is revoked"})
            self._made(f"{PLANS}{plan}/confirm", {}, **{"X-API-Key": key["full_key"]})
            self.client.delete(f"/v1/dashboard/keys/{key['id']}").raise_for_status()
            self.work()
        return plan

    def _make_who_is_told(self) -> None:
        """Make a webhook or an alert rule, and room for what the operation makes."""
        for path in KNOWN:
            if path in self.label and path.startswith("/v1/"):
                self._make_room(path)
        if "webhook_id" in self.named:
            self._make_webhook()
        if "key_id" in self.named:
            made = self._made("/v1/dashboard/keys", {"name": "Made to be revoked"})
            self.ids["key_id"] = made["id"]
        if "rule_id" in self.named:
            rule = {"name": "Too many rollbacks", **KNOWN["/v1/alerts"]}
            if "/acknowledge" in self.label:
                # Of all sessions that others have made, one is below any threshold.
                rule |= {"minimum_sample": 1, "for_minutes": 0}
                rule |= {"agent_id": self.ids["agent_id"]}
                session = f"/v1/sessions/{self.ids['session_id']}"
                self._made(f"{session}/rollback", BACK)
            self.ids["rule_id"] = self._made("/v1/alerts", rule)["id"]
        if "/acknowledge" in self.label:
            self.work()

    def _make_room(self, path: str) -> None:
        """Remove what there is: a project has only so many of them."""
        for one in self.client.get(path, params={"limit": 100}).json()["data"]:
            self.client.delete(f"{path}/{one['id']}").raise_for_status()

    def _make_retention(self) -> None:
        """Make a policy, a preview that was asked for, and a legal hold."""
        policy = self._made(f"{RETENTION}policies", {"empty_days": 1})["id"]
        said = {"policy_id": policy}
        preview = self._made(f"{RETENTION}previews", said)["id"]
        hold = self._made(
            f"{RETENTION}legal-holds", {"kind": "project", "reason": "ours"}
        )
        self.ids |= said | {"preview_id": preview, "hold_id": hold["id"]}
        self.ids["removal_id"] = f"rmvl_{preview.partition('_')[2]}"
        if "preview_id" in FIRST.get(self.label, {}) or "removal_id" in self.named:
            self.retain(SETTLE.format(preview=preview, removal=self.ids["removal_id"]))

    def _make_erasure(self) -> None:
        """Make a preview, and an erasure by another; what others held is free."""
        holds = f"{RETENTION}legal-holds"
        for one in self.client.get(holds, params={"limit": 100}).json()["data"]:
            if one["standing"]:
                self._made(f"{holds}/{one['id']}/end", {"reason": "over"})
        previews = [
            self._made(f"{ERASURES}/previews", {"user_id": "u1"})["id"] for _ in "12"
        ]
        begun = {"preview_id": previews[1], "reason": "Asked"}
        erasure = self._made(ERASURES, begun)
        self.ids |= {
            "erasure_id": erasure["id"],
            "erasure_preview_id": previews[0],
        }

    def _make_webhook(self) -> None:
        """Make a webhook with a delivery in its log."""
        hook = self._made("/v1/webhooks", KNOWN["/v1/webhooks"])["id"]
        delivery = self._made(f"/v1/webhooks/{hook}/test", None)["id"]
        self.ids |= {"webhook_id": hook, "delivery_id": delivery}

    def _made(self, path: str, body: Any, **headers: str) -> Any:
        answer = self.client.post(path, json=body, headers=headers)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()


def _is_wrong(case: Case, location: ParameterLocation) -> bool:
    """Tell whether this part of the request is to be refused."""
    return case.meta is not None and case.meta.is_negative_at(location)


def _items(body: dict[str, Any]) -> list[dict[str, Any]]:
    versions = body.get("versions")
    items = versions if isinstance(versions, list) else []
    return [one for one in items if isinstance(one, dict)]


def _is_name(said: Any) -> bool:
    """Whether it stands for an id of the world, as `{memory_id}` does."""
    return isinstance(said, str) and said.startswith("{")
