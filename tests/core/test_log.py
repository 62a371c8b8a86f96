"""The log: one line a request, and never what callers sent."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import structlog
from django.contrib.auth.decorators import login_not_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.http import handler404, handler500  # noqa: F401
from apps.core.monitoring.log import logging_config, safe_message
from tests.core.test_http import TestView

MARKER = "canary-9d1c"


class Things(TestView):
    """Breaks with the caller's data in hand."""

    def post(self, request: Request, name: str) -> Response:
        if name.startswith("database"):
            raise IntegrityError(MARKER) from psycopg.errors.UniqueViolation(
                f"duplicate key\nDETAIL: Key (state)=({MARKER}) already exists."
            )
        state = request.data
        raise ValueError(f"cannot take {state}")


@login_not_required
def crash(request: HttpRequest, name: str) -> HttpResponse:
    raise KeyError(request.GET["q"])


urlpatterns = [
    path("v1/things/<str:name>", Things.as_view()),
    path("crash/<str:name>", crash),
]
pytestmark = pytest.mark.urls(__name__)


@pytest.fixture(autouse=True)
def _at_debug() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    logging_config("DEBUG", json_lines=True)
    yield
    logging_config(logging.getLevelName(level), json_lines=True)
    root.handlers[:] = handlers


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_request_writes_one_line(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    response = client.get("/v1/nothing?q=1", headers={"X-Request-Id": "r1"})

    (line,) = lines(capsys)
    assert line["event"] == "request"
    assert line["request_id"] == "r1"
    assert (line["method"], line["status"], line["route"]) == ("GET", 404, "-")
    assert line["code"] == "resource_not_found"
    assert line["bytes"] == len(response.content)
    assert {"time", "level", "logger", "duration_ms"} <= set(line)


def test_a_line_names_the_key_that_was_used(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.get("/v1/things/a", headers={"X-API-Key": "key_1:1000"})

    assert lines(capsys)[-1]["key"] == "key_1"


def test_a_line_has_the_pattern_of_the_route(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.get("/v1/things/some-name")

    assert lines(capsys)[-1]["route"] == "v1/things/<str:name>"


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/v1/things/a", {"state": MARKER}),
        (f"/v1/things/{MARKER}?q={MARKER}", {}),
        ("/v1/things/database", {"state": MARKER}),
        ("/v1/things/a", f'{{"{MARKER}": 1, "{MARKER}": 2}}'),
        ("/v1/things/a", f'{{"a": {MARKER}'),
        (f"/crash/{MARKER}?q={MARKER}", {}),
        (f"/nothing/{MARKER}?q={MARKER}", {}),
        (f"/v1/nothing/{MARKER}?q={MARKER}", {}),
    ],
)
def test_what_a_caller_sent_is_in_no_line(
    client: Client,
    capsys: pytest.CaptureFixture[str],
    address: str,
    body: Any,
    accept: str,
) -> None:
    response = client.post(
        address, body, content_type="application/json", headers={"Accept": accept}
    )

    output = capsys.readouterr()
    assert MARKER not in output.err + output.out
    assert response["X-Request-Id"] in output.err


def test_an_unhandled_error_has_its_frames_and_no_values(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.post("/v1/things/a", {"state": MARKER}, content_type="application/json")

    (error,) = [line for line in lines(capsys) if line["level"] == "error"]
    assert "test_log.py" in error["exception"]
    assert error["exception"].endswith("ValueError (message withheld)")


def test_an_error_of_the_database_tells_its_state(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.post("/v1/things/database", {}, content_type="application/json")

    (error,) = [line for line in lines(capsys) if line["level"] == "error"]
    assert "UniqueViolation 23505" in error["exception"]
    assert "which led to" in error["exception"]


def test_statements_parameters_and_loans_are_not_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("django.db.backends").debug("(0.001) SELECT %s", MARKER)
    logging.getLogger("django.db.backends.schema").debug("%s", MARKER)
    logging.getLogger("psycopg.pool").info("connection given")

    assert lines(capsys) == []


@pytest.mark.parametrize("name", ["_granian", "django.dispatch", "procrastinate"])
def test_the_lines_of_libraries_look_like_ours(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    logging.getLogger(name).warning("worker %s", 7)

    (line,) = lines(capsys)
    assert (line["event"], line["logger"], line["level"]) == (
        "worker 7",
        name,
        "warning",
    )
    assert "time" in line


def test_an_object_in_a_line_is_named_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Secretive:
        def __repr__(self) -> str:
            return MARKER

    structlog.get_logger("a").warning("event", thing=Secretive())

    (line,) = lines(capsys)
    assert line["thing"].endswith("Secretive")


def test_plain_lines_are_as_discreet(capsys: pytest.CaptureFixture[str]) -> None:
    logging_config("DEBUG", json_lines=False)
    try:
        int(MARKER)
    except ValueError:
        logging.getLogger("a").exception("it broke")

    output = capsys.readouterr().err
    assert "it broke" in output
    assert "message withheld" in output
    assert MARKER not in output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TypeError("no len()"), "TypeError: no len()"),
        (OSError(28, "No space left", MARKER), "OSError: No space left"),
        (ValueError(MARKER), "ValueError (message withheld)"),
        (psycopg.errors.DeadlockDetected(MARKER), "DeadlockDetected 40P01"),
    ],
)
def test_a_message_is_told_only_when_it_is_about_code(
    error: Exception, message: str
) -> None:
    assert safe_message(error) == message


@pytest.mark.parametrize("path", ["/v1/nothing", "/nothing"])
def test_a_made_up_method_is_not_repeated(
    client: Client, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    client.generic("CANARY", path)

    (line,) = lines(capsys)
    assert line["method"] == "-"
    assert "CANARY" not in json.dumps(line)


def test_the_line_of_a_request_is_the_same_by_either_way(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    logging_config("INFO", json_lines=True)  # pytest listens until now
    asked = {"headers": {"X-Request-Id": "r1", "X-API-Key": "a:9"}}
    client.get("/v1/nothing", **asked)
    somebody_listens = logging.NullHandler()
    logging.getLogger().addHandler(somebody_listens)
    client.get("/v1/nothing", **asked)
    logging.getLogger().removeHandler(somebody_listens)

    straight, detour = lines(capsys)

    assert list(straight) == list(detour)
    changing = {"time": "", "duration_ms": 0}
    assert straight | changing == detour | changing
    assert len(straight["time"]) == len(detour["time"])


def test_a_line_that_cannot_be_written_stops_no_request(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    logging_config("INFO", json_lines=True)
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)

    assert client.get("/v1/nothing").status_code == 404


def test_a_plain_log_has_the_line_of_a_request_too(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    logging_config("INFO", json_lines=False)

    client.get("/v1/nothing", headers={"X-Request-Id": "r1"})

    assert "request" in (line := capsys.readouterr().err)
    assert "request_id=r1" in line
