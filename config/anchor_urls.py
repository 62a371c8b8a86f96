"""Anchor's routes, which are served below /v1 and without it.

A route below one agent (`agents/<str:agent>/data`) stands before the agents' own, in
which a name may contain slashes.
"""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("apps.data.api.urls")),
    path("", include("apps.agents.api.anchor_urls")),
]
