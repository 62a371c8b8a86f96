"""The sidebar: the pages of a project in groups, and what waits for a person there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.urls import reverse

from apps.accounts.models import Membership, Project, Role
from apps.approvals.queries import MOST_COUNTED as MOST_APPROVALS
from apps.approvals.queries import count_pending
from apps.console.pages.project.attention import NEEDED
from apps.incidents.models import Incident
from apps.metrics.alerting.states import count_firing
from apps.timeline.queries import MOST_COUNTED, open_counts


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One page: `at` are the names of the URLs at which it is the current one."""

    title: str
    icon: str
    view: str
    # What leads there after "g".
    key: str
    at: Sequence[str] = ()
    is_for_admins: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """An entry as it is shown; `count` in words, empty where nothing waits."""

    title: str
    icon: str
    key: str
    url: str
    is_current: bool
    count: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Some of the items under a title; the first group has none."""

    title: str
    items: Sequence[Item]


HOME = Entry(
    title="Home", icon="home", view="project", key="h", at=("project", "open_items")
)
SESSIONS = Entry(
    title="Sessions",
    icon="sessions",
    view="sessions",
    key="s",
    at=(
        "sessions",
        "session_detail",
        "version_detail",
        "conversation",
        "lineage",
        "rollback",
        "fork",
        "close",
        "jump",
        "blame",
        "bisect",
        "value",
        "meaning",
        "plans",
        "plan",
    ),
)
APPROVALS = Entry(
    title="Approvals",
    icon="approvals",
    view="approvals",
    key="p",
    at=("approvals", "approval"),
)
INCIDENTS = Entry(
    title="Incidents",
    icon="warning",
    view="incidents",
    key="i",
    at=("incidents", "incident", "open_incident", "incident_report"),
)
ALERTS = Entry(
    title="Alerts",
    icon="alerts",
    view="alerts",
    key="l",
    at=("alerts", "alert", "new_alert"),
)
METRICS = Entry(
    title="Metrics",
    icon="metrics",
    view="metrics",
    key="m",
    at=("metrics", "metrics_rollbacks", "surveys", "ask_survey", "survey"),
)
GROUPS: Sequence[tuple[str, Sequence[Entry]]] = [
    ("", [HOME]),
    (
        "Investigate",
        [
            SESSIONS,
            Entry(
                title="Compare",
                icon="compare",
                view="compare",
                key="c",
                at=("compare", "experiments", "experiment", "make_experiment"),
            ),
            Entry(
                title="Memories",
                icon="note",
                view="memories",
                key="y",
                at=("memories", "memory", "memories_back"),
            ),
        ],
    ),
    ("Act", [APPROVALS, INCIDENTS]),
    ("Watch", [METRICS, ALERTS]),
    (
        "Manage",
        [
            Entry(
                title="Agents",
                icon="agents",
                view="agent_list",
                key="a",
                at=(
                    "agent_list",
                    "agent_detail",
                    "agent_mapping",
                    "approval_rules",
                    "agent_advice",
                    "agent_schemas",
                    "agent_migrations",
                    "budgets",
                    "shared",
                    "shared_document",
                    "agent_guards",
                    "agent_guard",
                    "agent_data",
                    "agent_key",
                    "agent_config",
                    "config_version",
                    "agent_checkpoints",
                    "agent_checkpoint",
                    "compare_checkpoints",
                    "agent_audit",
                    "allow_blocked",
                    "project_policies",
                    "agent_verify",
                    "agent_blocked",
                ),
            ),
            Entry(
                title="Audit",
                icon="audit",
                view="audit_log",
                key="u",
                at=("audit_log", "audit_verify"),
            ),
            Entry(
                title="API keys",
                icon="keys",
                view="keys",
                key="k",
                at=("keys", "issue_key"),
                is_for_admins=True,
            ),
            Entry(
                title="Webhooks",
                icon="webhooks",
                view="webhooks",
                key="w",
                at=("webhooks", "webhook"),
                is_for_admins=True,
            ),
            Entry(
                title="Keeping",
                icon="clock",
                view="keeping",
                key="r",
                at=(
                    "keeping",
                    "erasures",
                    "erasure_preview",
                    "erasure",
                    "exports",
                    "ask_export",
                ),
            ),
            Entry(
                title="Members",
                icon="members",
                view="members",
                key="e",
                at=("members", "masks"),
            ),
        ],
    ),
]
# What fits below a narrow page; the rest is one step away, behind "More".
BELOW = [HOME, SESSIONS, METRICS, ALERTS]


def groups(membership: Membership, at: str, *, now: datetime) -> tuple[Group, ...]:
    """Return the groups of the sidebar for a member who looks at the page `at`.

    What is made of equal groups is equal, and may be kept: see `drawn_once`.
    """
    counts = waiting_counts(membership.project, now=now)
    return tuple(
        Group(
            title=title,
            items=tuple(
                _item(entry, membership, at, counts)
                for entry in entries
                if not entry.is_for_admins or membership.role == Role.ADMIN
            ),
        )
        for title, entries in GROUPS
    )


def below(groups: Sequence[Group]) -> list[Item]:
    """Return the items of the bar below a narrow page."""
    titles = [entry.title for entry in BELOW]
    found = {item.title: item for group in groups for item in group.items}
    return [found[title] for title in titles]


def waiting_counts(project: Project, *, now: datetime) -> dict[str, str]:
    """Return how much waits for a person, by the page that shows it, in words."""
    counts = open_counts(project.id, now=now, kinds=NEEDED)
    n_firing = count_firing(project.id)
    waiting = sum(counts.values()) + n_firing
    is_capped = any(count > MOST_COUNTED for count in counts.values())
    return {
        HOME.title: f"{MOST_COUNTED:,}+" if is_capped else _written(waiting),
        ALERTS.title: _written(n_firing),
        APPROVALS.title: _many(count_pending(project.id, now=now)),
        INCIDENTS.title: _many(
            Incident.objects.count_open(project.id, most=MOST_APPROVALS)
        ),
    }


def _item(
    entry: Entry, membership: Membership, at: str, counts: dict[str, str]
) -> Item:
    return Item(
        title=entry.title,
        icon=entry.icon,
        key=entry.key,
        url=_address(entry.view, membership.project.slug),
        is_current=at in entry.at,
        count=counts.get(entry.title, ""),
    )


@lru_cache(maxsize=2_048)
def _address(view: str, slug: str) -> str:
    return reverse(f"console:{view}", args=[slug])


def _many(count: int) -> str:
    return f"{MOST_APPROVALS}+" if count > MOST_APPROVALS else _written(count)


def _written(count: int) -> str:
    return f"{count:,}" if count else ""
