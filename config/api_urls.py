"""The `/v1` API: every app's routes under one prefix."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
