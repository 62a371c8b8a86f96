"""`/v1/incidents`."""

from django.urls import path

from apps.incidents.api import members, planning, views

urlpatterns = [
    path("incidents", views.IncidentCollection.as_view()),
    path("incidents/<str:incident_id>", views.IncidentDetail.as_view()),
    path("incidents/<str:incident_id>/notes", views.IncidentNotes.as_view()),
    path("incidents/<str:incident_id>/members", members.IncidentMembers.as_view()),
    path(
        "incidents/<str:incident_id>/members/<str:session_id>",
        members.IncidentMember.as_view(),
    ),
    path("incidents/<str:incident_id>/plans", planning.IncidentPlans.as_view()),
    path("incidents/<str:incident_id>/report", views.IncidentReport.as_view()),
]
