"""The environment of a request, as Django expects it."""

from io import BytesIO
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest

from apps.core.http.clients import client_address
from apps.server.front import environ as module
from apps.server.front.environ import environ_of
from tests.server.running import scope


def test_it_is_what_django_reads() -> None:
    environ = environ_of(
        scope(
            (b"host", b"localhost:8000"),
            (b"content-type", b"application/json"),
            (b"content-length", b"2"),
            (b"x-api-key", b"sb_1"),
            method="POST",
            raw_path=b"/v1/sessions/a%2Fb/%E2%82%AC",
            query_string=b"a=%C3&b=1",
        )
    )
    request = WSGIRequest(environ | {"wsgi.input": BytesIO()})

    assert request.path == "/v1/sessions/a/b/€"
    assert request.get_host() == "localhost:8000"
    assert request.headers["X-Api-Key"] == "sb_1"
    assert request.content_type == "application/json"
    assert environ["CONTENT_LENGTH"] == "2"
    assert request.META["QUERY_STRING"] == "a=%C3&b=1"
    assert request.META["REMOTE_ADDR"] == "127.0.0.2"
    assert not request.is_secure()


@pytest.mark.parametrize(
    ("version", "protocol"), [("1", "HTTP/1.0"), ("1.1", "HTTP/1.1"), ("2", "HTTP/2")]
)
def test_it_names_the_protocol(version: str, protocol: str) -> None:
    assert environ_of(scope(http_version=version))["SERVER_PROTOCOL"] == protocol


def test_bytes_that_are_no_utf8_stay_what_they_are() -> None:
    assert environ_of(scope(raw_path=b"/%ff"))["PATH_INFO"] == "/\xff"


def test_a_header_that_is_not_ascii_is_not_emptied() -> None:
    made = environ_of(scope((b"idempotency-key", "é".encode())))

    assert made["HTTP_IDEMPOTENCY_KEY"] == "Ã©"


def test_a_header_that_comes_twice_is_joined() -> None:
    made = environ_of(
        scope((b"x-a", b"1"), (b"cookie", b"a=1"), (b"x-a", b"2"), (b"cookie", b"b=2"))
    )

    assert (made["HTTP_X_A"], made["HTTP_COOKIE"]) == ("1,2", "a=1; b=2")


def test_the_client_is_found_behind_proxies_that_add_a_header_each(
    settings: Any,
) -> None:
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.2"), ip_network("203.0.113.0/24")]
    claimed, true, proxy = b"192.0.2.1", b"198.51.100.1", b"203.0.113.9"
    made = environ_of(
        scope(*((b"x-forwarded-for", each) for each in (claimed, true, proxy)))
    )

    request = WSGIRequest(made | {"wsgi.input": BytesIO()})

    assert client_address(request) == true.decode()


def test_a_header_with_an_underscore_does_not_pass_for_another() -> None:
    made = environ_of(scope((b"x_forwarded_proto", b"https"), (b"x_api-key", b"a")))

    assert not [name for name in made if name.startswith("HTTP_X")]


def test_the_variables_of_the_process_are_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_PROCESS", "x")

    assert "SECRET_OF_THE_PROCESS" not in environ_of(scope())


def test_made_up_headers_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NAMES", dict(module._NAMES))
    for at in range(2 * module._MOST_NAMES):
        environ_of(scope((b"x-made-up-%d" % at, b"")))

    assert len(module._NAMES) == module._MOST_NAMES
    assert environ_of(scope((b"x-one-more", b"1")))["HTTP_X_ONE_MORE"] == "1"
