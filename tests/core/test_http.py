"""The edge of the API: bodies, errors, headers and limits, on real requests."""

import gzip
import threading
from typing import Any

import orjson
import psycopg
import psycopg_pool
import pytest
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from rest_framework import exceptions as drf
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from apps.core import errors, http
from apps.core.http import handler400, handler403, handler404, handler500  # noqa: F401
from apps.core.http.problems.database import UNKNOWN

JSON = "application/json"
LARGE = b'{"a":"' + b"x" * (1024 * 1024) + b'"}'


class Caller:
    """A caller by key, as the accounts app makes them."""

    def __init__(self, key_id: str, rate_limit: int | None) -> None:
        self.key_id = key_id
        self.rate_limit = rate_limit
        self.lane = key_id


class KeyInHeader(BaseAuthentication):
    """Takes `X-API-Key: <id>:<limit>`; anything else is an unknown key."""

    def authenticate(self, request: Request) -> tuple[None, Caller] | None:
        key = request.headers.get("X-API-Key")
        if key is None:
            return None
        key_id, _, limit = key.partition(":")
        if not limit.isdecimal():
            raise drf.AuthenticationFailed("This key is not known.")
        return None, Caller(key_id, int(limit))

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class ThingInput(serializers.Serializer[Any]):
    """A name and a count."""

    name = serializers.CharField()
    count = serializers.IntegerField(required=False)


class BatchInput(serializers.Serializer[Any]):
    """Several things."""

    items = ThingInput(many=True)


class TestView(http.ApiView):
    """What the views below have in common."""

    __test__ = False
    authentication_classes = [KeyInHeader]
    permission_classes = []


class Echo(TestView):
    """Answers with what came in."""

    def get(self, request: Request) -> Response:
        return Response({"ok": True})

    def post(self, request: Request) -> Response:
        return Response(
            {
                "data": request.data,
                "digest": http.request_digest(request).hex(),
                "key": http.idempotency_key(request),
                "version": http.if_match(request),
            },
            status=201,
        )

    def delete(self, request: Request) -> Response:
        return Response(status=204)


class Large(TestView):
    """Says whether the gate is free while a request is being worked on."""

    gate = http.Gate(permits=1, seconds=0.02)

    def post(self, request: Request) -> Response:
        with self.gate.hold():
            return Response({"free": True})


class Raise(TestView):
    """Raises what the test wants."""

    error: Exception = ValueError()

    def get(self, request: Request) -> Response:
        raise self.error


class Validate(TestView):
    """Validates what came in."""

    def post(self, request: Request) -> Response:
        BatchInput(data=request.data).is_valid(raise_exception=True)
        return Response({})


class Spliced(TestView):
    """Answers with stored bytes."""

    def get(self, request: Request) -> Response:
        return Response({"state": orjson.Fragment(b'{"a":1.0}')})


@login_not_required
def crash(request: HttpRequest) -> HttpResponse:
    raise ValueError("a value of the caller's")


@login_not_required
def cut_off(request: HttpRequest) -> HttpResponse:
    raise OperationalError("the connection is lost")


