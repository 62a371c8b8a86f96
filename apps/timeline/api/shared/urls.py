"""Routes of shared documents; a name has one slash or two, and what follows is ours."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from apps.timeline.api.shared import documents, leases, listing, versions


class SharedNameConverter(StringConverter):
    """`public/…` or `agent/…/…`."""

    regex = r"(?:public|agent/[^/]+)/[^/]+"


register_converter(SharedNameConverter, "shared_name")

SHARED = "shared/<shared_name:name>"

urlpatterns = [
    path("shared", listing.SharedCollection.as_view()),
    path(SHARED, documents.SharedDetail.as_view()),
    path(f"{SHARED}/versions", versions.SharedVersions.as_view()),
    path(f"{SHARED}/versions/<str:number>", versions.SharedVersion.as_view()),
    path(f"{SHARED}/rollback", documents.SharedRollback.as_view()),
    path(f"{SHARED}/lease", leases.LeaseTaking.as_view()),
    path(f"{SHARED}/lease/renew", leases.LeaseRenewal.as_view()),
    path(f"{SHARED}/lease/release", leases.LeaseRelease.as_view()),
]
