"""A project with one of everything, made through the API, and another one without."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.test import override_settings
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import (
    ApiKey,
    Membership,
    Project,
    Role,
    SavedView,
    Scope,
    User,
)
from apps.approvals import operations as approvals
from apps.approvals.words import Verdict
from apps.audit.models import AuditRecord
from apps.console.pages.view_tabs import MOST_SAVED
from apps.core.ids import new_id
from apps.core.roles.names import Role as DatabaseRole
from apps.erasures import operations as erasures
from apps.erasures import running as erasing
from apps.exports import making
from apps.exports import operations as exports
from apps.exports.words import Kind as ExportKind
from apps.metrics import operations as metrics
from apps.metrics.models import AlertState, Rule
from apps.plans import running
from apps.retention import operations as retention
from apps.retention.models import Removal
from apps.retention.terms import Terms
from apps.retention.words import HoldKind, State
from apps.webhooks import operations as webhooks
from tests.acting import acting_as
from tests.acts import act_by, act_in
from tests.conftest import Answer, Api, make_project
from tests.contracts.signed import ROOT_NUMBER

# The bytes of a file.
REPORT = b"She moved to Bonn.\n"


@dataclass
class World:
    """What `client` made in `project`; `parameters` fill in addresses."""

    project: Project
    other_project: Project
    client: Api
    admin: Api
    parameters: dict[str, str]

    def reader(self) -> Api:
        """Return a client that may only read."""
        return client_of(self.project, Scope.READ)

    def client_for(self, route: Any) -> Api:
        """Return a client that may take this route: `client`, where that is enough."""
        if route.is_by_admins:
            return self.admin
        return self.client

    def stranger(self) -> Api:
        """Return a client that may do everything, in another project."""
        return client_of(self.other_project, Scope.ADMIN)

    def limited(self) -> Api:
        """Return a client of the project that speaks for another agent."""
        return client_of(self.project, Scope.ADMIN, ["somebody-else"])

    def fire_rule(self) -> None:
        """Have the alert rule fire."""
        mine = Rule.objects.filter(id=self.parameters["rule_id"])
        mine.update(state=AlertState.FIRING)

    def take_lease(self) -> None:
        """Hold the shared document."""
        held = {"holder": "planner", "seconds": 60}
        made(self.client.post(f"/v1/shared/{self.parameters['name']}/lease", held))

    def enable_policy(self) -> None:
        """Have the policy of retention enabled."""
        said = {"preview_id": self.parameters["preview_id"]}
        policy = f"/v1/retention/policies/{self.parameters['policy_id']}"
        made(self.admin.post(f"{policy}/enable", said))

    def do_plan(self) -> None:
        """Have the plan confirmed and done, unless it is over."""
        self._confirm_plan(self.client)

    def export_plan(self) -> None:
        """Have the plan that exports confirmed and done, unless it is over."""
        self._confirm_plan(self.client, named="export_id")

    def fail_plan(self) -> None:
        """Have the plan fail: whoever confirms it loses the right before it is done."""
        client = client_of(self.project, Scope.WRITE)
        key = ApiKey.objects.in_project(self.project.id).order_by("-id")[0]
        self._confirm_plan(client, key)

    def _confirm_plan(
        self, client: Api, revoked: ApiKey | None = None, *, named: str = "plan_id"
    ) -> None:
        plan = f"/v1/plans/{self.parameters[named]}"
        if self.client.get(plan).body["status"] == "draft":
            made(client.post(f"{plan}/confirm", {}))
        if revoked is not None:
            accounts.revoke_key(project=self.project, key_id=revoked.id, act=act_by())
        running.sweep(now=timezone.now())

    @property
    def session(self) -> str:
        return f"/v1/sessions/{self.parameters['session_id']}"

    def grow(self) -> None:
        """Add as many rows of every kind as a new world has."""
        start(self.client)
        client, session = self.client, self.session
        for number in range(3):
            made(client.post("/v1/agents", {"name": f"Agent {number}"}))
            made(client.patch(f"{session}/state", {"state": {"n": 40 + number}}))
        for number in ("1", "2"):
            made(client.post(f"{session}/versions/{number}/labels", {"label": "more"}))
        add_approvals(client)
        for _ in range(2):
            made(client.post(f"{session}/turns", TURN))
            made(client.post(f"{session}/notes", {"text": "Seen.", "version": 2}))
            told = {"first_turn": 1, "last_turn": 2, "text": "Moved on."}
            made(client.post(f"{session}/summaries", told))
        begin_effects(client, session)
        made(client.post(f"{session}/rollback", {"version": -2}))
        for query in ("aisle seats", None):
            made(client.post(f"{session}/context", {"query": query}))
        made(client.post(f"{session}/fork", {"version": 1}))
        for number in range(3):
            add_member(self.project, f"colleague-{number}", Role.VIEWER)
            add_member(make_project(f"other-{number}"), f"stranger-{number}")
            client_of(self.project, Scope.READ)
            save_view(self.project, f"more-{number}")
        add_invitation(self.project)
        add_webhook(self.project)
        add_rule(self.project)
        for _ in range(3):
            add_retention(self.project)
            sessions = [start(self.client) for _ in range(2)]
            made(client.post("/v1/plans", {"kind": "hold", "sessions": sessions}))
            made(client.post("/v1/incidents", {"title": "x", "sessions": sessions}))
        for _ in range(3):
            webhook_id = self.parameters["webhook_id"]
            webhooks.test(webhook_id=webhook_id, act=act_in(self.project))


TURN = {
    "input": {"type": "text", "content": "Hi", "from": "Ann"},
    "output": {"content": ["Hello"]},
    "metadata": {"ms": 12},
    "state_before": {"city": "Oslo"},
    "state_after": {"city": "Bonn", "n": 9},
    "reasoning": "She said hi.",
}

FIND = {
    "tool": "find_flights",
    "class": "read",
    "cache": {"ttl": 3600, "scope": "agent"},
}
# Past its age, so that a check of it is kept.
PRICE = {
    "key": "price",
    "value": 500,
    "observed_at": "2020-01-01T00:00:00Z",
    "max_age": 60,
}
GUARD = {"agent_id": "travel", "name": "Nulls", "kind": "null_spree"}
MAIL = {"key": "mail-1", "tool": "send_mail", "arguments": {"to": "ann"}}


def forget_results(client: Api, session: str) -> None:
    """Have a result that was forgotten, one that was not, and what that answered."""
    find_flights(client, session, "forgotten")
    said = {"all": True, "reason": "Prices had changed."}
    made(client.post(f"{session}/results/forget", said))
    made(client.post("/v1/agents/travel/results/forget", said))
    find_flights(client, session, "found")
    made(client.post(f"{session}/effects", FIND | {"key": "reused"}))


def begin_effects(client: Api, session: str) -> None:
    """Begin two more effects of the session, and find flights as often."""
    for number in range(2):
        made(client.post(f"{session}/effects", MAIL | {"key": f"more-{number}"}))
        find_flights(client, session, f"find-{number}", arguments={"n": number})


def find_flights(client: Api, session: str, key: str, **said: Any) -> None:
    """Make a read whose result the agent's sessions are answered with."""
    asked = FIND | {"key": key} | said
    begun = made(client.post(f"{session}/effects", asked))
    done = {"attempt": begun["attempt"], "status": "done", "result": ["SK 1"]}
    made(client.post(f"{session}/effects/{begun['id']}/finish", done))


