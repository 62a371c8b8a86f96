"""Routes of approvals, without trailing slashes."""

from django.urls import path

from apps.approvals.api import rules, views

RULES = "agents/<str:agent>/approval-rules"

urlpatterns = [
    path("sessions/<str:session_id>/approvals", views.SessionApprovals.as_view()),
    path("approvals", views.ApprovalCollection.as_view()),
    path("approvals/<str:approval_id>", views.ApprovalDetail.as_view()),
    path("approvals/<str:approval_id>/votes", views.ApprovalVotes.as_view()),
    path(RULES, rules.RuleCollection.as_view()),
    path(f"{RULES}/<str:approval_rule_id>", rules.RuleDetail.as_view()),
]
