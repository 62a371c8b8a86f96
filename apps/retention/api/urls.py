"""`/v1/retention`."""

from django.urls import path

from apps.retention.api import legal_holds, policies

ONE = "retention/policies/<str:policy_id>"
HOLDS = "retention/legal-holds"

urlpatterns = [
    path("retention/policies", policies.PolicyCollection.as_view()),
    path(ONE, policies.PolicyDetail.as_view()),
    path(f"{ONE}/enable", policies.PolicyEnabling.as_view()),
    path(f"{ONE}/disable", policies.PolicyDisabling.as_view()),
    path("retention/previews", policies.PreviewCollection.as_view()),
    path("retention/previews/<str:preview_id>", policies.PreviewDetail.as_view()),
    path("retention/removals", policies.RemovalCollection.as_view()),
    path("retention/removals/<str:removal_id>", policies.RemovalDetail.as_view()),
    path(HOLDS, legal_holds.HoldCollection.as_view()),
    path(f"{HOLDS}/<str:hold_id>/end", legal_holds.HoldEnding.as_view()),
]