def add_data(client: Api) -> None:
    """Give the agent data, a config with two versions, and a blocked write."""
    agent = "/v1/agents/travel"
    made(client.put(f"{agent}/config", {"behavior": {"tone": "kind"}}))
    policies = {"block_pii": True, "retention_by_prefix": {"temp:": 1}}
    made(client.put(f"{agent}/config", {"policies": policies}))
    made(client.post(f"{agent}/data", {"key": "user:1:pref", "value": "dark mode"}))
    made(client.post(f"{agent}/data", {"key": "note:1", "value": "calls back"}))
    made(client.post(f"{agent}/data", {"key": "draft:1", "value": "to be sent"}))
    made(client.post(f"{agent}/data", {"key": "temp:1", "value": "soon gone"}))
    mail = {"key": "user:1:mail", "value": "ann@example.com"}
    assert not made(client.post(f"{agent}/data", mail))["allowed"]


def add_approval(client: Api, **said: Any) -> dict[str, Any]:
    """Return an approval that an agent waits for, in a session of its own."""
    session = start(client)
    asked = {"tool": "issue_refund", "arguments": {"amount": 2490}, **said}
    return made(client.post(f"/v1/sessions/{session}/approvals", asked))


def add_voted_approval(project: Project, client: Api) -> str:
    """Return an approval that one person of two has voted on."""
    approval = add_approval(client, votes=2)
    person = actor_of(add_member(project, "approver"))
    said = approvals.Said(verdict=Verdict.APPROVE)
    act = act_in(project, person)
    approvals.vote(act=act, approval_id=approval["id"], said=said)
    return str(approval["id"])


