"""What is said in the environment is read as it was meant, or refused by its name."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env

USUAL = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("", USUAL),
        ("https://stepback.example.com/", "https://stepback.example.com"),
        (" http://[::1]:8080 ", "http://[::1]:8080"),
    ],
)
def test_an_origin_has_no_slash_at_its_end(monkeypatch, said, read):
    monkeypatch.setenv("STEPBACK_URL", said)

    assert env.origin("STEPBACK_URL", USUAL) == read


@pytest.mark.parametrize(
    "said",
    [
        "stepback.example.com",
        "ftp://a",
        "https://a/console",
        "https://me@a",
        "https://",
    ],
)
def test_what_is_no_origin_is_refused(monkeypatch, said):
    monkeypatch.setenv("STEPBACK_URL", said)

    with pytest.raises(ImproperlyConfigured, match="STEPBACK_URL must be like"):
        env.origin("STEPBACK_URL", USUAL)
