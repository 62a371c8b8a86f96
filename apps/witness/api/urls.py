"""`/v1/roots`, and the proof of a session."""

from django.urls import path

from apps.witness.api import views

urlpatterns = [
    path("roots", views.RootCollection.as_view(), name="roots"),
    path("roots/key", views.RootKeys.as_view(), name="root_key"),
    path("roots/<str:root_number>", views.RootDetail.as_view(), name="root"),
    path(
        "sessions/<str:session_id>/proof",
        views.SessionProofView.as_view(),
        name="session_proof",
    ),
]
