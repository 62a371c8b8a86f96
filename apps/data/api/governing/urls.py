"""Routes of a project's policies and figures, without trailing slashes: our own."""

from django.urls import path

from apps.data.api.governing import figures, floors

urlpatterns = [
    path("project/policies", floors.ProjectPolicies.as_view()),
    path("metrics/data", figures.DataMetrics.as_view()),
]
