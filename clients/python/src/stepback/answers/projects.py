"""What there is beside sessions: agents, traces, figures, alert rules, webhooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class Agent(Answer):
    """An agent as the server knows it."""

    id: str
    external_id: str
    name: str
    status: str
    created_at: str
    updated_at: str
    metadata: Mapping[str, Json]
    description: str = ""
    owner: str = ""
    team: str = ""
    tags: Sequence[str] = ()
    config_version: str | None = None
    data_count: int = 0
    checkpoint_count: int = 0
    deleted_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Trace(Answer):
    """One act, as it was recorded."""

    id: str
    action: str
    event: str
    resource_type: str
    resource_id: str
    actor: str
    created_at: str
    details: Mapping[str, Json]
    session_id: str | None = None
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class MetricsSummary(Answer):
    """The rollback rate and all other figures of a time, and how they are spread."""

    figures: Mapping[str, Json]
    depth: Json
    seconds_to_rollback: Json


@dataclass(frozen=True, kw_only=True)
class MetricsList(Answer):
    """Figures over time, or of agents or other groups."""

    data: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class Found(Answer):
    """A session, or a version of one, and why a search found it."""

    session_id: str
    session: Mapping[str, Json]
    matches: Sequence[Mapping[str, Json]]
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class NearVersion(Answer):
    """A version whose reasoning and changes are near a question."""

    session_id: str
    version: int
    agent_id: str
    text: str
    similarity: float
    distance: float
    user_id: str | None = None
    external_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class AlertRule(Answer):
    """When somebody is to be told, and where things stand."""

    id: str
    name: str
    metric: str
    window: str
    threshold: float
    minimum_sample: int
    for_minutes: int
    email: str
    is_active: bool
    state: str
    sample: int
    agent_id: str | None = None
    silenced_until: str | None = None
    # Of a server from before there were any, these are what a plain rule has.
    release: str | None = None
    each: str = ""
    parent_id: str | None = None
    quiet_from: str | None = None
    quiet_to: str | None = None
    quiet_zone: str = "UTC"
    owner: str = ""
    acknowledged_at: str | None = None
    since: str | None = None
    value: float | None = None
    evaluated_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListedPlan(Answer):
    """One act on many sessions; `counts` says how many are planned, done and so on."""

    id: str
    kind: str
    status: str
    has_more: bool
    made_by: str
    created_at: str
    counts: Mapping[str, Json]
    label: str | None = None
    outcome: str | None = None
    to_schema: str | None = None
    undo_of: str | None = None
    q: str | None = None
    reason: str | None = None
    confirmed_by: str | None = None
    confirmed_at: str | None = None
    finished_at: str | None = None
    # Of a rollback the rule; `confirm` takes the digest. None of an older server.
    target: Mapping[str, Json] | None = None
    digest: str | None = None
    pace: int | None = None
    incident_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan(ListedPlan):
    """A plan with its sessions: the `state` of each, and `why` it is not done.

    With `has_more_items` these are the first; `plans.items` lists all.
    """

    items: Sequence[Mapping[str, Json]]
    verdicts: Mapping[str, Json] = field(default_factory=dict)
    has_more_items: bool = False


@dataclass(frozen=True, kw_only=True)
class PlanItem(Answer):
    """One session of a plan: the `state` it is in, and `why` it is not done."""

    session_id: str
    state: str
    code: str | None = None
    why: str | None = None
    version: int | None = None
    result_version: int | None = None
    size: int | None = None
    target: int | None = None
    verdict: str | None = None
    about: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Approval(Answer):
    """What people are asked to allow; `outcome` is what came of it, if anything yet.

    Its `approved` says whether to go on, with the `arguments` that it has.
    """

    id: str
    session_id: str
    agent_id: str
    version: int
    tool: str
    arguments: Mapping[str, Json]
    status: str
    escalated: bool
    votes_needed: int
    votes: Sequence[Mapping[str, Json]]
    who: str
    on_expiry: str
    depends_on: Sequence[str]
    requested_by: str
    created_at: str
    expires_at: str
    outcome: Mapping[str, Json] | None
    schema: Mapping[str, Json] | None
    key: str | None = None
    reason: str | None = None
    rule_id: str | None = None
    # The one in place of which it was asked again, and which facts had failed then.
    replaces: str | None = None
    changes: Sequence[Mapping[str, Json]] | None = None

    @property
    def is_pending(self) -> bool:
        return self.status == "pending"


@dataclass(frozen=True, kw_only=True)
class ApprovalRule(Answer):
    """When an agent's requests are held to stricter terms."""

    id: str
    agent_id: str
    votes: int
    who: str
    expires_in: int
    on_expiry: str
    created_at: str
    created_by: str
    tool: str | None = None
    check: str | None = None


