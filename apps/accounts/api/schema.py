"""How coming in by key stands in the OpenAPI document.

Importing it is what registers it with drf-spectacular: with the API's addresses, which
a document is made of. Not with the app, since processes without a web page would load
Django's own tests, which drf-spectacular needs; nor by `authentication`, which DRF
imports while it imports its own views.
"""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the two headers stand in the OpenAPI document."""

    target_class = "apps.accounts.api.authentication.KeyAuthentication"
    name = ["ApiKey", "Bearer"]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Either header will do: one requirement for each, not one for both."""
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        return [
            {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            {"type": "http", "scheme": "bearer"},
        ]
