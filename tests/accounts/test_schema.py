"""Both ways of sending a key stand in the OpenAPI document."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from apps.accounts.api.authentication import KeyAuthentication
from apps.accounts.api.schema import KeyScheme


def test_both_headers_are_described():
    scheme = OpenApiAuthenticationExtension.get_match(KeyAuthentication())

    assert isinstance(scheme, KeyScheme)
    assert [one["type"] for one in scheme.get_security_definition(None)] == [
        "apiKey",
        "http",
    ]
