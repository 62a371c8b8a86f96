"""`/v1/experiments`."""

from django.urls import path

from apps.experiments.api import views

urlpatterns = [
    path("experiments", views.ExperimentCollection.as_view()),
    path("experiments/<str:experiment_id>", views.ExperimentDetail.as_view()),
    path("experiments/<str:experiment_id>/close", views.ExperimentClose.as_view()),
]
