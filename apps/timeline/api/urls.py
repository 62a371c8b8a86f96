"""Routes of the timeline under `/v1/`; none ends in a slash."""

from django.urls import path

from apps.core.http.addresses import FILE, named
from apps.timeline.api import (
    batches,
    blame,
    checkpoints,
    comparisons,
    handoffs,
    holds,
    notes,
    previews,
    search,
    sessions,
    states,
    traces,
    turns,
    verify,
    versions,
)
from apps.timeline.api.advising.views import AdviceView
from apps.timeline.api.bundles.views import BundleView
from apps.timeline.api.checking.bisect import BisectView
from apps.timeline.api.effects import compensations, results
from apps.timeline.api.effects import views as effects
from apps.timeline.api.files import views as files
from apps.timeline.api.masks.views import MasksView
from apps.timeline.api.merging import views as merging
from apps.timeline.api.migrating import views as migrating
from apps.timeline.api.summaries import context_view
from apps.timeline.api.summaries import views as summaries
from apps.timeline.api.working import views as working

SESSION = "sessions/<str:session_id>"
VERSION = f"{SESSION}/versions/<str:number>"

urlpatterns = [
    path("sessions", sessions.SessionsView.as_view(), name="sessions"),
    path(SESSION, sessions.SessionView.as_view(), name="session"),
    path(f"{SESSION}/fork", sessions.ForkView.as_view(), name="fork"),
    path(f"{SESSION}/state", states.StateView.as_view(), name="state"),
    path(
        f"{SESSION}/state/migrate",
        migrating.MigrateView.as_view(),
        name="migrate_state",
    ),
    path(
        f"{SESSION}/state/history",
        versions.StateHistoryView.as_view(),
        name="state_history",
    ),
    path(
        f"{SESSION}/state/rollback",
        states.StateRollbackView.as_view(),
        name="state_rollback",
    ),
    path(f"{SESSION}/rollback", states.RollbackView.as_view(), name="rollback"),
    path(f"{SESSION}/undo", states.UndoView.as_view(), name="undo"),
    path(
        f"{SESSION}/rollback/preview",
        previews.RollbackPreviewView.as_view(),
        name="rollback_preview",
    ),
    path(f"{SESSION}/promote", merging.PromoteView.as_view(), name="promote"),
    path(
        f"{SESSION}/promote/preview",
        merging.PromotePreviewView.as_view(),
        name="promote_preview",
    ),
    path(f"{SESSION}/revert", merging.RevertView.as_view(), name="revert"),
    path(
        f"{SESSION}/revert/preview",
        merging.RevertPreviewView.as_view(),
        name="revert_preview",
    ),
    path(f"{SESSION}/reapply", merging.ReapplyView.as_view(), name="reapply"),
    path(
        f"{SESSION}/reapply/preview",
        merging.ReapplyPreviewView.as_view(),
        name="reapply_preview",
    ),
    path(f"{SESSION}/restore", merging.RestoreView.as_view(), name="restore"),
    path(
        f"{SESSION}/restore/preview",
        merging.RestorePreviewView.as_view(),
        name="restore_preview",
    ),
    path(f"{SESSION}/pause", holds.PauseView.as_view(), name="pause"),
    path(f"{SESSION}/resume", holds.ResumeView.as_view(), name="resume"),
    path(f"{SESSION}/close", holds.CloseView.as_view(), name="close"),
    path(f"{SESSION}/versions", batches.BatchesView.as_view(), name="versions"),
    path(VERSION, versions.VersionView.as_view(), name="version"),
    path(f"{VERSION}/labels", versions.LabelsView.as_view(), name="labels"),
    # A label may hold a slash, which arrives as one however it was escaped.
    path(
        f"{VERSION}/labels/{named('label')}", versions.LabelView.as_view(), name="label"
    ),
    path(f"{VERSION}/files", files.FilesView.as_view(), name="files"),
    path(f"{VERSION}/{FILE}", files.FileView.as_view(), name="file"),
    path(f"{SESSION}/checkpoint", versions.CheckpointView.as_view(), name="checkpoint"),
    path(
        f"{SESSION}/tasks/{named('task')}",
        working.TaskView.as_view(),
        name="update_task",
    ),
    path(
        f"{SESSION}/facts/check", working.FactsCheckView.as_view(), name="check_facts"
    ),
    path(
        f"{SESSION}/checkpoints",
        checkpoints.CheckpointsView.as_view(),
        name="checkpoints",
    ),
    path(f"{SESSION}/writes", checkpoints.WritesView.as_view(), name="writes"),
    path(f"{SESSION}/handoffs", handoffs.HandoffsView.as_view(), name="handoffs"),
    path("handoffs/adopt", handoffs.AdoptionsView.as_view(), name="adoptions"),
    path(f"{SESSION}/hidden", checkpoints.HiddenView.as_view(), name="hidden"),
    path(f"{SESSION}/changes", comparisons.ChangesView.as_view(), name="changes"),
    path(
        f"{SESSION}/divergence",
        comparisons.DivergenceView.as_view(),
        name="divergence",
    ),
    path(f"{SESSION}/check", comparisons.CheckView.as_view(), name="check"),
    path(f"{SESSION}/bisect", BisectView.as_view(), name="bisect"),
    path(f"{SESSION}/bundle", BundleView.as_view(), name="bundle"),
    path(f"{SESSION}/blame", blame.BlameView.as_view(), name="blame"),
    path(f"{SESSION}/verify", verify.VerifyView.as_view(), name="verify"),
    path(f"{SESSION}/notes", notes.NotesView.as_view(), name="notes"),
    path(f"{SESSION}/review", notes.ReviewView.as_view(), name="review"),
    path(f"{SESSION}/score", notes.ScoreView.as_view(), name="score"),
    path(f"{SESSION}/summaries", summaries.SummariesView.as_view(), name="summaries"),
    path(
        f"{SESSION}/summaries/<str:summary_id>",
        summaries.SummaryView.as_view(),
        name="summary",
    ),
    path(f"{SESSION}/results", results.SessionResultsView.as_view(), name="results"),
    path(
        f"{SESSION}/results/forget",
        results.ForgetSessionView.as_view(),
        name="forget_results",
    ),
    path("agents/<str:agent>/advice", AdviceView.as_view()),
    path("agents/<str:agent>/results", results.AgentResultsView.as_view()),
    path("agents/<str:agent>/results/forget", results.ForgetAgentView.as_view()),
    path(f"{SESSION}/effects", effects.EffectsView.as_view(), name="effects"),
    path(
        f"{SESSION}/effects/<str:effect_id>",
        effects.EffectView.as_view(),
        name="effect",
    ),
    path(
        f"{SESSION}/effects/<str:effect_id>/finish",
        effects.FinishView.as_view(),
        name="finish_effect",
    ),
    path(
        f"{SESSION}/effects/<str:effect_id>/compensation",
        compensations.CompensationView.as_view(),
        name="compensation",
    ),
    path(
        f"{SESSION}/compensations",
        compensations.CompensationsView.as_view(),
        name="compensations",
    ),
    path(f"{SESSION}/turns", turns.TurnsView.as_view(), name="turns"),
    path(f"{SESSION}/turns/<str:turn_id>", turns.TurnView.as_view(), name="turn"),
    path(f"{SESSION}/context", context_view.ContextView.as_view(), name="context"),
    path(f"{SESSION}/history", turns.HistoryView.as_view(), name="history"),
    path("masks", MasksView.as_view(), name="masks"),
    path("search", search.SearchView.as_view(), name="search"),
    path("traces", traces.TracesView.as_view(), name="traces"),
    path(
        "traces/sessions/<str:session_id>/traces",
        traces.SessionTracesView.as_view(),
        name="session_traces",
    ),
    path("traces/<str:trace_id>", traces.TraceView.as_view(), name="trace"),
]
