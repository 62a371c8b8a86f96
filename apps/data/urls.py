"""Addresses of files that a signed link opens."""

from django.urls import path

from apps.data import views

app_name = "data"
urlpatterns = [
    path("exports/<str:token>", views.audit_file, name="audit_file"),
]
