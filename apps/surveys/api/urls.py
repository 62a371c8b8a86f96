"""`/v1/surveys`."""

from django.urls import path

from apps.surveys.api import views

urlpatterns = [
    path("surveys", views.SurveyCollection.as_view()),
    path("surveys/<str:survey_id>", views.SurveyDetail.as_view()),
]
