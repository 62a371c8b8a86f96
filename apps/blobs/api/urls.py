"""Routes of blobs under `/v1/`."""

from django.urls import path

from apps.blobs.api import views

urlpatterns = [
    path("blobs/missing", views.MissingView.as_view(), name="missing_blobs"),
    path("blobs/<str:sha256>", views.BlobView.as_view(), name="blob"),
]
