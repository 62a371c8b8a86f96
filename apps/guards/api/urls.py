"""Routes of budgets and price lists, without trailing slashes."""

from django.urls import path

from apps.guards.api import prices, views

urlpatterns = [
    path("budgets", views.BudgetCollection.as_view()),
    path("budgets/<str:budget_id>", views.BudgetDetail.as_view()),
    path("prices", prices.PriceListCollection.as_view()),
]
