"""Pages of a session and of its versions."""

from django.urls import path

from apps.console.urls.addresses import SESSION, VERSION
from apps.console.views.effects import session_effects as effects
from apps.console.views.guards import session_budgets
from apps.console.views.project import watching
from apps.console.views.session import (
    conversation,
    detail,
    forks,
    holds,
    lineage,
    live,
    memories,
    reviews,
    rollbacks,
    version,
)
from apps.console.views.session.investigating import bisecting, merging
from apps.core.http.addresses import FILE

urlpatterns = [
    path(SESSION, detail.session_detail, name="session_detail"),
    path(f"{SESSION}/jump", detail.jump, name="jump"),
    path(f"{SESSION}/live", live.live, name="live"),
    path(f"{SESSION}/conversation", conversation.conversation, name="conversation"),
    path(f"{SESSION}/budgets", session_budgets.session_budgets, name="session_budgets"),
    path(
        f"{SESSION}/budgets/<str:budget_id>/limit",
        session_budgets.change_session_budget,
        name="change_session_budget",
    ),
    path(
        f"{SESSION}/budgets/<str:budget_id>/delete",
        session_budgets.delete_session_budget,
        name="delete_session_budget",
    ),
    path(f"{SESSION}/effects", effects.session_effects, name="session_effects"),
    path(
        f"{SESSION}/effects/<str:effect_id>/settle",
        effects.settle_effect,
        name="settle_effect",
    ),
    path(
        f"{SESSION}/effects/<str:effect_id>/compensation",
        effects.change_compensation,
        name="change_compensation",
    ),
    path(f"{SESSION}/memories", memories.session_memories, name="session_memories"),
    path(f"{SESSION}/proof", version.session_proof, name="session_proof"),
    path(f"{SESSION}/lineage", lineage.lineage, name="lineage"),
    path(f"{SESSION}/pause", holds.pause, name="pause"),
    path(f"{SESSION}/resume", holds.resume, name="resume"),
    path(f"{SESSION}/close", holds.close, name="close"),
    path(f"{SESSION}/bisect", bisecting.bisect, name="bisect"),
    path(f"{SESSION}/merge", merging.merge, name="merge"),
    path(f"{SESSION}/notes", holds.note, name="note"),
    path(f"{SESSION}/watch", watching.watch_session, name="watch_session"),
    path(f"{SESSION}/unwatch", watching.unwatch_session, name="unwatch_session"),
    path(f"{SESSION}/review", reviews.review, name="review"),
    path(VERSION, detail.version_detail, name="version_detail"),
    path(f"{VERSION}/state.json", version.version_state, name="version_state"),
    path(f"{VERSION}/{FILE}", version.version_file, name="version_file"),
    path(f"{VERSION}/value", version.value, name="value"),
    path(f"{VERSION}/blame", version.blamed, name="blame"),
    path(f"{VERSION}/rollback", rollbacks.rollback, name="rollback"),
    path(f"{VERSION}/undo", rollbacks.undo, name="undo"),
    path(f"{VERSION}/fork", forks.fork, name="fork"),
    path(f"{VERSION}/labels", holds.label, name="label"),
    path(f"{VERSION}/labels/remove", holds.unlabel, name="unlabel"),
]
