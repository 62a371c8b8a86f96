"""Routes under `/v1/` that search by meaning."""

from django.urls import path

from apps.meaning.api.views import MeaningSearchView

urlpatterns = [
    path("search/meaning", MeaningSearchView.as_view(), name="search_by_meaning"),
]
