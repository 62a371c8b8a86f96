"""The `/v1` API: every app's routes under one prefix."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("apps.timeline.api.urls")),
    path("", include("apps.agents.api.urls")),
    path("", include("apps.metrics.api.urls")),
    path("", include("apps.webhooks.api.urls")),
    path("", include("apps.plans.api.urls")),
]
