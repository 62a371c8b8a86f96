"""The agents' API in the OpenAPI document: every answer typed, every error listed."""

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator

from apps.agents.api import anchor_urls, urls

OPERATIONS = {
    ("/agents", "post"): {"201", "400", "401", "403", "409", "413", "422"},
    ("/agents", "get"): {"200", "400", "401", "403"},
    ("/agents/{reference}", "get"): {"200", "401", "403", "404"},
    ("/agents/{reference}", "patch"): {"200", "400", "401", "403", "404", "413", "422"},
    ("/agents/{reference}", "put"): {"200", "400", "401", "403", "404", "413", "422"},
    ("/agents/{reference}", "delete"): {"200", "400", "401", "403", "404", "422"},
    ("/agents/{reference}/suspend", "post"): {"200", "400", "401", "403", "404", "422"},
    ("/agents/{reference}/activate", "post"): {
        "200",
        "400",
        "401",
        "403",
        "404",
        "422",
    },
    ("/agents/{reference}/mapping", "get"): {"200", "401", "403", "404"},
    ("/agents/{reference}/mapping", "put"): {
        "200",
        "400",
        "401",
        "403",
        "404",
        "413",
        "422",
    },
    ("/workspaces", "get"): {"200", "401", "403"},
    ("/auth/me", "get"): {"200", "401", "403"},
    ("/project", "get"): {"200", "401", "403"},
    ("/project", "patch"): {"200", "400", "401", "403", "413", "422"},
    # The contract's key endpoints: keys name the agents that they speak for.
    ("/dashboard/keys", "get"): {"200", "400", "401", "403"},
    ("/dashboard/keys", "post"): {"200", "400", "401", "403", "413", "422"},
    ("/dashboard/keys/{key_id}", "delete"): {
        "204",
        "400",
        "401",
        "403",
        "404",
        "409",
        "422",
    },
}
FREE = {"metadata", "config"}


@pytest.fixture(scope="module")
def document():
    GENERATOR_STATS.reset()
    patterns = [*urls.urlpatterns, *anchor_urls.urlpatterns]
    return SchemaGenerator(patterns=patterns).get_schema(public=True)


def test_every_verb_stands_there_with_its_statuses(document):
    found = {
        (path, method): set(operation["responses"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }

    assert found == OPERATIONS


def test_only_metadata_is_an_untyped_object(document):
    untyped = {
        name
        for schema in document["components"]["schemas"].values()
        for name, field in schema.get("properties", {}).items()
        if field.get("type") == "object" and "properties" not in field
    }

    assert untyped <= FREE


def test_suspending_takes_no_body(document):
    assert "requestBody" not in document["paths"]["/agents/{reference}/suspend"]["post"]


def test_the_document_is_made_without_a_warning(document):
    assert not GENERATOR_STATS
