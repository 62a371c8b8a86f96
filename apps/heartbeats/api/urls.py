"""Routes of heartbeats, without trailing slashes."""

from django.urls import path

from apps.heartbeats.api import views

urlpatterns = [
    path("sessions/<str:session_id>/heartbeat", views.SessionHeartbeat.as_view()),
    path("agents/<str:agent>/heartbeat", views.AgentDefault.as_view()),
]