urlpatterns = [
    path("v1/echo", Echo.as_view()),
    path("v1/large", Large.as_view()),
    path("v1/raise", Raise.as_view()),
    path("v1/validate", Validate.as_view()),
    path("v1/spliced", Spliced.as_view()),
    path("v1/names/<str:name>", Echo.as_view()),
    path("v1/crash", crash),
    path("crash", crash),
    path("cut-off", cut_off),
]
pytestmark = pytest.mark.urls(__name__)


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def answer_to(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> tuple[int, dict[str, Any], Any]:
    monkeypatch.setattr(Raise, "error", error)
    response = client.get("/v1/raise")
    return response.status_code, response.json()["error"], response


def database_error(kind: type[Exception], cause: Exception | None) -> Exception:
    error = kind("DETAIL: Key (state)=(secret) already exists.")
    error.__cause__ = cause
    return error


def by_state(state: str) -> Exception:
    cause = psycopg.errors.lookup(state)("secret")
    return database_error(OperationalError, cause)


# The error body


def test_an_error_has_one_body(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    error = errors.InvalidRequest("No.", param="name", head=7, blocked_by="policy")

    status, body, response = answer_to(client, monkeypatch, error)

    assert status == 400
    assert body == {
        "code": "invalid_request",
        "message": "No.",
        "type": "invalid_request_error",
        "param": "name",
        "request_id": response["X-Request-Id"],
        "head": 7,
    }
    assert response.json()["detail"] == "No."


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (drf.NotAuthenticated(), 401, "authentication_failed"),
        (drf.AuthenticationFailed(), 401, "authentication_failed"),
        (drf.PermissionDenied(), 403, "permission_denied"),
        (PermissionDenied(), 403, "permission_denied"),
        (drf.NotFound(), 404, "resource_not_found"),
        (Http404(), 404, "resource_not_found"),
        (drf.ParseError(), 400, "malformed_json"),
        (drf.UnsupportedMediaType("text/xml"), 415, "unsupported_media_type"),
        (drf.NotAcceptable(), 406, "not_acceptable"),
        (SuspiciousOperation("secret"), 400, "invalid_request"),
        (RequestDataTooBig("secret"), 413, "payload_too_large"),
        (KeyError("secret"), 500, "internal_error"),
        (database_error(IntegrityError, None), 500, "internal_error"),
        (by_state("23505"), 500, "internal_error"),
        (by_state("XX000"), 503, "service_unavailable"),
        (by_state("58030"), 503, "service_unavailable"),
        (by_state("08006"), 503, "service_unavailable"),
        (by_state("57P01"), 503, "service_unavailable"),
        (by_state("57014"), 503, "service_unavailable"),
        (by_state("55P03"), 503, "service_unavailable"),
        (by_state("40001"), 503, "service_unavailable"),
        (by_state("40P01"), 503, "service_unavailable"),
        (by_state("53300"), 503, "service_unavailable"),
        (by_state("25006"), 503, "service_unavailable"),
        (by_state("53100"), 507, "insufficient_storage"),
        (database_error(OperationalError, None), 503, "service_unavailable"),
        (database_error(InterfaceError, None), 503, "service_unavailable"),
        (psycopg.OperationalError("secret"), 503, "service_unavailable"),
        (psycopg_pool.PoolTimeout("secret"), 503, "service_unavailable"),
        (
            database_error(OperationalError, psycopg_pool.PoolTimeout()),
            503,
            "service_unavailable",
        ),
    ],
)
def test_every_exception_has_its_answer(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    code: str,
) -> None:
    got, body, response = answer_to(client, monkeypatch, error)

    assert (got, body["code"]) == (status, code)
    assert ("Retry-After" in response) is (status in (503, 507))
    assert ("WWW-Authenticate" in response) is (status == 401)
    assert "secret" not in response.text


@pytest.mark.parametrize(
    ("state", "is_unknown"),
    [
        ("XX000", True),
        ("08006", True),
        ("57P01", True),
        ("40001", False),
        ("57014", False),
    ],
)
def test_it_says_when_the_outcome_is_unknown(
    client: Client, monkeypatch: pytest.MonkeyPatch, state: str, is_unknown: bool
) -> None:
    _, body, _ = answer_to(client, monkeypatch, by_state(state))

    assert (body["message"] == UNKNOWN) is is_unknown


def test_a_code_that_the_table_does_not_know_fails_loudly() -> None:
    class Unmapped(errors.DomainError):
        """Nobody told the table."""

        code = "never_mapped"

    with pytest.raises(KeyError):
        http.exception_handler(Unmapped(), {})


def test_every_domain_error_of_core_has_a_status() -> None:
    assert {error.code for error in errors.DomainError.__subclasses__()} - {
        "never_mapped"
    } <= set(http.ERRORS)


def test_a_validation_error_names_the_field(client: Client) -> None:
    body = {"items": [{"name": "a"}, {"name": "b", "count": "many"}]}

    response = client.post("/v1/validate", body, content_type=JSON)

    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "invalid_request")
    assert error["param"] == "items[1].count"
    assert error["message"].startswith("items[1].count: ")


def test_several_validation_errors_are_all_listed(client: Client) -> None:
    response = client.post("/v1/validate", {"items": [{}, {}]}, content_type=JSON)

    params = [error["param"] for error in response.json()["error"]["errors"]]
    assert params == ["items[0].name", "items[1].name"]


def test_a_wrong_method_answers_405_with_what_is_allowed(client: Client) -> None:
    response = client.patch("/v1/echo")

    assert response.status_code == 405
    assert "POST" in response["Allow"]


# Bodies


def test_it_reads_json_exactly(client: Client) -> None:
    response = client.post("/v1/echo", b'{"b":1.0,"a":"\xc3\xa9"}', content_type=JSON)

    assert response.status_code == 201
    assert response.content.startswith('{"data":{"b":1.0,"a":"é"}'.encode())


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_a_content_type_without_a_body_is_fine(client: Client, method: str) -> None:
    response = client.generic(method.upper(), "/v1/echo", b"", content_type=JSON)

    assert response.status_code < 300


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"a":1', JSON, 400),
        (b'{"a":1,"a":2}', JSON, 400),
        (b'{"a":NaN}', JSON, 400),
        (b'{"a":"\xff"}', JSON, 400),
        (b"{}", "application/json; charset=utf-8", 201),
        (b"{}", 'application/json; charset="UTF-8"', 201),
        (b"{}", "application/json; charset=latin-1", 415),
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{}", "garbage", 415),
        (b"{}", "", 415),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", JSON, 422),
    ],
)
def test_it_refuses_what_is_not_utf8_json(
    client: Client, body: bytes, content_type: str, status: int
) -> None:
    response = client.post("/v1/echo", body, content_type=content_type)

    assert response.status_code == status