def add_approvals(client: Api) -> None:
    for tool in 3 * ("issue_refund", "wire"):
        add_approval(client, tool=tool)


def add_schemas(admin: Api) -> dict[str, str]:
    """Declare three schemas and one way between two; return what nobody has used."""
    agent = "/v1/agents/travel"
    for version in ("2", "3", "4"):
        body = {"version": version, "schema": {"type": "object"}}
        schema = made(admin.post(f"{agent}/schemas", body))
    steps = [{"op": "remove", "at": "/nothing"}]
    way = {"from": "2", "to": "3", "steps": steps}
    migration = made(admin.post(f"{agent}/migrations", way))
    return {"schema_id": schema["id"], "migration_id": migration["id"]}


def add_checkpoints(client: Api) -> tuple[str, str]:
    """Make two checkpoints of the agent, a write between them; return their ids."""
    agent = "/v1/agents/travel"
    first = made(client.post(f"{agent}/checkpoints", {"label": "before call"}))
    made(client.post(f"{agent}/data", {"key": "user:1:pref", "value": "light mode"}))
    second = made(client.post(f"{agent}/checkpoints", {"label": "after call"}))
    return first["id"], second["id"]


def add_member(project: Project, username: str, role: Role = Role.ADMIN) -> User:
    """Return a new member of a project."""
    user = accounts.create_user(username=username, act=act_by())
    accounts.add_member(project=project, user=user, role=role, act=act_by())
    return user


def add_rule(project: Project) -> str:
    """Return an alert rule of one agent."""
    told = {"name": "Too many", "threshold": 0.1, "agent": "travel"}
    return metrics.make_rule(fields=told, act=act_in(project)).id


def add_key(project: Project) -> ApiKey:
    """Return a key that nobody uses: revoking it takes nothing from a client."""
    key, _ = accounts.issue_key(
        project=project, name="unused", scope=Scope.WRITE, act=act_by()
    )
    return key


def add_invitation(project: Project) -> str:
    """Return an invitation that nobody has accepted."""
    made, _ = accounts.invite(project=project, role=Role.VIEWER, act=act_by())
    return made.id


def add_webhook(project: Project) -> tuple[str, str]:
    """Return a webhook and something that is on its way to it."""
    made, _ = webhooks.create(
        url="https://receiver.example/hook",
        kinds=["version.created"],
        act=act_in(project),
    )
    sent = webhooks.test(webhook_id=made.id, act=act_in(project))
    return made.id, sent.id


def save_views(project: Project) -> SavedView:
    """Save as many views as are counted on a page, and return one of them."""
    for number in range(1, MOST_SAVED):
        save_view(project, f"counted-{number}")
    return save_view(project, "everything")


def add_erasure(project: Project) -> dict[str, str]:
    """Return a preview of an erasure, and an erasure by another, which is over."""
    act = act_in(project)
    seen = erasures.preview(act=act, user_id="nobody-yet")
    begun = erasures.begin(
        act=act,
        preview_id=erasures.preview(act=act, user_id="nobody").id,
        reason="Asked by mail",
    )
    with (
        TemporaryDirectory() as folder,
        override_settings(ERASURES=Path(folder)),
        acting_as(DatabaseRole.RETENTION),
    ):
        assert erasing.sweep(now=act.now) == 1
    return {"erasure_preview_id": seen.id, "erasure_id": begun.id}


def add_export(project: Project) -> str:
    """Return an export whose file is ready."""
    act = act_in(project)
    export = exports.ask(act=act, kind=ExportKind.TRAJECTORIES, asked={})
    with acting_as(DatabaseRole.WORKER):
        making.sweep(now=act.now)
    return export.id


def add_retention(project: Project) -> dict[str, str]:
    """Return a policy, a preview that was counted, a removal and a legal hold."""
    act = act_in(project)
    policy = retention.make_policy(act=act, terms=Terms(empty_days=30))
    preview = retention.ask_preview(act=act, policy_id=policy.id)
    hold = retention.set_legal_hold(
        act=act, kind=HoldKind.USER, value="somebody", reason="Smith v. Jones"
    )
    with acting_as(DatabaseRole.RETENTION):
        Removal.objects.filter(id=preview.id).update(state=State.READY)
        removal = Removal.objects.create(
            id=new_id("rmvl", now=act.now),
            project=project,
            policy=policy,
            is_preview=False,
            policy_digest=policy.digest,
            state=State.DONE,
            asked_by_label="system",
            started_at=act.now,
        )
    return {
        "policy_id": policy.id,
        "preview_id": preview.id,
        "removal_id": removal.id,
        "hold_id": hold.id,
    }


