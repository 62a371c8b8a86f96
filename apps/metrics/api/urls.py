"""`/v1/metrics` and the contract's `/v1/dashboard`."""

from django.urls import path

from apps.metrics.api import dashboard, rules, usage, views

urlpatterns = [
    path("metrics/summary", views.SummaryView.as_view()),
    path("metrics/series", views.SeriesView.as_view()),
    path("metrics/agents", views.AgentsView.as_view()),
    path("metrics/breakdown", views.BreakdownView.as_view()),
    path("metrics/tools", views.ToolsView.as_view()),
    path("metrics/usage", usage.UsageView.as_view()),
    path("alerts", rules.RuleCollection.as_view()),
    path("alerts/<str:rule_id>", rules.RuleDetail.as_view()),
    path("alerts/<str:rule_id>/acknowledge", rules.RuleAcknowledge.as_view()),
    path("alerts/<str:rule_id>/test", rules.RuleTest.as_view()),
    path("dashboard/stats", dashboard.StatsView.as_view()),
]
