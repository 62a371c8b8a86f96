"""The `/v1` API: every app's routes under one prefix."""

from django.urls import URLPattern, URLResolver, include, path

from apps.accounts.api import schema as schema  # how keys stand in the document

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("apps.timeline.api.urls")),
    path("", include("apps.timeline.api.shared.urls")),
    path("", include("apps.blobs.api.urls")),
    path("", include("apps.meaning.api.urls")),
    # Before the agents, in whose names there may be slashes, as in keys.
    path("", include("apps.data.api.urls")),
    path("", include("apps.data.api.governing.urls")),
    path("", include("apps.memory.api.urls")),
    path("", include("apps.approvals.api.urls")),
    path("", include("apps.schemas.api.urls")),
    path("", include("apps.guards.api.urls")),
    path("", include("apps.heartbeats.api.urls")),
    path("", include("apps.agents.api.urls")),
    path("", include("apps.agents.api.anchor_urls")),
    path("", include("apps.metrics.api.urls")),
    path("", include("apps.webhooks.api.urls")),
    path("", include("apps.plans.api.urls")),
    path("", include("apps.incidents.api.urls")),
    path("", include("apps.surveys.api.urls")),
    path("", include("apps.experiments.api.urls")),
    path("", include("apps.retention.api.urls")),
    path("", include("apps.exports.api.urls")),
    path("", include("apps.erasures.api.urls")),
    path("", include("apps.witness.api.urls")),
]