def save_view(project: Project, name: str) -> SavedView:
    """Return a view that an administrator shares with the project."""
    owner = add_member(project, f"owner-of-{name}")
    return accounts.save_view(
        membership=Membership.objects.of_user(owner.id).get(project=project),
        name=name,
        query="status:active",
        sort="",
        is_shared=True,
        act=act_by(),
    )


def client_of(project: Project, scope: Scope, agents: list[str] | None = None) -> Api:
    """Return a client with a new key."""
    _, secret = accounts.issue_key(
        project=project,
        name="test",
        scope=scope,
        agents=agents,
        act=act_by(),
    )
    return Api(secret)


def make_world() -> World:
    """Make agents, a session with a history, labels, turns, a rollback and a fork."""
    project, other_project = make_project("checkout"), make_project("returns")
    project, other_project = (
        accounts.set_search_by_meaning(act=act_by(), project=one, is_on=True)
        for one in (project, other_project)
    )
    client = client_of(project, Scope.WRITE)
    told = {
        "external_id": "billing",
        "name": "Billing",
        "tags": ["money"],
        "metadata": {"k": [1, None]},
    }
    made(client.post("/v1/agents", told))
    session_id = start(client, external_id="order-1")
    session = f"/v1/sessions/{session_id}"
    made(client.post(f"{session}/versions/1/labels", {"label": "known-good"}))
    made(client.post(f"{session}/notes", {"text": "Look at v1.", "version": 1}))
    made(client.put(f"{session}/review", {"outcome": "failed", "why": "No refund."}))
    made(client.put(f"{session}/score", {"name": "success", "value": 0}))
    write = {"index": 0, "channel": "city", "type": "json", "base64": "IkJvbm4i"}
    task = {"checkpoint_id": "step-1", "task_id": "move", "writes": [write]}
    made(client.post(f"{session}/writes", task))
    hidden = {"first_version": 0, "last_version": 0}
    made(client.post(f"{session}/hidden", hidden))
    turn = made(client.post(f"{session}/turns", TURN))
    agents = made(client.get("/v1/agents"))["data"]
    made(client.post(f"{session}/turns", {"input": "a", "output": "b"}))
    told = {"first_turn": 1, "last_turn": 2, "text": "Moved to Bonn."}
    summary = made(client.post(f"{session}/summaries", told))
    effect = made(client.post(f"{session}/effects", MAIL))
    forget_results(client, session)
    back = {"version": 1, "reason": "wrong city", "reason_code": "tool"}
    made(client.post(f"{session}/rollback", back))
    owed = {"status": "failed", "reason": "It was read."}
    made(client.post(f"{session}/effects/{effect['id']}/compensation", owed))
    begun = {"version": 1, "external_id": "order-1b"}
    fork_id = made(client.post(f"{session}/fork", begun))["id"]
    made(client.patch(f"/v1/sessions/{fork_id}/state", {"state": {"city": "Oslo"}}))
    twin_id = made(client.post(f"{session}/fork", {"version": 1}))["id"]
    forked = {"name": "Cheaper", "sessions": [fork_id, twin_id]}
    experiment = made(client.post("/v1/experiments", forked))
    handoff = made(client.post(f"{session}/handoffs", {"version": 1}))
    traces = made(client.get("/v1/traces", {"session_id": session_id}))
    add_data(client)
    said = {"content": "Prefers aisle seats on planes", "session_id": session_id}
    made(client.post("/v1/memories", said))
    seat = {"content": "Offer aisle seats", "session_id": session_id, "scope": "agent"}
    memory_id = made(client.post("/v1/memories", seat))["id"]
    made(client.post(f"{session}/context", {"query": "aisle seats"}))
    checkpoint_id, other_id = add_checkpoints(client)
    webhook_id, delivery_id = add_webhook(project)
    admin = client_of(project, Scope.ADMIN)
    exception = {"rule": "policy:block_pii", "prefix": "import:", "reason": "Ours."}
    excepted = made(admin.post("/v1/agents/travel/exceptions", exception))
    ruled = made(admin.post("/v1/agents/travel/approval-rules", {"tool": "wire"}))
    declared = add_schemas(admin)
    allowed = {"agent_id": "travel", "measure": "turns", "limit": 100_000}
    budget = made(admin.post("/v1/budgets", allowed))
    guard = made(admin.post("/v1/guards", GUARD))["id"]
    trial = made(admin.post(f"/v1/guards/{guard}/try"))["id"]
    made(client.put(f"{session}/heartbeat", {"every": 3600}))
    made(admin.put("/v1/agents/travel/heartbeat", {"every": 3600}))
    plan = made(client.post("/v1/plans", {"kind": "hold", "sessions": [session_id]}))
    exporting = {"kind": "export", "sessions": [session_id]}
    wrong = {"title": "The trip is lost", "sessions": [session_id]}
    incident = made(client.post("/v1/incidents", wrong))
    survey = made(client.post("/v1/surveys", {"check": "state.n<=4"}))
    parameters = {
        "plan_id": plan["id"],
        "survey_id": survey["id"],
        "incident_id": incident["id"],
        "export_id": made(client.post("/v1/plans", exporting))["id"],
        "webhook_id": webhook_id,
        "rule_id": add_rule(project),
        "delivery_id": delivery_id,
        "session_id": session_id,
        "fork_id": fork_id,
        "twin_id": twin_id,
        "experiment_id": experiment["id"],
        "head": made(client.get(f"{session}/state"))["version"],
        "number": "1",
        "path": "out/report.txt",
        "sha256": sha256(REPORT).hexdigest(),
        "label": "known-good",
        "turn_id": turn["id"],
        "summary_id": summary["id"],
        "effect_id": effect["id"],
        "task": "book",
        "trace_id": traces["data"][0]["id"],
        "reference": "billing",
        "agent": "travel",
        "audit_id": made(client.get("/v1/agents/travel/audit"))["last_id"],
        "key": "user:1:pref",
        "prefix": "note:",
        "version": "v1",
        "checkpoint_id": checkpoint_id,
        "other_id": other_id,
        "exception_id": excepted["id"],
        "memory_id": memory_id,
        "approval_id": add_voted_approval(project, client),
        "approval_rule_id": ruled["id"],
        **declared,
        "budget_id": budget["id"],
        "guard_id": guard,
        "trial_id": trial,
        "name": add_shared(client),
        "blocked": str(AuditRecord.objects.filter(result="blocked")[0].number),
        "handoff": handoff,
        "slug": project.slug,
        "kind": "flagged",
        "view_id": save_views(project).id,
        "agent_id": next(one["id"] for one in agents if one["name"] == "travel"),
        "user_id": add_member(project, "vera", Role.VIEWER).id,
        "key_id": add_key(project).id,
        "invitation_id": add_invitation(project),
        "root_number": ROOT_NUMBER,
        **add_erasure(project),
        "history_export_id": add_export(project),
        **add_retention(project),
    }
    return World(project, other_project, client, admin, parameters)


