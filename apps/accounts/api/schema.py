"""How coming in by key stands in the OpenAPI document.

Loaded by the app's `ready`, not by `authentication`: DRF imports that one while it
imports its own views, and drf-spectacular needs those.
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
