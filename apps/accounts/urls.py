"""Where people sign in and out."""

from django.urls import URLPattern

app_name = "accounts"
urlpatterns: list[URLPattern] = []