@override_settings(REQUEST_BYTES=10)
def test_a_body_that_is_too_large_is_refused_unread(client: Client) -> None:
    response = client.post("/v1/echo", b'{"a":"123456"}', content_type=JSON)

    assert response.status_code == 413
    assert response.json()["error"]["limit"] == 10
    assert "10 bytes" in response.json()["detail"]


def test_a_body_that_ends_early_is_not_taken_for_an_empty_one(client: Client) -> None:
    request = APIRequestFactory().post("/v1/echo", b"", content_type=JSON)
    request.META["CONTENT_LENGTH"] = "20"

    response = Echo.as_view()(request)

    assert response.status_code == 400


def test_a_compressed_body_is_refused(client: Client) -> None:
    response = client.post(
        "/v1/echo", gzip.compress(b"{}"), JSON, headers={"Content-Encoding": "gzip"}
    )

    assert response.status_code == 415


def test_chunks_that_no_front_has_received_need_a_length() -> None:
    request = APIRequestFactory().post("/v1/echo", b"", content_type=JSON)
    request.META |= {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

    assert Echo.as_view()(request).status_code == 411


def test_stored_bytes_are_spliced_into_the_answer(client: Client) -> None:
    response = client.get("/v1/spliced")

    assert response.content == b'{"state":{"a":1.0}}'
    assert response["Content-Type"] == JSON


# The gate


def test_a_large_body_holds_the_gate_and_lets_it_go(client: Client) -> None:
    while_held = client.post("/v1/large", LARGE, content_type=JSON)
    afterwards = client.post("/v1/large", b"{}", content_type=JSON)

    assert while_held.status_code == 503
    assert while_held["Retry-After"] == "5"
    assert afterwards.json() == {"free": True}


def test_the_gate_gives_up_after_its_time() -> None:
    gate = http.Gate(permits=1, seconds=0.01)

    with gate.hold(), pytest.raises(errors.Busy), gate.hold():
        pass


def test_the_gate_lets_the_next_in_when_the_first_leaves() -> None:
    gate = http.Gate(permits=1, seconds=5)
    order: list[str] = []

    def second() -> None:
        with gate.hold():
            order.append("second")

    with gate.hold():
        thread = threading.Thread(target=second)
        thread.start()
        order.append("first")
    thread.join()

    assert order == ["first", "second"]


# Headers of requests


def post_with(client: Client, **headers: str) -> Any:
    return client.post("/v1/echo", b"{}", content_type=JSON, headers=headers)


@pytest.mark.parametrize("key", ["a", "x" * 255, "order 17/a", "~!@"])
def test_it_reads_idempotency_keys(client: Client, key: str) -> None:
    response = client.post(
        "/v1/echo", headers={"Idempotency-Key": key}, content_type=JSON
    )

    assert response.json()["key"] == key


@pytest.mark.parametrize("key", ["", "x" * 256, " a", "a ", "a\tb", "é", "a\x7f"])
def test_it_refuses_bad_idempotency_keys(client: Client, key: str) -> None:
    response = client.post(
        "/v1/echo", headers={"Idempotency-Key": key}, content_type=JSON
    )

    assert response.status_code == 400
    assert response.json()["error"]["param"] == "Idempotency-Key"


@pytest.mark.parametrize(("tag", "version"), [('"v12"', 12), ('"v0"', 0), ("*", "*")])
def test_it_reads_the_expected_version(client: Client, tag: str, version: Any) -> None:
    response = client.post("/v1/echo", headers={"If-Match": tag}, content_type=JSON)

    assert response.json()["version"] == version


@pytest.mark.parametrize(
    "tag",
    ["", "v12", 'W/"v12"', '"v-1"', '"v01"', '"v1", "v2"', '"v1e3"', f'"v{10**30}"'],
)
def test_it_refuses_a_tag_that_names_no_version(client: Client, tag: str) -> None:
    response = client.post("/v1/echo", headers={"If-Match": tag}, content_type=JSON)

    assert response.status_code == 400
    assert response.json()["error"]["param"] == "If-Match"


def test_the_digest_is_of_what_was_asked() -> None:
    def digest(
        address: str = "/v1/a", body: bytes = b"{}", tag: str = "", request_id: str = ""
    ) -> bytes:
        headers = {"If-Match": tag, "X-Request-Id": request_id}
        factory = APIRequestFactory()
        return http.request_digest(
            factory.post(address, body, content_type=JSON, headers=headers)
        )

    different = [
        digest("/v1/b"),
        digest(body=b"{ }"),
        digest(tag="*"),
    ]

    assert digest() == digest("/v1/a?x=1") == digest(request_id="other")
    assert digest() not in different
    assert len(set(different)) == 3


@pytest.mark.parametrize("address", ["/v1/echo?user_id=a%00b", "/v1/echo?a%00b=1"])
def test_a_nul_in_the_query_is_refused(client: Client, address: str) -> None:
    assert client.get(address).status_code == 400


def test_a_nul_in_the_path_names_nothing(client: Client) -> None:
    assert client.get("/v1/names/a%00b").status_code == 404


# Limits


def test_every_answer_tells_what_is_left(client: Client) -> None:
    for address in ("/v1/echo", "/v1/nothing", "/v1/crash", "/v1/raise"):
        response = client.get(address)

        assert "X-RateLimit-Remaining" in response, address
        assert "X-RateLimit-Reset" in response, address


@override_settings(RATE_LIMIT_PER_MINUTE=1000)
def test_an_unknown_key_is_counted_by_address(client: Client) -> None:
    # An address of its own: what other tests ask without a key counts by theirs.
    response = client.get(
        "/v1/echo", headers={"X-API-Key": "unknown"}, REMOTE_ADDR="192.0.2.77"
    )

    assert response.status_code == 401
    assert response["X-RateLimit-Limit"] == "1000"
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_over_the_limit_it_answers_429(client: Client) -> None:
    headers = {"X-API-Key": "eager:4"}

    answers = [client.get("/v1/echo", headers=headers) for _ in range(5)]

    last = answers[-1]
    assert answers[0].status_code == 200
    assert last.status_code == 429
    assert last.json()["error"]["code"] == "rate_limit_exceeded"
    assert last.json()["error"]["type"] == "rate_limit_error"
    assert last["Retry-After"] == str(last.json()["error"]["retry_after"])
    assert last["X-RateLimit-Remaining"] == "0"


def test_another_key_is_not_limited_by_the_first(client: Client) -> None:
    for _ in range(5):
        client.get("/v1/echo", headers={"X-API-Key": "busy:2"})

    response = client.get("/v1/echo", headers={"X-API-Key": "calm:2"})

    assert response.status_code == 200


# Around the views


def test_a_request_id_is_made_and_kept(client: Client) -> None:
    made = client.get("/v1/echo")["X-Request-Id"]
    kept = client.get("/v1/echo", headers={"X-Request-Id": "trace-1.a_B"})

    assert made.startswith("req_")
    assert kept["X-Request-Id"] == "trace-1.a_B"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "é", "<script>"])
