"""The client has a class for every error code, and none for a code that is gone."""

from apps.core.http.problems.problem import ERRORS
from stepback.errors import Codes


def test_every_error_code_has_its_class_in_the_client() -> None:
    assert set(Codes.by_code) == set(ERRORS)
