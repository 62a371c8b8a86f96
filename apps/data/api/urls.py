"""Routes of an agent's data, without trailing slashes.

The agent is one segment: our id, or a name without a slash. They stand before the
agents' own routes, in which a name may contain slashes; keys may as well, so what is no
key stands before them.
"""

from django.urls import path

from apps.core.http.addresses import named
from apps.data.api import audit, config, data
from apps.data.api.checkpoints import views as checkpoints
from apps.data.api.governing import exceptions

DATA = "agents/<str:agent>/data"
CONFIG = "agents/<str:agent>/config"
CHECKPOINTS = "agents/<str:agent>/checkpoints"
CHECKPOINT = f"{CHECKPOINTS}/<str:checkpoint_id>"
EXCEPTIONS = "agents/<str:agent>/exceptions"
AUDIT = "agents/<str:agent>/audit"

urlpatterns = [
    path(DATA, data.DataCollection.as_view()),
    path(f"{DATA}/batch", data.DataBatch.as_view()),
    path(f"{DATA}/search", data.DataSearch.as_view()),
    path(f"{DATA}/prefix/{named('prefix')}", data.DataPrefix.as_view()),
    path(f"{DATA}/{named('key')}/full", data.DataFull.as_view()),
    path(f"{DATA}/{named('key')}/versions", data.DataVersions.as_view()),
    path(f"{DATA}/{named('key')}", data.DataDetail.as_view()),
    path(CONFIG, config.ConfigDetail.as_view()),
    path(f"{CONFIG}/versions", config.ConfigVersions.as_view()),
    path(f"{CONFIG}/versions/<str:version>", config.ConfigVersionDetail.as_view()),
    path(f"{CONFIG}/rollback", config.ConfigRollback.as_view()),
    path(CHECKPOINTS, checkpoints.CheckpointCollection.as_view()),
    path(f"{CHECKPOINTS}/schedule", checkpoints.CheckpointSchedule.as_view()),
    path(CHECKPOINT, checkpoints.CheckpointDetail.as_view()),
    path(f"{CHECKPOINT}/restore", checkpoints.CheckpointRestore.as_view()),
    path(
        f"{CHECKPOINT}/compare/<str:other_id>",
        checkpoints.CheckpointComparison.as_view(),
    ),
    path(EXCEPTIONS, exceptions.ExceptionCollection.as_view()),
    path(f"{EXCEPTIONS}/<str:exception_id>", exceptions.ExceptionDetail.as_view()),
    path(AUDIT, audit.AuditCollection.as_view()),
    path(f"{AUDIT}/verify", audit.AuditVerification.as_view()),
    path(f"{AUDIT}/export", audit.AuditExport.as_view()),
    path(f"{AUDIT}/<str:audit_id>", audit.AuditDetail.as_view()),
]
