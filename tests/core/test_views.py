"""What is only read takes no other method, and says so."""

import pytest
from django.test import Client


@pytest.mark.parametrize("method", ["POST", "PUT", "CANARY"])
@pytest.mark.parametrize("address", ["/", "/docs", "/openapi.json", "/health"])
def test_another_method_is_refused_as_what_it_is(address: str, method: str) -> None:
    answer = Client(enforce_csrf_checks=True).generic(method, address)

    assert answer.status_code == 405
    assert "GET" in answer["Allow"]