@dataclass(frozen=True, kw_only=True)
class Budget(Answer):
    """How much may be used, and how much is; amounts are decimal text."""

    id: str
    scope: str
    agent_id: str
    measure: str
    limit: str
    used: str
    period: str
    since: str
    on_reach: str
    created_by: str
    created_at: str
    session_id: str | None = None
    release: str | None = None
    currency: str | None = None
    warn_percent: int | None = None
    ask_for: str | None = None
    warned_at: str | None = None
    reached_at: str | None = None
    approval_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class PriceList(Answer):
    """What models cost per million tokens, from a moment on."""

    id: str
    valid_from: str
    currency: str
    models: Mapping[str, Mapping[str, str]]
    created_by: str
    created_at: str


@dataclass(frozen=True, kw_only=True)
class Webhook(Answer):
    """Where events are sent, without what signs them."""

    id: str
    url: str
    description: str
    events: Sequence[str]
    status: str
    format: str
    secret_prefix: str
    created_at: str
    created_by: str
    last_delivered_at: str | None = None
    failing_since: str | None = None


@dataclass(frozen=True, kw_only=True)
class WebhookWithSecret(Webhook):
    """A webhook whose secret was just made: None where it was shown before."""

    secret: str | None = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class WebhookDelivery(Answer):
    """One message on its way to a webhook."""

    id: str
    webhook_id: str
    event_id: str
    type: str
    resource_id: str
    status: str
    attempts: int
    created_at: str
    version: int | None = None
    status_code: int | None = None
    error: str | None = None
    duration_ms: int | None = None
    attempted_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentMapping(Answer):
    """What is mapped of an agent's states, and the rules that follow from it."""

    agent_id: str
    external_id: str
    title: str | None
    user: str | None
    waiting: Sequence[str] | None
    waiting_rules: Sequence[str]
    noise: Sequence[str]
    is_rederiving: bool


@dataclass(frozen=True, kw_only=True)
class Project(Answer):
    """A project and its settings."""

    id: str
    slug: str
    name: str
    handling: str
    created_at: str
    search_by_meaning: bool = False
    needs_rollback_reason: bool = False


@dataclass(frozen=True, kw_only=True)
class ProjectPolicies(Answer):
    """Policies that hold for all agents of a project."""

    policies: Mapping[str, Json]


@dataclass(frozen=True, kw_only=True)
class Masks(Answer):
    """What masked keys of a project are not shown."""

    masks: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class Workspace(Answer):
    """A project, as Anchor calls it."""

    id: str
    name: str
    slug: str


@dataclass(frozen=True, kw_only=True)
class Me(Answer):
    """Who asks. There is no user: a key is nobody's account."""

    workspace: Mapping[str, Json]
    # As Anchor's clients spell it.
    apiKey: Mapping[str, Json]
    user: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataMetrics(Answer):
    """How much agents keep, did within the window, and had held back by policies."""

    window: str
    start: str
    end: str
    agents: int
    keys: int
    bytes: int
    blocked: int
    blocked_by_policy: Mapping[str, Json]
    has_more_agents: bool
    has_more_blocked: bool
    # The largest agents, each with its keys, bytes, writes and blocked.
    data: Sequence[Mapping[str, Json]]
    has_more: bool
