"""`/v1/exports`."""

from django.urls import path

from apps.exports.api import views

urlpatterns = [
    path("exports", views.ExportCollection.as_view()),
    path("exports/<str:history_export_id>", views.ExportDetail.as_view()),
    path("exports/<str:history_export_id>/file", views.ExportFile.as_view()),
]
