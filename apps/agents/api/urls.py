"""Routes of the agents' API, without trailing slashes."""

from django.urls import path

from apps.agents.api import views

urlpatterns = [
    path("agents", views.AgentCollection.as_view()),
    path("agents/<str:reference>", views.AgentDetail.as_view()),
    path("agents/<str:reference>/suspend", views.AgentSuspension.as_view()),
    path("agents/<str:reference>/activate", views.AgentActivation.as_view()),
]