def add_shared(client: Api) -> str:
    """Write a shared document twice; return its name."""
    for goal in ("Rome", None):
        made(client.put("/v1/shared/public/plan", {"state": {"goal": goal}}))
    return "public/plan"


def start(client: Api, **about: Any) -> str:
    """Begin a session with three versions; return its id."""
    begun = {
        "agent_id": "travel",
        "user_id": "u1",
        "initial_state": {"city": "Rome", "n": 1, "gone": True, "list": [1, 2]},
        "metadata": {"order": "A-1"},
        "ttl_seconds": 3600,
        "messages": [{"role": "user", "content": "Hi"}],
        "tool_results": {"call_1": {"ok": True}},
        "model_params": {"temperature": 0.2},
        "tasks": [{"id": "book", "title": "Book it"}, {"id": "tell"}],
        "facts": [PRICE],
        **about,
    }
    session_id: str = made(client.post("/v1/sessions", begun))["id"]
    digest = sha256(REPORT).hexdigest()
    made(client.put(f"/v1/blobs/{digest}", REPORT))
    chunks = [{"sha256": digest, "size": len(REPORT)}]
    files = [{"path": "out/report.txt", "chunks": chunks}]
    state = f"/v1/sessions/{session_id}/state"
    step = {
        "reasoning": "She moved.",
        "step_number": 1,
        "parent_id": "s0",
        "objective_status": "In Progress",
        "schema_version": "2",
        "release": "r1",
        "model": "m",
        "external_id": "step-1",
    }
    patch = {"state": {"city": None, "n": "1"}, "remove": ["/gone"], **step}
    patch["artifacts"] = files
    made(client.patch(state, patch))
    made(client.put(state, {"state": {"city": "Bonn", "n": 2}}))
    return session_id


def made(answer: Answer) -> Any:
    """Return the body of an answer that must have succeeded."""
    assert answer.status in (200, 201, 202), answer.content
    return answer.body
