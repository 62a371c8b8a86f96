"""Routes of budgets, price lists and guards, without trailing slashes."""

from django.urls import path

from apps.guards.api import guards, prices, verdicts, views

urlpatterns = [
    path("budgets", views.BudgetCollection.as_view()),
    path("budgets/<str:budget_id>", views.BudgetDetail.as_view()),
    path("prices", prices.PriceListCollection.as_view()),
    path("guards", guards.GuardCollection.as_view()),
    path("guards/<str:guard_id>", guards.GuardDetail.as_view()),
    path("guards/<str:guard_id>/try", guards.TrialCollection.as_view()),
    path("guards/<str:guard_id>/try/<str:trial_id>", guards.TrialDetail.as_view()),
    path("guards/<str:guard_id>/verdicts", verdicts.GuardVerdictCollection.as_view()),
    path("sessions/<str:session_id>/verdicts", verdicts.VerdictCollection.as_view()),
]