def test_a_strange_request_id_is_replaced(client: Client, given: str) -> None:
    response = client.get("/v1/echo", headers={"X-Request-Id": given})

    assert response["X-Request-Id"].startswith("req_")


def test_answers_are_not_stored_on_the_way(client: Client) -> None:
    response = client.get("/v1/echo")

    assert response["Cache-Control"] == "no-store"
    assert response["X-StateBase-Latency"].isdecimal()
    assert not response.cookies


def test_no_content_has_no_length(client: Client) -> None:
    response = client.delete("/v1/echo")

    assert response.status_code == 204
    assert "Content-Length" not in response


@pytest.mark.parametrize("debug", [False, True])
def test_an_unknown_route_of_the_api_answers_json(client: Client, debug: bool) -> None:
    with override_settings(DEBUG=debug):
        response = client.get("/v1/nothing", headers={"Accept": "text/html"})

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "resource_not_found"


@pytest.mark.parametrize(
    ("address", "accept", "content_type"),
    [
        ("/v1/crash", "text/html", JSON),
        ("/crash", "*/*", JSON),
        ("/crash", "text/html", "text/html"),
    ],
)
def test_a_crash_answers_in_the_form_that_is_read(
    client: Client, address: str, accept: str, content_type: str
) -> None:
    response = client.get(address, headers={"Accept": accept})

    assert response["Content-Type"].startswith(content_type)
    assert response["X-Request-Id"] in response.text
    assert "a value of the caller's" not in response.text


def test_a_page_that_is_missing_answers_a_page(client: Client) -> None:
    response = client.get("/nothing", headers={"Accept": "text/html"})

    assert response.status_code == 404
    assert "<h1>" in response.text


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_a_page_without_its_database_says_so(client: Client, accept: str) -> None:
    response = client.get("/cut-off", headers={"Accept": accept})

    assert response.status_code == 503
    assert response["Retry-After"] == "1"
    assert "the connection is lost" not in response.text
