"""Pages of a project: its home, its sessions, and what is asked across them."""

from django.urls import path

from apps.console.urls.addresses import PROJECT, SESSIONS
from apps.console.views.approvals import deciding as deciding_approvals
from apps.console.views.approvals import looking as approvals
from apps.console.views.memories import deciding, looking
from apps.console.views.project import (
    audit,
    components,
    floor,
    home,
    metrics,
    open_items,
    saved_views,
    watching,
)
from apps.console.views.project.sessions import exporting, listing
from apps.console.views.session import comparison, meaning
from apps.console.views.shared import documents
from apps.core.http.addresses import named

APPROVAL = f"{PROJECT}/approvals/<str:approval_id>"
MEMORY = f"{PROJECT}/memories/at/<str:memory_id>"

urlpatterns = [
    path("console/", home.home, name="home"),
    path("console", home.entrance, name="entrance"),
    path("console/components", components.components, name="components"),
    path(PROJECT, home.project, name="project"),
    path(f"{PROJECT}/first-session", home.first_session, name="first_session"),
    path(f"{PROJECT}/handover", watching.hand_over, name="hand_over"),
    path(f"{PROJECT}/open/<str:kind>", open_items.open_items, name="open_items"),
    path(SESSIONS, listing.sessions, name="sessions"),
    path(f"{SESSIONS}/narrow", listing.sessions_narrow, name="sessions_narrow"),
    path(f"{SESSIONS}/views", saved_views.session_views, name="session_views"),
    path(f"{SESSIONS}/export", exporting.sessions_export, name="sessions_export"),
    path(f"{PROJECT}/meaning", meaning.meaning, name="meaning"),
    path(f"{PROJECT}/meaning/set", meaning.set_meaning, name="set_meaning"),
    path(f"{PROJECT}/views", saved_views.save_view, name="save_view"),
    path(f"{PROJECT}/views/default", saved_views.open_with, name="open_with"),
    path(
        f"{PROJECT}/views/<str:view_id>/delete",
        saved_views.delete_view,
        name="delete_view",
    ),
    path(f"{PROJECT}/memories", looking.memories, name="memories"),
    path(
        f"{PROJECT}/memories/back",
        deciding.memories_back,
        name="memories_back",
    ),
    path(
        f"{PROJECT}/memories/back/step",
        deciding.step_memories_back,
        name="step_memories_back",
    ),
    path(MEMORY, looking.memory_detail, name="memory"),
    path(f"{MEMORY}/decide", deciding.decide, name="decide_memory"),
    path(f"{PROJECT}/audit", audit.audit_log, name="audit_log"),
    path(f"{PROJECT}/audit/export", audit.audit_export, name="audit_export"),
    path(f"{PROJECT}/audit/verify", audit.audit_verify, name="audit_verify"),
    path(f"{PROJECT}/policies", floor.project_policies, name="project_policies"),
    path(
        f"{PROJECT}/policies/set",
        floor.set_project_policies,
        name="set_project_policies",
    ),
    path(f"{PROJECT}/approvals", approvals.approvals, name="approvals"),
    path(APPROVAL, approvals.approval, name="approval"),
    path(f"{APPROVAL}/vote", deciding_approvals.vote, name="vote_on_approval"),
    path(f"{PROJECT}/shared", documents.shared, name="shared"),
    path(
        f"{PROJECT}/shared/{named('name')}",
        documents.shared_document,
        name="shared_document",
    ),
    path(f"{PROJECT}/metrics", metrics.metrics, name="metrics"),
    path(
        f"{PROJECT}/metrics/export",
        metrics.metrics_export,
        name="metrics_export",
    ),
    path(
        f"{PROJECT}/metrics/rollbacks/export",
        metrics.rollbacks_export,
        name="rollbacks_export",
    ),
    path(
        f"{PROJECT}/metrics/rollbacks",
        metrics.metrics_rollbacks,
        name="metrics_rollbacks",
    ),
    path(f"{PROJECT}/compare", comparison.compare, name="compare"),
]
