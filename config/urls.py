"""Where everything is mounted: the API, health, accounts and the console."""

from django.urls import include, path

from apps.core import views as core
from apps.core.http.openapi.document import docs, openapi
from apps.core.http.prometheus import prometheus

handler400 = "apps.core.http.handler400"
handler403 = "apps.core.http.handler403"
handler404 = "apps.core.http.handler404"
handler500 = "apps.core.http.handler500"

# Patterns are tried in this order: the API, whose requests are most, stands first.
urlpatterns = [
    path("v1/", include("config.api_urls")),
    # As Anchor's older clients call them; the console's pages are below /console.
    path("", include("config.anchor_urls")),
    path("", core.root, name="root"),
    path("health", core.health, name="health"),
    path("health/ready", core.ready, name="ready"),
    path("health/live", core.live, name="live"),
    path("metrics", prometheus, name="prometheus"),
    path("openapi.json", openapi, name="openapi"),
    path("docs", docs, name="docs"),
    path("", include("apps.data.urls")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.console.urls")),
]
